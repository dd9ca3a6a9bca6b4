"""Features and a linear function or trees as one file of C without any dependency."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ...core import Array, DataError
from .parts import Parts

CODE = """{trees}
/* {name}(x, out): x has {columns} numbers (NaN where missing), out gets {outputs}: {says}.
{notes} */
#include <math.h>

static double feature_filled(double x, double fill) {{ return isnan(x) ? fill : x; }}

void predict(const double *x, double *out) {{
  double z[{width}];
{features}
{last}
}}
"""
LINEAR = """  static const double weights[] = {{{weights}}};
  static const double constants[] = {{{constants}}};
  for (int o = 0; o < {scores}; ++o) {{
    out[o] = constants[o];
    for (int k = 0; k < {width}; ++k) out[o] += weights[o * {width} + k] * z[k];
  }}
{link}"""
LINKS = {
    "none": "",
    "logistic": "  out[1] = 1 / (1 + exp(-out[0]));\n  out[0] = 1 - out[1];",
    "softmax": """  double most = out[0], sum = 0;
  for (int o = 1; o < {scores}; ++o) if (out[o] > most) most = out[o];
  for (int o = 0; o < {scores}; ++o) sum += out[o] = exp(out[o] - most);
  for (int o = 0; o < {scores}; ++o) out[o] /= sum;""",
}


def c_file(parts: Parts, names: list[str]) -> str:
    """The model as a file of C with one function, predict."""
    from ...tree import export_c

    features = parts.features.features
    trees, last = "", "  sum_of_trees(z, out);"
    if parts.weights is None:
        trees = export_c(parts.last, name="sum_of_trees").replace("void sum_of_trees", "static void sum_of_trees")
    else:
        last = _linear(parts, len(features))
    return CODE.format(
        trees=trees, name="predict", columns=len(names), outputs=parts.outputs, says=_safe(parts.says),
        notes=_notes(parts, names), width=len(features), last=last,
        features="\n".join(f"  z[{place}] = {_written(one)};" for place, one in enumerate(features)),
    )  # fmt: skip


def _linear(parts: Parts, width: int) -> str:
    assert parts.weights is not None and parts.constant is not None
    scores = len(parts.weights)
    return LINEAR.format(
        weights=_listed(parts.weights.ravel()), constants=_listed(parts.constant), scores=scores, width=width,
        link=LINKS[parts.link].format(scores=scores),
    )  # fmt: skip


def _written(one: object) -> str:
    """A feature as C computes it."""
    from .features import Feature

    assert isinstance(one, Feature)
    if one.place is not None:
        return f"x[{one.column}] == {one.place}"
    entry = f"x[{one.column}]" if np.isnan(one.fill) else f"feature_filled(x[{one.column}], {one.fill.hex()})"
    if one.shift == 0 and one.factor == 1:
        return entry
    return f"({entry} - {one.shift.hex()}) * {one.factor.hex()}"


def _notes(parts: Parts, names: list[str]) -> str:
    """Which column is which, and the places of categories."""
    lines = []
    for place, name in enumerate(names):
        levels = [f"{number} = {level}" for number, level in enumerate(parts.features.levels.get(place, []))]
        lines.append(_safe(f"   x[{place}]: {name}" + (f" ({', '.join(levels)})" if levels else "")))
    return "\n".join(lines)


def _safe(text: str) -> str:
    """A text that cannot end a comment."""
    return text.replace("*/", "* /").replace("\n", " ").replace("\r", " ").replace("\\", "/")


def _listed(values: Array) -> str:
    return ", ".join(float(value).hex() for value in values.tolist())


def run(code: str, rows: Array, outputs: int) -> Array:
    """What the compiled file answers."""
    compiler = next((found for found in map(shutil.which, ("cc", "gcc", "clang")) if found), None)
    if compiler is None:
        raise DataError("convert --to c: there is no C compiler (cc, gcc, clang) to check the file with")
    told, numbers = np.empty((len(rows), outputs)), ctypes.POINTER(ctypes.c_double)
    rows = np.ascontiguousarray(rows)
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "model.c", Path(folder) / "model.so"
        source.write_text(code, encoding="utf-8")
        flags = ["-O1", "-std=c99", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True, capture_output=True)
        function = ctypes.CDLL(str(library)).predict
        for row, answer in zip(rows, told, strict=True):
            function(row.ctypes.data_as(numbers), answer.ctypes.data_as(numbers))
    return told
