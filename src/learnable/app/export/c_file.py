"""Export to C: features and a linear function, trees or a network in one file without dependencies."""

from __future__ import annotations

import ctypes
import shutil
import string
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ...core import Array, DataError
from ...tree._export_c import c_number
from .features import Feature, units
from .model_parts import Parts
from .network_c import network_in_c

CODE = """{trees}
/* predict(x, out): x has {columns:d} numbers, out gets {outputs:d}. NaN stands for a missing value, and the index of a
   category in its list for the category, -1 for one that is not listed. What the numbers mean is given below, in UTF-8
   (a NUL as the two bytes C0 80); lists end with a null pointer, which also stands for a number without categories. */
#include <math.h>

{meanings}
{helpers}
void predict(const double *x, double *out) {{
  double z[{width:d}];
{features}
{last}
}}
"""
HELPERS = {
    "feature_filled": """static double feature_filled(double x, double fill) { return isnan(x) ? fill : x; }
""",
    "looked_up": """\
/* values[x - first] for whole x up to first + count - 1, then what stands for others and for NaN. */
static double looked_up(double x, int first, int count, const double *values) {
  if (isnan(x)) return values[count + 1];
  return x >= first && x < first + count && x == floor(x) ? values[(int)x - first] : values[count];
}
""",
    "to_length_one": """/* Numbers divided by their common length, unless that is 0. */
static void to_length_one(double *z, int count) {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += z[k] * z[k];
  if (sum > 0) for (int k = 0; k < count; ++k) z[k] /= sqrt(sum);
}
""",
}  # that the features may need
LINEAR = """  static const double weights[] = {{{weights}}};
  static const double constants[] = {{{constants}}};
  for (int o = 0; o < {scores:d}; ++o) {{
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


def c_file(parts: Parts) -> str:
    """The model as a file of C with one function, predict."""
    from ...tree import export_c

    features = parts.features
    trees, last = "", "  sum_of_trees(z, out);"
    if parts.network is not None:
        trees, last = network_in_c(parts.network)
    elif parts.weights is None:
        trees = export_c(parts.last, name="sum_of_trees").replace("void sum_of_trees", "static void sum_of_trees")
    else:
        last = _linear(parts, len(features))
    lines = "\n".join(_lines(features))
    helpers = "\n".join(code for name, code in HELPERS.items() if f"{name}(" in lines)
    return CODE.format(
        trees=trees, columns=parts.inputs.width, outputs=parts.outputs, meanings=_meanings(parts),
        width=len(features), last=last, features=lines, helpers=helpers,
    )  # fmt: skip


def _linear(parts: Parts, width: int) -> str:
    assert parts.weights is not None and parts.intercept is not None
    scores = len(parts.weights)
    return LINEAR.format(
        weights=_listed(parts.weights.ravel()), constants=_listed(parts.intercept), scores=scores, width=width,
        link=LINKS[parts.link].format(scores=scores),
    )  # fmt: skip


def _lines(features: list[Feature]) -> list[str]:
    """The statements that compute the features and normalise groups of them to unit length."""
    lines = [f"  z[{index}] = {_expression(one)};" for index, one in enumerate(features)]
    return lines + [f"  to_length_one(z + {part.start}, {part.stop - part.start});" for part in units(features)]


def _expression(one: Feature) -> str:
    """The C expression of a feature."""
    found = one.lookup
    if found is not None:
        values = _listed(np.array([*found.values, found.other, found.missing]))
        return f"looked_up(x[{one.column:d}], {found.first:d}, {len(found.values)}, (const double[]){{{values}}})"
    entry = f"x[{one.column:d}]" if np.isnan(one.fill) else f"feature_filled(x[{one.column:d}], {c_number(one.fill)})"
    if one.shift == 0 and one.factor == 1:
        return entry
    return f"({entry} - {c_number(one.shift)}) * {c_number(one.factor)}"


def _meanings(parts: Parts) -> str:
    """The meanings of inputs and outputs. Only here text from data enters the file, as string literals."""
    inputs = parts.inputs.described()
    categories = [_strings(f"static const char *const categories_{one['place']:d}[]", one["categories"])
                  for one in inputs if "categories" in one]  # fmt: skip
    lists = [f"categories_{one['place']:d}" if "categories" in one else "0" for one in inputs]
    return "\n".join([
        *categories,
        _strings("const char *const predict_inputs[]", [one["means"] for one in inputs]),
        f"const char *const *const predict_categories[] = {{{', '.join(lists)}}};",
        f"const char *const predict_output = {c_string(parts.says)};",
        "",
    ])  # fmt: skip


def _strings(declared: str, texts: list[str]) -> str:
    """An array of strings that ends with a null pointer."""
    return "\n  ".join([f"{declared} = {{", *(f"{c_string(text)}," for text in texts), "0"]) + "\n};"


UNESCAPED = frozenset((string.ascii_letters + string.digits + string.punctuation + " ").encode()) - set(b'"\\?')


def c_string(text: str) -> str:
    r"""A string literal of C with a text in UTF-8; a NUL, which would end the string, is the two bytes C0 80.

    A question mark is escaped as well, since two of them begin a trigraph.

    >>> print(c_string('*/ "é\\'))
    "*/ \042\303\251\134"
    """
    encoded = text.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")
    return '"' + "".join(chr(byte) if byte in UNESCAPED else f"\\{byte:03o}" for byte in encoded) + '"'


def _listed(values: Array) -> str:
    return ", ".join(map(c_number, values.tolist()))


def run(code: str, rows: Array, outputs: int) -> Array:
    """The predictions of the compiled file."""
    compiler = next((found for found in map(shutil.which, ("cc", "gcc", "clang")) if found), None)
    if compiler is None:
        raise DataError("convert --to c: no C compiler (cc, gcc, clang) was found to check the file with")
    scores, numbers = np.empty((len(rows), outputs)), ctypes.POINTER(ctypes.c_double)
    rows = np.ascontiguousarray(rows)
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "model.c", Path(folder) / "model.so"
        source.write_text(code, encoding="utf-8")
        flags = ["-O1", "-std=c99", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True, capture_output=True)
        function = ctypes.CDLL(str(library)).predict
        for row, out in zip(rows, scores, strict=True):
            function(row.ctypes.data_as(numbers), out.ctypes.data_as(numbers))
    return scores
