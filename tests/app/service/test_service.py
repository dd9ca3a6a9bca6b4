"""A served model gives the predictions of the model, describes itself, and ends on a signal."""

from __future__ import annotations

import asyncio
import gc
import gzip
import http.client
import io
import json
import re
import signal
import socket
import threading
from dataclasses import replace
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from pyarrow import csv

from learnable.app.predict.predictor import Predictor
from learnable.app.service.application import Service
from learnable.app.service.problems import HttpError
from learnable.app.service.server import Server
from learnable.app.service.settings import ServiceSettings
from learnable.deployment import ExpectedColumn
from tests.app.saved_models import classifier, customers, features, regressor, saved
from tests.app.service.service_process import Running, service

ROW = {"age": 30.0, "income": 40.0, "city": "Rome"}


@pytest.fixture(scope="module")
def model():
    return classifier(threshold=0.6)


@pytest.fixture(scope="module")
def running(model, tmp_path_factory):
    with service(saved(model, tmp_path_factory.mktemp("served") / "buys.learnable")) as running:
        yield running


def test_rows_as_json_and_as_csv_have_the_predictions_of_the_model(running: Running, model):
    frame = features(customers(40, seed=3))
    status, reply = running.predict({"rows": frame.to_pylist()})
    assert status == 200 and reply["model"] == "buys.learnable"
    assert [row["prediction"] for row in reply["predictions"]] == model.predict(frame).tolist()
    proba = [row["probabilities"]["yes"] for row in reply["predictions"]]
    assert proba == pytest.approx(model.predict_proba(frame)[:, 1], abs=1e-12)
    plausible = [[name for name, held in zip(("no", "yes"), row, strict=True) if held] for row in model.sets(frame)]
    assert [row["plausible"] for row in reply["predictions"]] == plausible
    text = io.BytesIO()
    csv.write_csv(customers(40, seed=3), text)
    again = running.ask("POST", "/predict", text.getvalue(), Content_Type="text/csv")
    packed = running.predict(gzip.compress(json.dumps(frame.to_pylist()).encode()), Content_Encoding="gzip")
    assert again[1]["predictions"] == packed[1]["predictions"] == reply["predictions"]


def test_strange_entries_and_missing_values(running: Running):
    _, reply = running.predict([{"age": 200, "city": "Mars", "more": [1]}, ROW])
    assert [row["strange"] for row in reply["predictions"]] == [["age", "city"], []]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"rows": [ROW, {**ROW, "age": "old"}]}, "row 2, column 'age'"),
        ([{"age": 1, "income": 2}], "row 1, column 'city': is missing"),
        ([{**ROW, "age": "30"}], "row 1, column 'age'"),
        (b'[{"age": NaN, "income": 1, "city": "Rome"}]', "row 1, column 'age'"),
        (b'[{"age": 1e999, "income": 1, "city": "Rome"}]', "row 1, column 'age'"),
        ({"rows": []}, "no rows"),
        ({"lines": []}, "the body"),
        ("text", "the body"),
        (b"{", "the body"),
        (b"[" * 100_000, "the body"),
        (b"\xff\xfe\x00", "the body"),
    ],
)
def test_rows_that_do_not_fit(running: Running, content, words):
    status, reply = running.predict(content)
    assert status == 422 and words in reply["error"]["message"] and reply["error"]["remedy"]


def test_times_that_are_none_are_refused_like_other_entries() -> None:
    requested = Predictor.of(classifier(), "model")
    columns = [ExpectedColumn("age", "time", 0.0, 9.0, [], False), *requested.model.columns[1:]]
    served = Service(replace(requested, model=replace(requested.model, columns=columns)), ServiceSettings())
    with pytest.raises(HttpError, match="unusable_rows") as refused:
        served._frame_of_json(json.dumps([{**ROW, "age": "99999-99-99"}]).encode())
    assert refused.value.status == 422 and "column 'age'" in refused.value.message


def test_a_head_request_has_the_headers_of_the_response(running: Running):
    connection = http.client.HTTPConnection("127.0.0.1", running.port)
    for path, status in (("/health", 200), ("/metrics", 200), ("/", 200), ("/predict", 405)):
        connection.request("HEAD", path)
        head = connection.getresponse()
        assert head.status == status and int(head.headers["content-length"]) > 0 and head.read() == b""
    connection.close()


def test_the_schema_describes_the_columns(running: Running):
    status, reply = running.ask("GET", "/openapi.json")
    body = reply["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    row = body["oneOf"][1]["items"]
    assert status == 200 and set(row["properties"]) == {"age", "income", "city"}
    assert row["required"] == ["age", "city"], "income had missing values in training"
    assert "'Kyiv', 'Oslo', 'Rome'" in row["properties"]["city"]["description"]
    responses = reply["paths"]["/predict"]["post"]["responses"]
    properties = responses["200"]["content"]["application/json"]["schema"]["properties"]["predictions"]["items"][
        "properties"
    ]
    assert "422" in responses and properties["prediction"] == {"enum": ["no", "yes"]}
    assert properties["strange"]["items"] == {"enum": ["age", "income", "city"]} and "interval" not in properties


def test_health_readiness_and_counters(running: Running):
    assert running.ask("GET", "/health")[1]["status"] == "alive"
    assert running.ask("GET", "/ready") == (200, {"status": "ready", "model": "buys.learnable"})
    before = counted(running, "learnable_rows_total")
    running.predict([ROW] * 7)
    assert counted(running, "learnable_rows_total") - before == 7
    text = running.ask("GET", "/metrics")[1]
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"learnable_\w+(\{[^}]*\})? [\d.]+", line) for line in lines)
    assert counted(running, 'learnable_predict_seconds_bucket{le="+Inf"}') == counted(
        running, "learnable_predict_seconds_count"
    )


def counted(running: Running, name: str) -> float:
    text = running.ask("GET", "/metrics")[1]
    return next(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


def test_the_page_stands_by_itself(running: Running):
    status, page = running.ask("GET", "/")
    assert status == 200 and "to try &lt;things&gt; out" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page) and "@import" not in page
    labels, fields = re.findall(r'<label for="(\w+)"', page), re.findall(r'<(?:input|select) id="(\w+)"', page)
    assert labels == fields == ["c0", "c1", "c2", "varied"], "every field has its label"


def test_requests_at_the_same_time_share_calls_of_the_model(running: Running, model):
    tables = [features(customers(5, seed=seed)) for seed in range(24)]
    found: dict[int, list[str]] = {}

    def ask(place: int) -> None:
        reply = running.predict(tables[place].to_pylist())[1]
        found[place] = [row["prediction"] for row in reply["predictions"]]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(tables))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {place: model.predict(table).tolist() for place, table in enumerate(tables)}


def test_a_token_is_required(tmp_path):
    with service(saved(regressor(), tmp_path / "spends.learnable"), "--token", "open sesame") as running:
        assert running.predict([ROW])[0] == 401
        assert running.predict([ROW], Authorization="Bearer wrong")[0] == 401
        status, reply = running.predict([ROW], Authorization="Bearer open sesame")
        low, high = reply["predictions"][0]["interval"]
        assert status == 200 and low < reply["predictions"][0]["prediction"] < high
        assert running.ask("GET", "/")[0] == running.ask("GET", "/metrics")[0] == 401
        assert running.ask("GET", "/?token=open%20sesame")[0] == 200
        assert running.ask("GET", "/health")[0] == 200
        assert running.stop(signal.SIGINT) == 0


def test_others_need_a_token_that_is_made_up():
    from learnable.app.service.settings import ServiceSettings, chosen_token

    assert chosen_token("127.0.0.1", None) is None
    made = chosen_token("0.0.0.0", None)
    assert made is not None and len(made) >= 24 and made != chosen_token("0.0.0.0", None)
    assert ServiceSettings(host="0.0.0.0").hosts is None and ServiceSettings(host="example.org").hosts == {
        "example.org"
    }
    assert ServiceSettings(host="127.0.0.9").hosts == {"127.0.0.9", "127.0.0.1", "localhost", "[::1]"}
    assert ServiceSettings(host="::2").hosts == {"[::2]"}


def test_responses_do_not_wait_until_earlier_bytes_are_acknowledged():
    import asyncio
    import socket

    from learnable.app.service.server import _listening
    from learnable.app.service.settings import ServiceSettings

    async def waits() -> int:
        reply: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def came(reader, writer):
            reply.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = _listening(ServiceSettings(port=0))
        async with await asyncio.start_server(came, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            found = await reply
            writer.close()
        return found

    assert asyncio.run(waits()) != 0


def test_collections_of_garbage_leave_alone_what_was_made_before_the_start():
    async def started() -> None:
        config = uvicorn.Config(lambda scope: None, lifespan="off", log_level="warning")
        config.load()
        server = Server(config, lambda: frozen.append(gc.get_freeze_count()))
        server.lifespan = config.lifespan_class(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            await server.startup([listening])
            await server.shutdown([listening])

    frozen: list[int] = []
    try:
        asyncio.run(started())
    finally:
        gc.unfreeze()
    assert frozen[0] > 10_000


@pytest.mark.parametrize("made", [classifier, regressor])
def test_a_service_is_ready_only_after_it_has_predicted_a_row(made: Any) -> None:
    service, requested = Service(Predictor.of(made(), "model"), ServiceSettings()), []
    predict = service.batcher.predict
    service.batcher.predict = lambda frame: requested.append((frame.num_rows, service.ready)) or predict(frame)

    async def started() -> bool:
        async with service.lifespan(FastAPI()):
            return service.ready

    assert asyncio.run(started()) and requested == [(1, False)]
    assert service.metrics.rows == service.metrics.batches == 0, "there was no request yet"


def test_a_model_that_refuses_the_row_of_the_service_is_served_all_the_same() -> None:
    service = Service(Predictor.of(classifier(), "model"), ServiceSettings())

    def refused(frame: Any) -> Any:
        raise ValueError("not this one")

    service.batcher.predict = refused

    async def started() -> bool:
        async with service.lifespan(FastAPI()):
            return service.ready

    assert asyncio.run(started())
