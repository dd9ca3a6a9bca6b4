"""Plain values to JSON: numbers, text, lists, arrays, sparse matrices, estimators. Arrays go into tensors."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..declare import params, registry
from ..runtime.trace import Certificate, Trace
from ..sklearn_api.output_config import chosen

NUMBER_KINDS = {np.dtype(name).name for name in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")}
MAX_DEPTH = 40
TEXTS_IN_LOOKUP = 2  # levels of a file within one value of those that hold texts
MAX_VALUES = 400_000
FEW_TEXTS, FEW_LETTERS = 8, 200  # that need no tensor: the categories of a column, of which there may be very many
MAX_BITS = 128  # of a whole number; only seeds have more than 63


class Encoder:
    """Turns values into JSON, setting arrays aside in `tensors`; without `times`, the seconds of all traces are 0."""

    def __init__(self, times: bool = True) -> None:
        self.times = times
        self.tensors: dict[str, Any] = {}
        self.depth = self.values = 0

    def encode(self, value: Any, where: str) -> Any:
        """`value` as JSON; `where` names it in errors."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise ValueError(f"cannot save {where}: it has more than {MAX_VALUES} values; hold long lists as arrays")
        if self.depth >= MAX_DEPTH - TEXTS_IN_LOOKUP:
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
        if (kept := registry.value_name(type(value))) is not None:
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {"value": kept, "fields": {key: self.encode(fields[key], where) for key in fields}}
        raise TypeError(f"cannot save {where}: {_unsaved(value)}")

    def _array(self, value: np.ndarray[Any, Any], where: str) -> Any:
        if value.dtype.kind in "OU" and all(isinstance(item, str) for item in value.ravel().tolist()):
            few = value.dtype.kind == "O" and value.size <= FEW_TEXTS
            if not few or sum(map(len, value.ravel().tolist())) > FEW_LETTERS:
                return self._texts(value, where)
        if value.dtype.kind == "O" and all(is_plain(item) for item in value.ravel().tolist()):
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
        plain = model.clone() if getattr(model, "fitted_parts", "") in model.__dict__ else model  # what it holds fitted
        given = {key: self.encode(value, f"{name}.{key}") for key, value in plain.get_params(deep=False).items()}
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
    if type(value) is int and value.bit_length() > MAX_BITS:
        raise ValueError(f"cannot save {where}: whole numbers in a model file have at most {MAX_BITS} bits")
    return value


def is_plain(item: Any) -> bool:
    """Whether an entry of an array of objects is a number, a text, a flag or nothing."""
    return item is None or isinstance(item, (bool, str, int, float, np.generic))
