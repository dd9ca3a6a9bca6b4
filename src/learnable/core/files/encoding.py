"""Plain values to JSON and back: numbers, text, lists, arrays, sparse matrices, estimators. Arrays go into tensors."""

from __future__ import annotations

import dataclasses
import itertools
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import params, registry
from ..errors import ModelFileError
from ..runtime.trace import Certificate, Stopped, Trace
from ..sklearn_api.output_config import choose, chosen

NUMBER_KINDS = {np.dtype(name).name for name in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")}
MOST_DEPTH = 40
TEXTS_IN_LOOKUP = 2  # levels of a file within one value of those that hold texts
MOST_VALUES = 400_000
FEW_TEXTS, FEW_LETTERS = 8, 200  # that need no tensor: the categories of a column, of which there may be very many
MOST_BITS = 128  # of a whole number; only seeds have more than 63
MOST_FIXED_WIDTH = 2**26  # characters in an array of equally wide texts
ROOMY = 2**22  # of these, how many need no reason
MOST_PADDING = 100  # characters of such an array for each that its texts have
TWICE = 2**20  # bytes of arrays that may be named more than once
MOST_LENGTH = 2**22  # of an axis of an array without entries, which costs a file nothing
MOST_COLUMNS = 2**31 - 1  # of a sparse matrix, and of a table


class Encoder:
    """Turns values into JSON, setting arrays aside in `tensors`; without `times`, the seconds of all traces are 0."""

    def __init__(self, times: bool = True) -> None:
        self.times = times
        self.tensors: dict[str, Any] = {}
        self.depth = self.values = 0

    def encode(self, value: Any, where: str) -> Any:
        """`value` as JSON; `where` names it in errors."""
        self.values += 1
        if self.values > MOST_VALUES:
            raise ValueError(f"cannot save {where}: it has more than {MOST_VALUES} values; hold long lists as arrays")
        if self.depth >= MOST_DEPTH - TEXTS_IN_LOOKUP:
            raise ValueError(f"cannot save {where}: it is nested too deeply, in more than {self.depth} others")
        self.depth += 1
        try:
            return self._encoded(value, where)
        finally:
            self.depth -= 1

    def _encoded(self, value: Any, where: str) -> Any:
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return _short(value, where)
        if type(value) is float:
            return value if np.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return {"scalar": value.dtype.name, "value": self.encode(value.item(), where)}
        if isinstance(value, list):
            return [self.encode(item, where) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item, where) for item in value]}
        if isinstance(value, type) and issubclass(value, np.number):
            return {"dtype": np.dtype(value).name}
        if isinstance(value, dict):
            if all(type(key) is str and type(item) is int for key, item in value.items()):
                return self._lookup(value, where)
            return {"dict": [[self.encode(key, where), self.encode(item, where)] for key, item in value.items()]}
        if isinstance(value, slice):
            return {"slice": [self.encode(end, where) for end in (value.start, value.stop, value.step)]}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if isinstance(value, Trace):
            rows = value.rows if self.times else [{**row, "seconds": 0.0} for row in value.rows]
            return {"trace": self._table(rows, where), "stopped": value.stopped}
        if isinstance(value, Certificate):
            return {
                "certificate": [
                    value.kind,
                    self.encode(value.value, where),
                    self.encode(value.tolerance, where),
                    value.claim,
                ]
            }
        if hasattr(value, "asformat") and hasattr(value, "nnz"):
            return self._sparse(value, where)
        if registry.find(type(value).__name__) is type(value):
            return self._estimator(value)
        name = getattr(value, "__name__", "")
        if name and registry.find_function(name) is value:
            return {"function": name}
        if registry.find_value(type(value).__name__) is type(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {"value": type(value).__name__, "fields": {key: self.encode(fields[key], where) for key in fields}}
        raise TypeError(f"cannot save {where}: {_unsaved(value)}")

    def _array(self, value: np.ndarray[Any, Any], where: str) -> Any:
        if value.dtype.kind in "OU" and all(isinstance(item, str) for item in value.ravel().tolist()):
            few = value.dtype.kind == "O" and value.size <= FEW_TEXTS
            if not few or sum(map(len, value.ravel().tolist())) > FEW_LETTERS:
                return self._texts(value, where)
        if value.dtype.kind == "O" and all(_is_plain(item) for item in value.ravel().tolist()):
            return {"objects": [self.encode(item, where) for item in value.ravel().tolist()], "shape": [*value.shape]}
        if value.dtype.name not in NUMBER_KINDS:
            raise TypeError(f"cannot save {where}: an array of {value.dtype} is not plain data")
        key = f"t{len(self.tensors)}"
        fortran = value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
        plain = np.asarray(value.T if fortran else value, dtype=value.dtype.newbyteorder("="), order="C")
        self.tensors[key] = plain.view(np.ndarray)
        return {"array": key, "transposed": fortran}

    def _texts(self, value: np.ndarray[Any, Any], where: str) -> Any:
        """Texts as one tensor of UTF-8 bytes and one of lengths, so that the description stays small."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in value.ravel().tolist()]
        parts = (
            np.frombuffer(b"".join(encoded), dtype=np.uint8),
            np.array([len(text) for text in encoded], dtype=np.int64),
        )
        return {
            "texts": [self._array(part, where) for part in parts],
            "shape": list(value.shape),
            "object": value.dtype.kind == "O",
        }

    def _lookup(self, value: dict[str, int], where: str) -> Any:
        """Texts with their numbers, such as a vocabulary: two tensors, however many there are."""
        return {
            "lookup": [
                self._texts(np.array([*value, ""], dtype=object)[:-1], where),
                self._array(np.array(list(value.values()), dtype=np.int64), where),
            ]
        }

    def _sparse(self, value: Any, where: str) -> Any:
        matrix = value if value.format in ("csr", "csc") else value.tocsr()
        return {
            "sparse": matrix.format,
            "shape": list(matrix.shape),
            "parts": [self._array(part, where) for part in (matrix.data, matrix.indices, matrix.indptr)],
        }

    def _table(self, rows: list[dict[str, float]], where: str) -> Any:
        columns = sorted({column for row in rows for column in row})
        values = np.array([[row.get(column, np.nan) for column in columns] for row in rows], dtype=np.float64)
        return {"columns": columns, "values": self._array(values.reshape(len(rows), len(columns)), where)}

    def _estimator(self, model: Any) -> Any:
        name = type(model).__name__
        given = {key: self.encode(value, f"{name}.{key}") for key, value in model.get_params(deep=False).items()}
        kept = [*params.learned_shapes(type(model)), *params.COMMON_STATE]
        state = {key: self.encode(model.__dict__[key], f"{name}.{key}") for key in kept if key in model.__dict__}
        choices = chosen(model)
        return {"estimator": name, "params": given, "state": state, **({"choices": choices} if choices else {})}


def _unsaved(value: Any) -> str:
    """Why a file cannot hold a value, and the remedy."""
    if callable(value) and not isinstance(value, type):
        name = getattr(value, "__name__", type(value).__name__)
        return (
            f"{name} is code from elsewhere, and a model file holds data, never code; use a function of this library, "
            "such as a metric, or save a fitted part that has none, such as best_estimator_"
        )
    return (
        f"it is a {type(value).__name__}, and a model file holds data only; use a number, text, an array or an "
        "estimator of this library, or save a fitted part that has none of it, such as best_estimator_"
    )


def _short(value: Any, where: str) -> Any:
    """The value itself; a whole number only if a file may hold it."""
    if type(value) is int and value.bit_length() > MOST_BITS:
        raise ValueError(f"cannot save {where}: whole numbers in a model file have at most {MOST_BITS} bits")
    return value


def _is_plain(item: Any) -> bool:
    """Whether an entry of an array of objects is a number, a text, a flag or nothing."""
    return item is None or isinstance(item, (bool, str, int, float, np.generic))


def shaped(array: Any, shape: Any = None) -> Any:
    """An array in the shape that a file gives; one without entries has no very long axis, along which loops run."""
    array = array if shape is None else array.reshape(shape)
    if not array.size and max(array.shape) > MOST_LENGTH:
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
    if any(type(size) is not int or not 0 <= size <= MOST_COLUMNS for size in (length, width)):
        return f"its shape must be two whole numbers of 0 to {MOST_COLUMNS}"
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
        if self.values > MOST_VALUES:
            raise ModelFileError(f"the description has more than {MOST_VALUES} values")
        if type(node) is int and node.bit_length() > MOST_BITS:
            raise ModelFileError(f"a whole number has more than {MOST_BITS} bits")
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise ModelFileError("the description is nested too deeply")
        try:
            if isinstance(node, list):
                return [self.decode(item) for item in node]
            kind = next(iter(node), None)
            if kind not in self._readers:
                raise ModelFileError(f"unknown kind of value {str(kind)[:40]!r}")
            return self._readers[kind](self, node)
        finally:
            self.depth -= 1

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
        if not all(_is_plain(item) for item in items):
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
            if key not in params.hints(cls) or not params.kind_test(params.hints(cls)[key])(item):
                raise ModelFileError(f"{cls.__name__} has no field {str(key)[:40]!r} of that type")
        value = cls(**fields)
        flaw = value.flaw() if hasattr(value, "flaw") else ""
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
        most = min(MOST_FIXED_WIDTH, max(ROOMY, MOST_PADDING * content.size))
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
            raise ModelFileError("the certificate has no words")
        return Certificate(kind, float(value), float(tolerance), sentence.rstrip("."))

    def _estimator(self, node: dict[str, Any]) -> Any:
        registry.find(str(node["estimator"]))  # brings the kinds of values that it may hold
        given = {key: self.decode(value) for key, value in node["params"].items()}
        state = {key: self.decode(value) for key, value in node["state"].items()}
        model = self.build(node["estimator"], given, state)
        choose(model, node.get("choices", {}))
        return model

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
