"""JSON to plain values, as they were encoded: every kind of value is checked while it is read."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import params, registry
from ..errors import ModelFileError
from ..runtime.trace import Certificate, Stopped, Trace
from ..sklearn_api.output_config import choose
from .encoding import MAX_BITS, MAX_DEPTH, MAX_VALUES, NUMBER_KINDS, is_plain

MAX_FIXED_WIDTH = 2**26  # characters in an array of equally wide texts
ROOMY = 2**22  # of these, how many need no reason
MAX_PADDING = 100  # characters of such an array for each that its texts have
TWICE = 2**20  # bytes of arrays that may be named more than once
MAX_LENGTH = 2**22  # of an axis of an array without entries, which costs a file nothing
MAX_COLUMNS = 2**31 - 1  # of a sparse matrix, and of a table
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError)
"""What Python raises when a description is not what it should be."""


def shaped(array: Any, shape: Any = None) -> Any:
    """An array in the shape that a file gives; one without entries has no very long axis, along which loops run."""
    array = array if shape is None else array.reshape(shape)
    if not array.size and max(array.shape) > MAX_LENGTH:
        raise ModelFileError(f"an array without entries has the shape {array.shape}")
    return array


def flaw_of_sparse(data: Any, indices: Any, starts: Any, length: Any, width: Any) -> str:
    """What keeps three arrays from being a matrix of compressed rows, or columns; empty if nothing does.

    `length` rows lie one after the other, each with indices below `width`. Compiled code follows them unchecked, and
    SciPy checks nothing where the last start is 0.
    """
    if any(getattr(part, "ndim", 0) != 1 for part in (data, indices, starts)):
        return "its entries, indices and starts must be lists of numbers"
    if any(part.dtype.name not in ("int32", "int64") for part in (indices, starts)) or data.dtype.kind not in "fiub":
        return "its indices and starts must be whole numbers of 4 or 8 bytes, its entries numbers"
    if any(type(size) is not int or not 0 <= size <= MAX_COLUMNS for size in (length, width)):
        return f"its shape must be two whole numbers of 0 to {MAX_COLUMNS}"
    if len(starts) != length + 1 or len(indices) != len(data):
        return "it must have a start for each row and one more, and an index for each entry"
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any() or starts[-1] > len(data):
        return "its starts must rise from 0 to its number of entries"
    used = indices[: starts[-1]]
    return "an index is outside its shape" if ((used < 0) | (used >= width)).any() else ""


class Decoder:
    """Turns JSON back into values; `build(name, params, state)` makes estimators."""

    def __init__(self, tensors: dict[str, Any], build: Callable[[Any, dict[str, Any], dict[str, Any]], Any]) -> None:
        self.tensors = tensors
        self.build = build
        self.depth = self.values = 0
        self.bytes_left = TWICE + 2 * sum(int(tensor.nbytes) for tensor in tensors.values())

    def decode(self, node: Any) -> Any:
        """The value that `node` describes."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise ModelFileError(f"the description has more than {MAX_VALUES} values")
        if type(node) is int and node.bit_length() > MAX_BITS:
            raise ModelFileError(f"a whole number has more than {MAX_BITS} bits")
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ModelFileError("the description is nested too deeply")
        try:
            if isinstance(node, list):
                return [self.decode(item) for item in node]
            kind = next(iter(node), None)
            if kind not in self._readers:
                raise ModelFileError(f"unknown kind of value {str(kind)[:40]!r}")
            return self._read(kind, node)
        finally:
            self.depth -= 1

    def _read(self, kind: Any, node: dict[str, Any]) -> Any:
        """The value of one kind; what Python says of a malformed one means nothing to a person."""
        try:
            return self._readers[kind](self, node)
        except ModelFileError:
            raise
        except MALFORMED:
            raise ModelFileError(f"the description is malformed: its {kind} is not what it should be") from None

    def _float(self, node: dict[str, Any]) -> float:
        return {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}[node["float"]]

    def _scalar(self, node: dict[str, Any]) -> Any:
        if node["scalar"] not in NUMBER_KINDS:
            raise ModelFileError(f"unknown number type {str(node['scalar'])[:20]!r}")
        return np.dtype(node["scalar"]).type(self.decode(node["value"]))

    def _dtype(self, node: dict[str, Any]) -> Any:
        if node["dtype"] not in NUMBER_KINDS:
            raise ModelFileError(f"unknown number type {str(node['dtype'])[:20]!r}")
        return np.dtype(node["dtype"]).type

    def _lookup(self, node: dict[str, Any]) -> dict[str, int]:
        texts, numbers = (self.decode(part) for part in node["lookup"])
        if numbers.dtype != np.int64 or texts.dtype != object or numbers.ndim != 1 or numbers.shape != texts.shape:
            raise ModelFileError("the texts of a lookup and their numbers do not fit")
        return dict(zip(texts.tolist(), numbers.tolist(), strict=True))

    def _tuple(self, node: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(self.decode(item) for item in node["tuple"])

    def _dict(self, node: dict[str, Any]) -> dict[Any, Any]:
        return {self.decode(key): self.decode(value) for key, value in node["dict"]}

    def _slice(self, node: dict[str, Any]) -> slice:
        ends = [self.decode(end) for end in node["slice"]]
        if len(ends) != 3 or not all(end is None or type(end) in (int, str) for end in ends):
            raise ModelFileError("a range of columns is malformed")
        return slice(*ends)

    def _objects(self, node: dict[str, Any]) -> Any:
        items = [self.decode(item) for item in node["objects"]]
        if not all(is_plain(item) for item in items):
            raise ModelFileError("an array of objects holds something that is not plain")
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return shaped(array, node["shape"])

    def _value(self, node: dict[str, Any]) -> Any:
        cls = registry.find_value(node["value"])
        if cls is None:
            raise ModelFileError(f"unknown kind of value {str(node['value'])[:40]!r}")
        fields = {key: self.decode(item) for key, item in node["fields"].items()}
        for key, item in fields.items():
            if key not in params.hints(cls) or not params.stored_test(params.hints(cls)[key])(item):
                raise ModelFileError(f"{cls.__name__} has no field {str(key)[:40]!r} of that type")
        value = cls(**fields)
        try:
            flaw = value.flaw() if hasattr(value, "flaw") else ""
        except MALFORMED:  # such as a single number in the place of an array
            flaw = "its parts do not fit together"
        if flaw:
            raise ModelFileError(f"{cls.__name__}: {flaw}")
        return value

    def _function(self, node: dict[str, Any]) -> Callable[..., Any]:
        call = registry.find_function(node["function"]) if isinstance(node["function"], str) else None
        if call is None:
            raise ModelFileError(f"unknown function {str(node['function'])[:40]!r}")
        return call

    def _array(self, node: dict[str, Any]) -> Any:
        value = shaped(self.tensors[node["array"]])
        self.bytes_left -= value.nbytes
        if self.bytes_left < 0:  # a short description would name a long array any number of times
            raise ModelFileError("the description names the same arrays too often")
        return value.T if node["transposed"] is True else value

    def _texts(self, node: dict[str, Any]) -> Any:
        content, lengths = (self.decode(part) for part in node["texts"])
        if (
            content.dtype != np.uint8
            or lengths.dtype != np.int64
            or (content.ndim, lengths.ndim) != (1, 1)
            or ((lengths < 0) | (lengths > content.size)).any()
            or lengths.sum() != content.size
        ):
            raise ModelFileError("the lengths of the texts do not fit")
        joined, ends = content.tobytes(), [0, *np.cumsum(lengths).tolist()]
        texts = [joined[i:j].decode("utf-8", "surrogatepass") for i, j in itertools.pairwise(ends)]
        width = max(map(len, texts), default=0)
        most = min(MAX_FIXED_WIDTH, max(ROOMY, MAX_PADDING * content.size))
        if node["object"] is not True and len(texts) * width > most:
            raise ModelFileError("the texts are too long for an array of fixed width")
        return shaped(np.array(texts, dtype=object if node["object"] is True else str), node["shape"])

    def _sparse(self, node: dict[str, Any]) -> Any:
        from scipy import sparse

        parts = tuple(self.decode(part) for part in node["parts"])
        rows, columns = (self.decode(length) for length in node["shape"])
        kind = {"csr": sparse.csr_array, "csc": sparse.csc_array}[node["sparse"]]
        length, width = (rows, columns) if node["sparse"] == "csr" else (columns, rows)
        data, indices, starts = parts
        if flaw := flaw_of_sparse(data, indices, starts, length, width):
            raise ModelFileError(f"a sparse matrix is broken: {flaw}")
        return kind(parts, shape=(rows, columns))

    def _trace(self, node: dict[str, Any]) -> Trace:
        columns, values = node["trace"]["columns"], self.decode(node["trace"]["values"])
        if (
            not all(isinstance(column, str) for column in columns)
            or values.ndim != 2
            or values.dtype != np.float64
            or values.shape[1] != len(columns)
            or (len(values) and not columns)
        ):
            raise ModelFileError("the trace is not a table")
        always = {"objective", "seconds"}
        if len(values) and not always <= {*columns}:
            raise ModelFileError(f"trace_ has rows without {min(always - {*columns})!r}")
        rows = [{c: v for c, v in zip(columns, row, strict=True) if v == v or c in always} for row in values.tolist()]
        if node["stopped"] not in typing.get_args(Stopped):
            raise ModelFileError("the trace has no valid reason for its end")
        return Trace(None, rows, node["stopped"])

    def _certificate(self, node: dict[str, Any]) -> Certificate:
        kind, value, tolerance, sentence = (self.decode(part) for part in node["certificate"])
        if not isinstance(kind, str) or not isinstance(sentence, str):
            raise ModelFileError("the certificate has no claim")
        return Certificate(kind, float(value), float(tolerance), sentence.rstrip("."))

    def _estimator(self, node: dict[str, Any]) -> Any:
        registry.find(str(node["estimator"]))  # brings the kinds of values that it may hold
        given, state = self._parts(node["params"]), self._parts(node["state"])
        model = self.build(node["estimator"], given, state)
        choose(model, node.get("choices", {}))
        return model

    def _parts(self, node: dict[str, Any]) -> dict[str, Any]:
        """Parameters, or what was learned; what is wrong with one begins with its name."""
        parts = {}
        for key, value in node.items():
            try:
                parts[key] = self.decode(value)
            except ModelFileError as error:
                raise ModelFileError(f"{key[:40]}: {error}") from None
        return parts

    _readers: dict[str, Callable[[Decoder, dict[str, Any]], Any]] = {
        "float": _float,
        "scalar": _scalar,
        "tuple": _tuple,
        "dict": _dict,
        "slice": _slice,
        "objects": _objects,
        "value": _value,
        "dtype": _dtype,
        "function": _function,
        "lookup": _lookup,
        "array": _array,
        "texts": _texts,
        "sparse": _sparse,
        "trace": _trace,
        "certificate": _certificate,
        "estimator": _estimator,
    }
