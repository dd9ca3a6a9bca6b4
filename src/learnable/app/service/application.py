"""The HTTP service: its paths and their responses."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from ..._version import __version__
from ...core import DataError, LearnableError
from ..predict.predictions import Predictions
from ..predict.predictor import Predictor
from .batching import Batcher
from .budget import Budget, Reservation
from .metrics import Metrics
from .openapi import REFUSED, described_path
from .page import page
from .problems import HttpError, failed, headers_of, too_slow, unusable
from .request_body import body_of, frame_of_csv, unpacked
from .request_checks import Guard
from .schema import RowSchema
from .settings import ServiceSettings
from .worker import Worker

MAX_INLINE = 16_384  # bytes parsed, and cells serialised, in the event loop rather than in a thread


class Service:
    """A model with its batches and counters."""

    def __init__(self, predictor: Predictor, settings: ServiceSettings) -> None:
        self.predictor, self.settings, self.metrics = predictor, settings, Metrics()
        self.rows, self.batcher = (
            RowSchema(predictor, settings.most_rows),
            Batcher(self._predict_frame, self._count_call),
        )
        self.worker = Worker()
        self.budget = Budget(settings.max_total_bytes, self.worker.return_memory_soon)
        self.ready = False

    def _count_call(self) -> None:
        self.metrics.batches += 1

    def _predict_frame(self, frame: Any) -> Predictions:
        return self.predictor.predict(frame, self.settings.share)

    async def predict(self, request: Request) -> Response:
        """Predict the rows of a request body."""
        held: Reservation = request.scope["held"]
        body, packed = await body_of(request, self.settings, held)
        read = self._frame_of_csv if _kind(request) == "text/csv" else self._frame_of_json
        try:
            async with asyncio.timeout(self.settings.seconds):
                if packed:
                    frame = await self.worker.run(partial(self._unpacked, read, held), body, held)
                else:
                    frame = await self._run(len(body), read, body, held)
                del body  # its bytes are no longer reserved, so they must be freed
                held.resize(frame.nbytes)
                content = await self._respond(frame, held)
        except TimeoutError:
            raise too_slow(self.settings.seconds, "the prediction") from None
        held.resize(len(content))
        return Response(content, media_type="application/json")

    async def _respond(self, frame: Any, held: Reservation) -> bytes:
        """The predictions for the rows of a frame, as JSON."""
        predictions = await self._predict_in_batch(frame, held)
        rows, columns = frame.num_rows, frame.num_columns + len(predictions.classes)
        self.metrics.rows += rows
        self.metrics.strange += 0 if predictions.strange is None else int(predictions.strange.any(axis=1).sum())
        content: bytes = await self._run(rows * columns, self._serialise, predictions, held)
        return content

    async def _run(self, size: int, work: Callable[[Any], Any], content: Any, held: Reservation) -> Any:
        """Run small work in the event loop, large work in another thread while the event loop serves others."""
        return work(content) if size <= MAX_INLINE else await self.worker.run(work, content, held)

    def _serialise(self, predictions: Predictions) -> bytes:
        return json.dumps({"model": self.predictor.name, "predictions": predictions.rows()}).encode()

    def _unpacked(self, read: Callable[[bytes], Any], held: Reservation, body: bytes) -> Any:
        return read(unpacked(body, self.settings.most_bytes, held))

    def _frame_of_json(self, body: bytes) -> Any:
        rows = self.rows.parsed(body)
        if not rows:
            raise unusable("the request has no rows")
        try:
            return self.rows.frame(rows)
        except DataError as error:
            raise unusable(str(error)) from None

    def _frame_of_csv(self, body: bytes) -> Any:
        return frame_of_csv(body, self.predictor, self.settings.most_rows)

    async def _predict_in_batch(self, frame: Any, held: Reservation | None = None) -> Predictions:
        """Predict in a batch; an error of the model becomes a problem of the request."""
        try:
            return await self.batcher.submit(frame, held)
        except TimeoutError:
            raise
        except (LearnableError, ValueError, ArithmeticError) as error:
            raise unusable(str(error)[:500]) from None

    async def _warm(self) -> None:
        """Predict one row at startup, so that the first request does not wait for lazy imports."""
        with suppress(Exception):  # a model that rejects this row may accept others
            frame = self._frame_of_json(self.rows.example())
            self._serialise(await self._predict_in_batch(frame))
        self.metrics.batches = 0

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """Ready once a row has been predicted, until the service is stopped."""
        await self._warm()
        self.ready = True
        yield
        self.ready = False
        self.batcher.close()
        self.worker.close()


def application(predictor: Predictor, settings: ServiceSettings) -> Guard:
    """The whole service as an ASGI application."""
    service = Service(predictor, settings)
    app = FastAPI(
        title=f"learnable: {predictor.name}",
        version=__version__,
        description=f"Predictions of a model of {predictor.model.target!r} ({predictor.model.task}).",
        docs_url=None,  # those pages would load scripts from other hosts
        redoc_url=None,
        lifespan=service.lifespan,
    )
    app.add_exception_handler(HttpError, _problem)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(Exception, _failed)
    app.add_api_route("/predict", service.predict, methods=["POST"], openapi_extra=described_path(service.rows))
    _add_small_paths(app, service)
    return Guard(app, settings, service.metrics, service.budget)


def _add_small_paths(app: FastAPI, service: Service) -> None:
    @app.get("/health", responses=REFUSED)
    async def health() -> dict[str, str]:
        """The process is alive."""
        return {"status": "alive", "version": __version__}

    @app.get("/ready", responses=REFUSED)
    async def ready() -> JSONResponse:
        """The model is loaded and has predicted a row, and the service is not being stopped."""
        word = "ready" if service.ready else "not ready"
        return JSONResponse({"status": word, "model": service.predictor.name}, 200 if service.ready else 503)

    @app.get("/metrics", response_class=PlainTextResponse, responses=REFUSED)
    async def metrics() -> PlainTextResponse:
        """Counters for Prometheus."""
        return PlainTextResponse(service.metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def form() -> HTMLResponse:
        nonce = secrets.token_urlsafe(12)
        policy = f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'"
        headers = {"content-security-policy": f"{policy}; base-uri 'none'; form-action 'none'; img-src data:"}
        return HTMLResponse(page(service.predictor, nonce, service.settings.share), headers=headers)


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HttpError)
    return Response(problem.body(), problem.status, headers_of(problem))


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "there is no such path", 405: "this path does not support this method"}
    message = words.get(error.status_code, str(error.detail))
    problem = HttpError(error.status_code, "not_here", message, "the paths are listed at /openapi.json")
    return Response(problem.body(), problem.status, {**headers_of(problem), **(error.headers or {})})


async def _failed(request: Request, error: Exception) -> Response:
    """An unexpected error: the response omits its details, which go to the log."""
    return await _problem(request, failed())
