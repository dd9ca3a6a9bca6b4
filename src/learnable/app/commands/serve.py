"""`learnable serve`: serve predictions of a saved model over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import AsJson, print_json, say
from .predict import ModelPath, Share


def serve(
    model: ModelPath,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 means all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 chooses a free one.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="LEARNABLE_TOKEN",
            help="The token that requests must carry; generated if other machines can reach the address.",
        ),
    ] = None,
    max_rows: Annotated[int, typer.Option(min=1, help="Maximum number of rows of one request.")] = 10_000,
    max_bytes: Annotated[int, typer.Option(min=1, help="Maximum bytes of one request, decompressed.")] = 10 * 2**20,
    max_total_bytes: Annotated[
        int,
        typer.Option(min=1, help="Maximum bytes of all bodies and responses in memory; more requests get 503."),
    ] = 80 * 2**20,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, help="Timeout in seconds of each phase: receiving a request, predicting, responding."),
    ] = 30.0,
    concurrency: Annotated[int, typer.Option(min=1, help="Maximum number of concurrent requests.")] = 256,
    share: Share = 0.9,
    as_json: AsJson = False,
) -> None:
    """Serve predictions over HTTP: POST /predict, a form at /, the schema at /openapi.json.

    Example: learnable serve model.learnable --port 8000
    """
    from ..predict.predictor import Predictor
    from ..service.server import serve as run
    from ..service.settings import ServiceSettings, chosen_token

    if not 0 < share < 1:
        raise typer.BadParameter("the coverage must lie between 0 and 1", param_hint="--share")
    predictor = Predictor.opened(model)
    limits = (max_rows, max_bytes, timeout, concurrency)
    settings = ServiceSettings(host, port, chosen_token(host, token), *limits, share, max_total_bytes)

    def started(bound: ServiceSettings) -> None:
        page = bound.url + (f"?token={bound.token}" if bound.token else "")
        say(f"{predictor.name} is served at {page} (stop it with Ctrl-C)")
        if as_json:
            print_json({"url": bound.url, "token": bound.token})

    run(predictor, settings, started)
    say("stopped")
