"""Export to SQL: a query that scores the rows of a table inside a database."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...datasets._reading.delimited_text import MISSING
from ...tree._additive_model import uses_float32
from ..predict.predictor import Predictor
from .features import Feature, units
from .model_parts import Parts

STEEP = 700.0  # exponents beyond it overflow
MAX_FEATURES = 1900  # SQLite allows 2000 columns
FLAG = "CASE {text} WHEN 'true' THEN 1.0e+00 WHEN 'false' THEN 0.0e+00 ELSE CAST({text} AS DOUBLE PRECISION) END"
"""A number between 0 and 1, or a truth value, which PostgreSQL does not cast to a number."""
FLAGS = {"True", "False"}
CATEGORY_OF_FLAG = (
    "CASE LOWER({text}) WHEN 'true' THEN 'True' WHEN '1' THEN 'True' WHEN 'false' THEN 'False' WHEN '0' THEN 'False' "
    "ELSE {text} END"
)
TERMS = 32  # of a sum without parentheses: databases limit how deep an expression may be
QUERY = """WITH numbers AS (
SELECT {keys}
{entries}
FROM {table} AS data
), features AS MATERIALIZED (
SELECT {passed}
{features}
FROM numbers
), scores AS MATERIALIZED (
SELECT {passed}
{scores}
FROM features
), outputs AS MATERIALIZED (
SELECT {passed}
{outputs}
FROM scores
)
SELECT {results}
FROM outputs
"""


def identifier(name: str) -> str:
    r"""A name of a table or column, quoted.

    >>> print(identifier('total" FROM secrets; --'))
    "total"" FROM secrets; --"
    """
    return '"' + _checked(name).replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """A text as a literal.

    >>> print(text_literal("O'Brien'; DROP TABLE t; --"))
    'O''Brien''; DROP TABLE t; --'
    """
    return "'" + _checked(text).replace("'", "''") + "'"


def _checked(text: str) -> str:
    """Refuse what no database stores in a text or a name."""
    if "\0" in text or any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
        raise DataError(f"{text!r:.60} has a character that SQL cannot write; rename it")
    return text


def number_literal(value: float) -> str:
    """A number with an exponent, which all databases read in double precision, to the same bits.

    >>> number_literal(0.1), number_literal(-3.0)
    ('1.0e-01', '(-3.0e+00)')
    """
    if not math.isfinite(value):
        raise DataError(f"the model holds {value}, which SQL cannot write")
    found = np.format_float_scientific(value, unique=True, trim="0")
    return f"({found})" if value < 0 else found


def sql_file(parts: Parts, predictor: Predictor, table: str, keys: Sequence[str] = ()) -> str:
    """The query; its columns are the keys, the prediction, and for classes their probabilities."""
    _check_convertible(parts)
    taken = [f"key{index}" for index in range(len(keys))]
    passed = "".join(f"{name}, " for name in taken)
    scores, outputs = _scores_and_outputs(parts, predictor)
    features = _features(parts)
    return QUERY.format(
        keys="".join(f"data.{identifier(key)} AS {name}, " for key, name in zip(keys, taken, strict=True)),
        entries=",\n".join(_entries(parts, predictor)),
        passed=passed,
        features=",\n".join(f"{one} AS f{index}" for index, one in enumerate(features)),
        scores=",\n".join(f"{one} AS s{index}" for index, one in enumerate(scores)),
        outputs=",\n".join(f"{one} AS p{index}" for index, one in enumerate(outputs)),
        results=", ".join(_results(predictor, keys, taken)),
        table=identifier(table),
    )


def _check_convertible(parts: Parts) -> None:
    if parts.inputs.taken:
        name = parts.inputs.names[parts.inputs.taken[0].column]
        raise DataError(f"{name!r} holds times, texts or very many categories, which SQL cannot encode; JSON can")
    if units(parts.features) or len(parts.features) > MAX_FEATURES:
        raise DataError(f"SQL supports at most {MAX_FEATURES} features, which are not scaled to unit length")


def _entries(parts: Parts, predictor: Predictor) -> list[str]:
    """Each column as a number or a category; marks of missing values are null, as in `learnable predict`."""
    marks = ", ".join(text_literal(mark) for mark in dict.fromkeys((*MISSING, *predictor.model.missing)))
    found = []
    for index, expected in enumerate(predictor.model.columns):
        text = f"CAST(data.{identifier(expected.name)} AS VARCHAR)"
        if index in parts.inputs.levels:
            entry = CATEGORY_OF_FLAG.format(text=text) if set(parts.inputs.levels[index]) <= FLAGS else text
        elif (expected.low, expected.high) == (0.0, 1.0):
            entry = FLAG.format(text=text)
        else:
            entry = f"CAST(data.{identifier(expected.name)} AS DOUBLE PRECISION)"
        found.append(f"CASE WHEN TRIM({text}) IN ({marks}) THEN NULL ELSE {entry} END AS x{index}")
    return found


def _features(parts: Parts) -> list[str]:
    return [_feature(one, parts.inputs.levels.get(one.column, [])) for one in parts.features]


def _feature(one: Feature, levels: list[str]) -> str:
    entry = f"numbers.x{one.column}"
    if one.lookup is not None:
        known = zip(levels[one.lookup.first :], one.lookup.values, strict=False)
        cases = "".join(f" WHEN {text_literal(level)} THEN {number_literal(value)}" for level, value in known)
        other, missing = number_literal(one.lookup.other), number_literal(one.lookup.missing)
        chosen = f"CASE {entry}{cases} ELSE {other} END" if cases else other
        return f"CASE WHEN {entry} IS NULL THEN {missing} ELSE {chosen} END"
    if not np.isnan(one.fill):
        entry = f"COALESCE({entry}, {number_literal(one.fill)})"
    return f"({entry} - {number_literal(one.shift)}) * {number_literal(one.factor)}"


def _scores_and_outputs(parts: Parts, predictor: Predictor) -> tuple[list[str], list[str]]:
    """The linear functions or sums of trees, and the predictions or probabilities that they become."""
    classifies = predictor.model.task != "regression"
    if parts.weights is None:
        sums = parts.last._tree_sum()
        scores, link = _tree_scores(sums, uses_float32(parts.last)), sums.link
        if classifies:
            boosted = "Boosting" in type(parts.last).__name__
            link = "none" if not boosted else "logistic" if len(scores) == 1 else "softmax"
    else:
        assert parts.intercept is not None
        scores, link = _linear_scores(parts.weights, parts.intercept), parts.link
    if link not in OUTPUTS:
        raise DataError(f"predictions through the link {link!r} cannot be written in SQL; JSON supports every model")
    return scores, OUTPUTS[link](len(scores))


def _sum(terms: list[str]) -> str:
    """A sum in groups, whose depth grows with the logarithm of the number of terms."""
    while len(terms) > TERMS:
        terms = [f"({' + '.join(terms[at : at + TERMS])})" for at in range(0, len(terms), TERMS)]
    return " + ".join(terms)


def _linear_scores(weights: Array, intercept: Array) -> list[str]:
    return [
        _sum(
            [number_literal(constant)]
            + [f"{number_literal(one)} * features.f{index}" for index, one in enumerate(row) if one != 0]
        )
        for row, constant in zip(weights.tolist(), intercept.tolist(), strict=True)
    ]


def _tree_scores(sums: Any, single: bool) -> list[str]:
    """base + scale times the sum of the leaves of all trees, for each output."""
    stack, outputs, wide = sums.stack, int(sums.outputs), sums.stack.value.shape[1]
    if len(stack.set_words):
        raise DataError("trees that split on sets of categories cannot be written in SQL; JSON supports every model")
    base, leaves = np.resize(sums.base, outputs), [list[str]() for _ in range(outputs)]
    thresholds = _thresholds_of_float32(stack.threshold) if single else stack.threshold
    for tree, first in enumerate(stack.start[:-1].tolist()):
        for column in range(wide):
            output = int(stack.output[tree]) if wide == 1 else column
            leaves[output].append(_tree(stack, thresholds, first, first, column))
    return [
        f"{number_literal(float(start))} + {number_literal(float(sums.scale))} * ({_sum(of) or '0.0e+00'})"
        for start, of in zip(base, leaves, strict=True)
    ]


def _tree(stack: Any, thresholds: Array, first: int, node: int, column: int) -> str:
    """The leaf that a row reaches from a node, as nested cases."""
    if stack.left[node] < 0:
        return number_literal(float(stack.value[node, column]))
    entry = f"features.f{int(stack.feature[node])}"
    left, right = (
        _tree(stack, thresholds, first, first + int(side[node]), column) for side in (stack.left, stack.right)
    )
    threshold = float(thresholds[node])
    test = f"{entry} <= {number_literal(threshold)}" if math.isfinite(threshold) else f"{entry} IS NOT NULL"
    gone = f" OR {entry} IS NULL" if stack.missing_left[node] else ""
    return f"CASE WHEN {test}{gone} THEN {left} ELSE {right} END"


def _thresholds_of_float32(thresholds: Array) -> Array:
    """For each threshold the largest number that is not above it once it is rounded to single precision."""
    low = thresholds.astype(np.float32)
    low = np.where(low > thresholds, np.nextafter(low, np.float32(-np.inf)), low)
    middle = (low.astype(np.float64) + np.nextafter(low, np.float32(np.inf)).astype(np.float64)) / 2
    return np.where(middle.astype(np.float32) <= low, middle, np.nextafter(middle, -np.inf))


def _exponential(exponent: str) -> str:
    """The exponential of a number, which neither overflows nor underflows."""
    steep = number_literal(STEEP)
    return (
        f"EXP(CASE WHEN {exponent} > {steep} THEN {steep} WHEN {exponent} < -{steep} THEN -{steep} ELSE {exponent} END)"
    )


def _logistic(count: int) -> list[str]:
    return [f"1 / (1 + {_exponential('scores.s0')})", f"1 / (1 + {_exponential('(0 - scores.s0)')})"]


def _softmax(count: int) -> list[str]:
    return [
        "1 / (" + " + ".join(_exponential(f"(scores.s{j} - scores.s{k})") for j in range(count)) + ")"
        for k in range(count)
    ]


def _plain(count: int) -> list[str]:
    return [f"scores.s{index}" for index in range(count)]


OUTPUTS: dict[str, Callable[[int], list[str]]] = {
    "none": _plain, "identity": _plain, "logistic": _logistic, "softmax": _softmax,
    "log": lambda count: [_exponential("scores.s0")],
}  # fmt: skip


def _results(predictor: Predictor, keys: Sequence[str], taken: Sequence[str]) -> list[str]:
    """The columns of the result."""
    found = [f"outputs.{name} AS {identifier(key)}" for key, name in zip(keys, taken, strict=True)]
    model = predictor.model
    if model.task == "regression":
        return [*found, "outputs.p0 AS prediction"]
    values = predictor.prediction_values()
    literals = [text_literal(value) if isinstance(value, str) else number_or_flag(value) for value in values]
    shares = [f"outputs.p{k} AS {identifier(f'probability_{name}')}" for k, name in enumerate(predictor.classes)]
    return [*found, f"{_decision(predictor, literals)} AS prediction", *shares]


def number_or_flag(value: Any) -> str:
    """A class that is a number or a truth value."""
    return str(int(value)) if isinstance(value, (bool, int, np.integer, np.bool_)) else number_literal(float(value))


def _decision(predictor: Predictor, literals: list[str]) -> str:
    """The class by the rule of the model: the most probable, ties to the first; or by a threshold."""
    model, last = predictor.model, len(literals) - 1
    if model.task == "binary" and model.positive is not None and predictor.deployed:
        index = int(np.argmax(model.classes_ == model.positive))
        other = f"outputs.p{1 - index}" if model.threshold is None else number_literal(model.threshold)
        sign = ">" if model.threshold is None else ">="
        return f"CASE WHEN outputs.p{index} {sign} {other} THEN {literals[index]} ELSE {literals[1 - index]} END"
    cases = "".join(
        f" WHEN {' AND '.join(f'outputs.p{k} >= outputs.p{j}' for j in range(k + 1, last + 1))} THEN {literals[k]}"
        for k in range(last)
    )
    return f"CASE{cases} ELSE {literals[last]} END"


def run(query: str, table: str, frame: Any, outputs: int) -> tuple[Array, list[Any]]:
    """The numbers and the predictions of the query in a SQLite database that holds the frame, in the order of rows."""
    names = frame.column_names
    with sqlite3.connect(":memory:") as database:
        kinds = ["DOUBLE PRECISION" if str(kind) == "double" else "TEXT" for kind in frame.schema.types]
        columns = ", ".join(f"{identifier(name)} {kind}" for name, kind in zip(names, kinds, strict=True))
        database.execute(f"CREATE TABLE {identifier(table)} ({columns})")
        marks = ", ".join("?" * len(names))
        rows = zip(*(_stored(column.to_pylist()) for column in frame.columns), strict=True)
        database.executemany(f"INSERT INTO {identifier(table)} VALUES ({marks})", rows)
        found = database.execute(query).fetchall()
    numbers = [row[-outputs:] if outputs > 1 else row[-1:] for row in found]
    return np.array(numbers, dtype=np.float64), [row[-outputs - 1] if outputs > 1 else row[-1] for row in found]


def _stored(values: list[Any]) -> list[Any]:
    """The entries of a column as a database stores them: null where missing."""
    return [None if value is None or value != value else value for value in values]
