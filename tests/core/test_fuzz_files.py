"""A hundred thousand damaged files: each loads, or is a `ModelFileError`; nothing crashes, hangs or fills the memory.

A file that still loads must also predict: with numbers, or with an error that Python can catch.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import random
import resource
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import Array, Data, Matrix, ModelFileError, Regressor, Trace, estimator, learned, param
from learnable.core.files import model_file as files
from tests.timing import Clock, shortest
from tests.toys import ToyDescent, ToyOuter

X = np.random.default_rng(0).standard_normal((20, 3))
Y = X @ [1.0, 2.0, 3.0]
TOO_LONG = 3.0  # seconds for one file
ROOM = 96 * 2**20  # bytes beyond twice the file


@estimator
class Everything(Regressor):
    """Learns a value of every kind that a file can hold."""

    numbers: Any = param(None, "any numbers")
    coef_: Array = learned("weights", shape="features")
    table_: Array = learned("a table", shape="features levels")
    matrix_: Any = learned("a sparse matrix")
    words_: Array = learned("texts", shape="classes")
    facts_: dict[str, Any] = learned("facts by name")
    inner_: Any = learned("another model")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.coef_, self.table_ = np.ones(data.p), np.asfortranarray(np.ones((data.p, 4)))
        self.matrix_ = sparse.csc_array(np.eye(data.p))
        self.words_ = np.array(["a", "bc", "ü"])
        self.facts_ = {"mean": 1.5, "n": 20, "pair": (1, float("inf")), "values": np.arange(3), "one": np.float32(2)}
        self.inner_ = ToyDescent().fit(data.X, data.y)
        trace.record(1.0)
        trace.certify("none", 0.0, 0.0, "there is nothing to prove")

    def _predict(self, X: Matrix) -> Array:
        return X @ self.coef_ + (X @ self.table_).sum(axis=1) + (X @ self.matrix_).sum(axis=1) + self.inner_.predict(X)


def models() -> list[Any]:
    import pandas

    named = pandas.DataFrame(X, columns=["a", "b", "c"])
    return [
        Everything(numbers=[0.5, (1, None)]).fit(named, Y),
        ToyOuter(inner=ToyDescent()).fit(X, Y),
        learnable.Ridge(alpha=np.array(2.0)).fit(X, np.column_stack([Y, -Y])),
        deployed(),
    ]


def deployed() -> learnable.DeployedModel:
    """A model with what it expects, as a study leaves it."""
    columns = [learnable.ExpectedColumn.of(name, column) for name, column in zip("abc", X.T, strict=True)]
    steps = learnable.make_pipeline(learnable.StandardScaler(), learnable.DecisionTreeRegressor(max_depth=2))
    return learnable.DeployedModel(steps.fit(X, Y), "regression", "y", columns, np.abs(Y), card={"rows": [20, None]})


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("originals")
    payloads = []
    for model in models():
        learnable.save(model, folder / "model")
        payloads.append((folder / "model").read_bytes())
    return payloads


def attempt(path, payload: bytes) -> bool:
    """Whether the file loads; anything but a model or a `ModelFileError`, in good time, fails the test."""
    with path.open("r+b" if path.exists() else "wb") as file:  # a new file each time would take most of the time
        file.write(payload)
        file.truncate()
    began = time.process_time()
    try:
        model = learnable.load(path)
    except ModelFileError:
        return False
    finally:
        assert time.process_time() - began < TOO_LONG + len(payload) / 2e7, f"slow: {payload[:200]!r}"
    bad_numbers = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
    with np.errstate(all="ignore"), contextlib.suppress(*bad_numbers):
        model.predict(X)
    return True


def flipped(payload: bytes, rng: random.Random) -> bytes:
    """A few bits turned."""
    changed = bytearray(payload)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(payload: bytes, rng: random.Random) -> bytes:
    """A part missing, doubled or moved."""
    i, j = sorted(rng.randrange(len(payload) + 1) for _ in range(2))
    return rng.choice([payload[:i], payload[j:], payload[:i] + payload[j:], payload[:j] + payload[i:]])


def stretched(payload: bytes, rng: random.Random) -> bytes:
    """Another length of the header."""
    length = rng.choice(
        [0, 1, 7, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1, len(payload), len(payload) - 8, rng.randrange(2**20)]
    )
    return struct.pack("<Q", length) + payload[8:]


def header_of(payload: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(payload[:8], "little")
    return json.loads(payload[8 : 8 + length]), payload[8 + length :]


def assembled(header: Any, body: bytes) -> bytes:
    """A file of the parts, with a checksum that fits if it has one: what follows the check must stand by itself."""
    if isinstance(header, dict) and "checksum" in header.get("__metadata__", ()):
        header["__metadata__"]["checksum"] = files.BLANK
    text = json.dumps(header).encode()
    payload = struct.pack("<Q", len(text)) + text + body
    return files.sealed(payload) if files.BLANK.encode() in payload else payload


UNUSUAL_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 4, 2**31, 2**63, 2**64, 10**400, -(10**30), 0.5, 1e308,
    "", "x", "t0", "t99", "nan", [], {}, [0], [[]], {"unknown": 1}, {"": {}},
    {"array": "t0", "transposed": True}, {"array": "t1", "transposed": "x"}, {"float": "nan"}, {"float": "x"},
    {"dict": [[[], 1]]}, {"dict": [1]}, {"tuple": 3}, {"scalar": "float64", "value": "x"},
    {"scalar": "object", "value": 1}, {"scalar": "int8", "value": 1000},
    {"estimator": "Ridge", "params": {}, "state": {}}, {"estimator": "ToyOuter", "params": {"inner": 3}, "state": {}},
    {"texts": [{"array": "t0", "transposed": False}] * 2, "shape": [3], "object": True},
    {"sparse": "csr", "shape": [10**12, 10**12], "parts": []},
    {"trace": {}, "stopped": ""}, {"certificate": [1, 2, 3, 4]},
]  # fmt: skip


def positions(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key inside a description."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(entries):
        yield node, key
        yield from positions(value)


def edited(node: Any, rng: random.Random) -> Any:
    """A description with some values replaced, removed, swapped or renamed."""
    node = copy.deepcopy(node)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        found = list(positions(node))
        owner, key = rng.choice(found)
        other, other_key = rng.choice(found)
        action = rng.randrange(4)
        if action == 0:
            owner[key] = copy.deepcopy(rng.choice(UNUSUAL_VALUES))
        elif action == 1:
            del owner[key]
        elif action == 2:
            owner[key] = copy.deepcopy(other[other_key])
        elif isinstance(owner, dict):
            owner[rng.choice(["", "array", "__class__", "coef_", "state", "tuple", "x"])] = owner.pop(key)
    return node


def with_new_description(payload: bytes, rng: random.Random) -> bytes:
    """The description edited; the arrays as they were."""
    header, body = header_of(payload)
    description = json.loads(header["__metadata__"]["learnable"])
    header["__metadata__"]["learnable"] = json.dumps(edited(description, rng))
    return assembled(header, body)


def with_new_index(payload: bytes, rng: random.Random) -> bytes:
    """The table of arrays edited: names, types, shapes, offsets."""
    header, body = header_of(payload)
    metadata = header.pop("__metadata__")
    header = edited(header, rng)
    if rng.random() < 0.3:
        for entry in header.values():
            if isinstance(entry, dict) and rng.random() < 0.3:
                entry["dtype"] = rng.choice(["F64", "F32", "I64", "U8", "BOOL", "BF16", "F16", "F8_E4M3", "C64", "X"])
                entry["shape"] = rng.choice([[3], [1, 3], [3, 1], [0], [2**40], [2**32, 2**32], [-1], [], [1.5], "3"])
    return assembled({"__metadata__": metadata, **header}, body)


MUTATIONS: dict[str, tuple[Callable[[bytes, random.Random], bytes], int]] = {
    "bits": (flipped, 45_000),
    "parts": (cut, 25_000),
    "length": (stretched, 4_000),
    "description": (with_new_description, 14_000),
    "index": (with_new_index, 12_000),
}


TIMES = float(os.environ.get("LEARNABLE_FUZZ", "0.2"))  # of 100,000; `make test-all` and `make fuzz` try more
SEED = os.environ.get("LEARNABLE_FUZZ_SEED", "")


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.filterwarnings("ignore")  # numbers that were damaged may overflow
def test_damaged_files(originals, tmp_path, mutation):
    mutate, count = MUTATIONS[mutation]
    rng, before = random.Random(mutation + SEED), peak()
    damaged = (mutate(rng.choice(originals), rng) for _ in range(round(count * TIMES)))
    loaded = [attempt(tmp_path / "model", payload) for payload in damaged if payload not in originals]
    assert not all(loaded), "nothing was damaged"
    assert any(loaded) == (mutation in ("description", "index")), "the checksum sees all other damage, and only that"
    assert peak() - before < ROOM + 2 * max(map(len, originals))


def peak() -> int:
    """The most memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def with_description(text: str) -> bytes:
    return assembled({"__metadata__": {"learnable": text}}, b"")


def given_to_a_model(value: str) -> bytes:
    model = '{"estimator": "Everything", "params": {"numbers": ' + value + '}, "state": {}}'
    return with_description('{"format": 1, "model": ' + model + "}")


def many_tensors(count: int) -> bytes:
    header: dict[str, Any] = {f"t{i}": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for i in range(count)}
    return assembled({"__metadata__": {"learnable": json.dumps({"format": 1, "model": None})}, **header}, b"")


def spelt_otherwise(payload: bytes) -> bytes:
    """The same file of a header alone, with names in its JSON that no search for their letters finds."""
    text = payload[8:].replace(b'"data_offsets"', rb'"\u0064ata_offsets"')
    return struct.pack("<Q", len(text)) + text


HOSTILE: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "seven bytes": lambda: b"\0" * 7,
    "zeros": lambda: b"\0" * 10_000,
    "noise": lambda: random.Random(0).randbytes(100_000),
    "a pickle": lambda: b"\x80\x04\x95" + b"\0" * 100,
    "a zip": lambda: b"PK\x03\x04" + b"\0" * 100,
    "deep lists": lambda: with_description('{"format": 1, "model": ' + "[" * 200_000 + "]" * 200_000 + "}"),
    "deep header": lambda: struct.pack("<Q", 400_000) + b"[" * 200_000 + b"]" * 200_000,
    "deep models": lambda: with_description(
        '{"format": 1, "model": '
        + '{"estimator": "ToyOuter", "params": {"inner": ' * 500
        + "null"
        + '}, "state": {}}' * 500
        + "}"
    ),
    "many lists": lambda: given_to_a_model("[" + "[]," * 1_000_000 + "0]"),
    "many numbers": lambda: given_to_a_model("[" + "0," * 1_500_000 + "0]"),
    "a list": lambda: with_description('{"format": 1, "model": []}'),
    "a text": lambda: with_description('{"format": 1, "model": "Ridge"}'),
    "a long number": lambda: with_description('{"format": 1, "model": ' + "9" * 3_000_000 + "}"),
    "a long format": lambda: with_description('{"format": ' + "9" * 4000 + "}"),
    "a header of 40 MB": lambda: assembled({"__metadata__": {"learnable": "x" * 40_000_000}}, b""),
    "100000 arrays": lambda: many_tensors(100_000),
    "30000 arrays spelt otherwise": lambda: spelt_otherwise(many_tensors(30_000)),
    "wide texts": lambda: wide_texts(),
    "a wide sparse matrix": lambda: wide_sparse(),
    "not a dict": lambda: with_description("[]"),
    "not text": lambda: with_description("\ud800"),
    "twice the same name": lambda: with_description('{"format": 1, "format": 1, "model": {"x": 1, "x": 2}}'),
}


def wide_texts() -> bytes:
    """A fixed width of 2 MB for each of 100000 texts, from a file of 3 MB."""
    lengths = np.zeros(100_000, dtype=np.int64)
    lengths[0] = 2_000_000
    model = {"texts": [array("t0"), array("t1")], "shape": [100_000], "object": False}
    return packed({"t0": np.full(2_000_000, 65, np.uint8), "t1": lengths}, given(model))


def wide_sparse() -> bytes:
    """A matrix of a billion billion columns in a file of a few bytes."""
    parts = {"t0": np.ones(1), "t1": np.zeros(1, dtype=np.int64), "t2": np.array([0, 1])}
    matrix = {"sparse": "csc", "shape": [1, 10**18], "parts": [array("t0"), array("t1"), array("t2")]}
    return packed(parts, given(matrix))


def given(value: Any) -> Any:
    return {"estimator": "Everything", "params": {"numbers": value}, "state": {}}


def array(key: str) -> dict[str, Any]:
    return {"array": key, "transposed": False}


def packed(tensors: dict[str, Any], model: Any) -> bytes:
    from safetensors.numpy import save

    return save(tensors, metadata={"learnable": json.dumps({"format": 1, "model": model})})


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files(tmp_path, kind):
    payload = HOSTILE[kind]()
    (tmp_path / "model").write_bytes(payload)
    before, limit = peak(), TOO_LONG + len(payload) / 2e7
    assert shortest(lambda: seconds_until_refused(tmp_path / "model"), limit) <= limit
    assert peak() - before < ROOM + 2 * len(payload)


def seconds_until_refused(path) -> float:
    clock = Clock()
    with pytest.raises(ModelFileError) as caught:
        learnable.load(path)
    assert len(str(caught.value)) < 1000
    return clock.seconds()


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_the_originals_load(originals, tmp_path):
    assert all(attempt(tmp_path / "model", payload) for payload in originals)
    assert all(len(payload) < files.MAX_HEADER_BYTES for payload in originals)
