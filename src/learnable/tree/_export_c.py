"""Export of tree models as C source."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from os import PathLike
from pathlib import Path

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import FittedModel, Rows, checked
from ..engines.trees.additive_trees import TreeSum
from ._additive_model import tree_sum_of, uses_float32

CODE = """/* Sums of {trees} trees. {name}(x, out): x has {columns} numbers (NaN where missing), out gets {outputs}. */
#include <math.h>
static const int start[] = {{{start}}};
static const int left[] = {{{left}}};
static const int right[] = {{{right}}};
static const int feature[] = {{{feature}}};
static const double threshold[] = {{{threshold}}};
static const unsigned char missing_left[] = {{{missing_left}}};
static const int set_start[] = {{{set_start}}};
static const unsigned long long set_words[] = {{{set_words}}};
static const double value[] = {{{value}}};
static const int output[] = {{{output}}};
static const double base[] = {{{base}}};

static int goes_left(int k, double v) {{
  if (isnan(v)) return missing_left[k];
  if (set_start[k + 1] == set_start[k]) return v <= threshold[k];
  if (!(v >= 0) || v >= 64.0 * (set_start[k + 1] - set_start[k])) return 0;
  return set_words[set_start[k] + (int)v / 64] >> ((int)v % 64) & 1;
}}

void {name}(const double *x, double *out) {{
  for (int o = 0; o < {outputs}; ++o) out[o] = 0;
  for (int t = 0; t < {trees}; ++t) {{
    int node = 0;
    const int first = start[t];
    while (left[first + node] >= 0)
      node = goes_left(first + node, {entry}) ? left[first + node] : right[first + node];
    for (int w = 0; w < {width}; ++w) out[{width} == 1 ? output[t] : w] += value[(first + node) * {width} + w];
  }}
  for (int o = 0; o < {outputs}; ++o) out[o] = base[o] + {scale} * out[o];
}}
"""

RESERVED = frozenset(
    ("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
     "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
     "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
     "base", "feature", "goes_left", "isnan", "left", "main", "missing_left", "output", "right", "set_start",
     "set_words", "start", "threshold", "value")
)  # fmt: skip   # keywords of C, and names used in the file


@checked()
def export_c(
    model: FittedModel, X: Rows | None = None, *, path: str | PathLike[str] | None = None, name: str = "predict"
) -> str:
    """Export a tree, forest or boosted model as a C file without dependencies; also written to `path`, if given.

    out = base + scale sum_t leaf_t(x)

    in double precision: values of a regression, class probabilities of a forest, scores of boosting. Rows have NaN for
    missing values and the indices of the sorted categories. With rows `X` the file is compiled and its predictions are
    compared with those of the model, bit by bit, before it is returned.

    >>> from learnable import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 3.0])
    >>> export_c(model).splitlines()[0]
    '/* Sums of 1 trees. predict(x, out): x has 1 numbers (NaN where missing), out gets 1. */'
    """
    sums = tree_sum_of(model, "export_c")
    if not (name.isidentifier() and name.isascii()) or name in RESERVED:
        raise DataError(f"export_c: name must be a valid C identifier that is not reserved; got {name!r}")
    code = _source(sums, int(model.n_features_in_), name, uses_float32(model))
    if X is not None:
        rows = model._tree_rows(model._read(X))
        _compare(code, name, np.ascontiguousarray(rows, dtype=np.float64), sums.predict(rows))
    if path is not None:
        Path(path).write_text(code, encoding="utf-8")
    return code


def _source(sums: TreeSum, columns: int, name: str, single: bool) -> str:
    stack = sums.stack
    entry = "x[feature[first + node]]"
    words = stack.set_words if len(stack.set_words) else np.zeros(1, dtype=np.uint64)
    return CODE.format(
        name=name, columns=columns, trees=len(stack), outputs=int(sums.outputs), width=stack.value.shape[1],
        entry=f"(double)(float){entry}" if single else entry, scale=c_number(sums.scale),
        start=_array_literal(stack.start[:-1]), left=_array_literal(stack.left), right=_array_literal(stack.right),
        feature=_array_literal(stack.feature), threshold=_array_literal(stack.threshold),
        missing_left=_array_literal(stack.missing_left),
        set_start=_array_literal(stack.set_start), set_words=", ".join(f"{int(word)}ull" for word in words),
        value=_array_literal(stack.value.ravel()), output=_array_literal(stack.output),
        base=_array_literal(np.resize(sums.base, sums.outputs)),
    )  # fmt: skip


def _array_literal(values: Array) -> str:
    if values.dtype.kind == "f":
        return ", ".join(c_number(value) for value in values.tolist())
    return ", ".join(str(int(value)) for value in values.tolist())


def c_number(value: float) -> str:
    """A floating-point literal that C reads as the same bits."""
    value = float(value)
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return "NAN" if np.isnan(value) else value.hex()


def _compare(code: str, name: str, rows: Array, expected: Array) -> None:
    """Compile the code and refuse it if a prediction differs."""
    compiler = next((found for found in map(shutil.which, ("cc", "gcc", "clang")) if found), None)
    if compiler is None:
        raise DataError("export_c: no C compiler (cc, gcc, clang) was found to check the file; leave X out")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "trees.c", Path(folder) / "trees.so"
        source.write_text(code, encoding="utf-8")
        flags = ["-O1", "-std=c99", "-ffp-contract=off", "-shared", "-fPIC"]
        done = subprocess.run([compiler, *flags, str(source), "-o", str(library)], capture_output=True, text=True)
        if done.returncode:
            raise DataError(
                f"export_c: {compiler} cannot compile the file; is the name {name!r} in use?\n{done.stderr:.400}"
            )
        function = ctypes.CDLL(str(library))[name]
        found, doubles = np.empty_like(expected), ctypes.POINTER(ctypes.c_double)
        for row, prediction in zip(rows, found, strict=True):
            function(row.ctypes.data_as(doubles), prediction.ctypes.data_as(doubles))
    if not np.array_equal(found, expected):
        worst = float(np.abs(found - expected).max())
        raise DataError(f"export_c: the predictions of the compiled file and the model differ by {worst:.3g}")
