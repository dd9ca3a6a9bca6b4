"""Requests per second and slow requests of `learnable serve` beside a plain FastAPI + scikit-learn + joblib service.

`python -m benchmarks.service [--requests N] [--connections N]` starts both on free ports with the same data and the
same kind of model, loads them in turn with the same small client, and prints a table; --memory N asks ours N more times
and prints how its memory grew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROW = {"age": 41.0, "income": 37.5, "city": "Rome"}
BODY = json.dumps({"rows": [ROW]}).encode()
REQUEST = (
    b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
    + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
)  # fmt: skip
PLAIN = """
import sys, joblib, pandas, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
class Row(BaseModel):
    age: float
    income: float | None
    city: str
class Rows(BaseModel):
    rows: list[Row]
app, model = FastAPI(), joblib.load(sys.argv[1])
@app.post("/predict")
def predict(request: Rows):
    frame = pandas.DataFrame([row.model_dump() for row in request.rows])
    probabilities = model.predict_proba(frame)
    rows = [{"prediction": model.classes_[row.argmax()], "probabilities": row.tolist()} for row in probabilities]
    return {"predictions": rows}  # the key of our service
uvicorn.run(app, port=int(sys.argv[2]), log_level="warning")
"""


def main() -> None:
    """Measure both and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, default=0)
    requested = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = {"learnable serve": _ours(Path(folder)), "FastAPI + scikit-learn": _theirs(Path(folder))}
        try:
            _report(servers, requested)
        finally:
            for process, _ in servers.values():
                process.terminate()
                process.wait()


def _report(servers: dict[str, Any], requested: argparse.Namespace) -> None:
    for _, port in servers.values():
        asyncio.run(_load(port, 200, requested.connections))
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in servers}
    for _ in range(requested.rounds):
        for name, (_, port) in servers.items():
            found[name].append(asyncio.run(_load(port, requested.requests, requested.connections)))
    print(
        f"{requested.connections} connections, {requested.requests} requests of one row, "
        f"median of {requested.rounds} rounds"
    )
    for name, rounds in found.items():
        rate, middle, slow = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name:24} {rate:8.0f} requests/s   p50 {1000 * middle:7.1f} ms   p99 {1000 * slow:7.1f} ms")
    if requested.memory:
        process, port = servers["learnable serve"]
        before = _memory(process.pid)
        asyncio.run(_load(port, requested.memory, requested.connections))
        print(f"memory after {requested.memory} more requests: {before} MB -> {_memory(process.pid)} MB")


async def _load(port: int, requests: int, connections: int) -> tuple[float, float, float]:
    """Requests per second, and the times of the middle and of the slowest hundredth."""
    times: list[float] = []
    left = iter(range(requests))
    began = time.perf_counter()
    await asyncio.gather(*(_client(port, left, times) for _ in range(connections)))
    whole = time.perf_counter() - began
    ordered = sorted(times)
    return requests / whole, ordered[len(ordered) // 2], ordered[int(0.99 * len(ordered))]


async def _client(port: int, left: Any, times: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in left:
        began = time.perf_counter()
        writer.write(REQUEST)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        assert b" 200 " in head.split(b"\r\n")[0], head
        times.append(time.perf_counter() - began)
    writer.close()


def _table() -> tuple[Any, Any]:
    import numpy as np
    import pandas

    rng = np.random.default_rng(0)
    ages, incomes = rng.uniform(18, 80, 2000), rng.normal(40, 10, 2000)
    cities = rng.choice(["Oslo", "Rome", "Kyiv"], 2000)
    frame = pandas.DataFrame({"age": ages, "income": incomes, "city": cities})
    return frame, np.where(frame.age / 30 + (frame.city == "Rome") + rng.normal(size=2000) / 4 > 2, "yes", "no")


def _pipeline(library: Any) -> Any:
    numbers = library.make_pipeline(library.SimpleImputer(), library.StandardScaler())
    encoded = library.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = library.ColumnTransformer([("n", numbers, ["age", "income"]), ("c", encoded, ["city"])])
    return library.make_pipeline(columns, library.RandomForestClassifier(n_estimators=100, random_state=0, n_jobs=1))


def _ours(folder: Path) -> tuple[Any, int]:
    import numpy as np

    import learnable

    frame, y = _table()
    columns = [learnable.ExpectedColumn.of(name, frame[name].to_numpy()) for name in frame.columns]
    model = _pipeline(learnable).fit(frame, y)
    deployed = learnable.DeployedModel(model, "binary", "buys", columns, np.linspace(0, 0.8, 500), "yes")
    learnable.save(deployed, folder / "model.learnable")
    command = [sys.executable, "-m", "learnable", "serve", str(folder / "model.learnable"), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    return process, int(json.loads(process.stdout.readline())["url"].rstrip("/").rpartition(":")[2])


def _theirs(folder: Path) -> tuple[Any, int]:
    from types import SimpleNamespace

    import joblib
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    parts = (ColumnTransformer, RandomForestClassifier, SimpleImputer, make_pipeline, OneHotEncoder, StandardScaler)
    frame, y = _table()
    joblib.dump(_pipeline(SimpleNamespace(**{part.__name__: part for part in parts})).fit(frame, y), folder / "model")
    (folder / "plain.py").write_text(PLAIN)
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, str(folder / "plain.py"), str(folder / "model"), str(port)], stderr=subprocess.DEVNULL
    )
    for _ in range(600):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    return process, port


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _memory(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 // 2**20


if __name__ == "__main__":
    main()
