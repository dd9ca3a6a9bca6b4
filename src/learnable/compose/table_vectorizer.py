"""Any table as a matrix of numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    ParameterError,
    RandomState,
    Table,
    Trace,
    Traits,
    Transformer,
    cloned,
    config_context,
    estimator,
    fitted_estimator,
    learned,
    param,
    seed_of,
)
from ..core.declare import params
from ..core.files.decoding import MAX_COLUMNS
from ..core.roles.traits import traits_of
from ..core.validate.columns import check_names_fit
from ..core.validate.features import column_name
from ..core.validate.mixed_table import CategoricalColumn, is_missing
from ..core.validate.targets import is_sparse
from ..impute import SimpleImputer
from ..pipeline import Pipeline
from ..pipeline._steps import fitted_and_transformed, with_weights
from ..preprocessing import DateParts, OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from ._column_types import KINDS, as_numbers, kind_of, kind_of_categories
from ._text_encoders import TextEncoding, fit_text_svd, text_encoder

MAX_CLASSES, MIN_OF_CLASS = 20, 5  # different numbers of a target of classes, and rows that each of more has
WORDS = {
    "number": "scaled, missing values filled with the median",
    "few": "an indicator for each value",
    "many": "coded as one number, scaled",
    "date": "taken apart into year, month, ..., scaled",
    "text": "weights of terms",
    "nothing": "left out: it has no entries",
    "own": "as requested",
    "drop": "left out, as requested",
}


def _are_choices(value: Any) -> bool:
    if value is None:
        return True
    choices = (*KINDS, "category", "drop")
    return isinstance(value, dict) and all(
        v in choices if isinstance(v, str) else hasattr(v, "fit") for v in value.values()
    )


@estimator
class TableVectorizer(Transformer):
    """Table vectoriser: encode each column of a mixed table by its type.

    z = [encode_1(x_1), ..., encode_p(x_p)]

    Numbers are filled and scaled, few categories become indicators, many scaled mean targets (codes without a target),
    very many are hashed, parts of dates scaled, texts become weighed words. What a frame calls categories are some,
    even whole numbers, and so are codes such as 00501. Values that fit has not seen are no error. `columns` overrides
    the choice by column: a kind, "category" (few, many or very many), "drop", or a transformer. `kinds_` and `table()`
    show it. Named columns are found by their names: they may come in another order, among others.

    `fit_transform` is not `fit(X, y).transform(X)` where mean targets are among the encodings: it gives each row those
    of other folds, which `random_state` draws (None: NumPy's global stream). Transformers in `columns` have own seeds.

    >>> import pandas
    >>> people = pandas.DataFrame({"age": [20.0, 40.0, None], "city": ["Rome", "Oslo", "Rome"]})
    >>> vectorizer = TableVectorizer().fit(people)
    >>> vectorizer.kinds_
    {'age': 'number', 'city': 'few'}
    >>> vectorizer.get_feature_names_out()
    array(['age', 'city_Oslo', 'city_Rome'], dtype=object)
    """

    title = "table vectoriser"
    traits = Traits(takes="table", missing="native", by_name=True, uses_target="if given", stochastic=True)

    columns: dict[Any, Any] | None = param(
        None,
        'type, "drop" or transformer, by column',
        kw_only=False,
        accepts=_are_choices,
        says=f"{', '.join(KINDS)}, category or drop",
    )
    few: int = param(30, "maximum number of categories encoded as indicators", at_least=2)
    very_many: int = param(1000, "number of categories from which the encoding of `many` applies", at_least=2)
    many: Literal["auto", "target", "ordinal", "hash", "rare"] = param(
        "auto", "how many, and with any value but auto also very many categories are encoded: by mean targets, codes, "
        "columns that several share, or indicators of the most frequent ones and one of all others",
    )  # fmt: skip
    n_hashed: int = param(32, "number of columns for hashed categories", at_least=2)
    text: TextEncoding = param(
        "words", "how texts are encoded: by weights of their most frequent words, of very many words and runs of "
        "characters (ngrams, best with sparse_output), or by the truncated SVD of these",
    )  # fmt: skip
    n_components: int = param(100, "most columns of the truncated SVD of a text column", at_least=1)
    sparse_output: bool = param(False, "whether the result is sparse")
    random_state: RandomState = param(None, "seed of the folds that fit_transform takes mean targets of")

    kinds_: dict[Any, str] = learned("detected type of each column")
    parts_: list[Any] = learned("indices of columns that share a transformer: adjacent numeric columns do")
    encoders_: list[Any] = learned("the fitted transformer of each part")
    widths_: list[Any] = learned("number of output columns of each transformer")

    def _unsound(self) -> str:
        """Every group of columns has a transformer and gives a number of columns."""
        counts = {len(self.parts_), len(self.encoders_), len(self.widths_)}
        widths = all(type(width) is int and 0 <= width <= MAX_COLUMNS for width in self.widths_)
        indices = all(isinstance(part, list) and all(type(index) is int for index in part) for part in self.parts_)
        if len(counts) > 1 or not widths or not indices or not all(self.parts_):
            return "parts_, encoders_ and widths_ must say what becomes of each group of columns"
        scaled = (
            (part[-1], width) for part, width in zip(self.encoders_, self.widths_, strict=True) if _is_scaled(part)
        )
        if any(len(scaler.mean_) != width for scaler, width in scaled):
            return "widths_ must be those of the transformers"
        kinds = {*WORDS, "many", "very many"}
        known = all(isinstance(kind, str) and kind in kinds for kind in self.kinds_.values())
        return "" if known else "kinds_ must hold the type of each column"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data, first=False)
        trace.exact("every column was encoded by itself")

    @config_context(transform_output="default")  # encoders hand arrays to each other
    def _learn(self, data: Data, first: bool) -> list[Any]:
        """Fit an encoder for each part, and return what training rows become, if `first` without their targets."""
        labels = list(range(data.p)) if data.names is None else list(data.names)
        chosen = self._chosen(labels)
        kinds = [self._kind(chosen.get(label), part) for label, part in zip(labels, data.X.parts, strict=True)]
        self.kinds_, self.parts_ = dict(zip(labels, kinds, strict=True)), _parts(kinds)
        if not self.parts_:
            raise DataError("TableVectorizer: no column is left: each has no entries, or is dropped")
        y = None if len(data.y) == 0 else data.y
        seed, found = self._seed(), []
        for part in self.parts_:
            kind = kinds[part[0]]
            encoder = chosen[labels[part[0]]] if kind == "own" else self._encoder(kind, y, seed)
            given = _prepared(data.X, part, kind, encoder)
            if kind == "text" and self.text == "svd":
                found.append(fit_text_svd(given, self.n_components, data.weight, seed))
            else:
                found.append(_encoded(encoder, given, y, data.weight, first))
        self.encoders_ = [encoder for encoder, _ in found]
        self.widths_ = [int(block.shape[1]) for _, block in found]
        return [block for _, block in found]

    def _seed(self) -> int | None:
        """One seed for all columns, so that a row is in the same fold in each; None is the global stream."""
        return None if self.random_state is None else seed_of(self.random_state) % 2**32

    def _kind(self, choice: Any, part: Array | CategoricalColumn) -> str:
        if choice is None:
            return kind_of(part, self.few, self.very_many)
        if isinstance(choice, str) and choice == "category":
            column = part.written() if isinstance(part, CategoricalColumn) else part
            return kind_of_categories(column, self.few, self.very_many)
        return choice if isinstance(choice, str) else "own"

    def _chosen(self, labels: list[Any]) -> dict[Any, Any]:
        chosen = self.columns or {}
        for label in chosen:
            if label not in labels:
                raise ParameterError(f"TableVectorizer: columns names {label!r}, but the table has {labels[:8]}")
        return chosen

    def _encoder(self, kind: str, y: Array | None, seed: int | None) -> Any:
        if kind == "number":
            imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            return Pipeline([("fill", imputer), ("scale", StandardScaler())])
        if kind == "few":
            return OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        if kind == "date":
            imputer = SimpleImputer(keep_empty_features=True)
            return Pipeline([("parts", DateParts()), ("fill", imputer), ("scale", StandardScaler())])
        if kind == "text":
            return text_encoder(self.text)
        return self._encoder_of_many(kind, y, seed) if kind in ("many", "very many") else None

    def _encoder_of_many(self, kind: str, y: Array | None, seed: int | None) -> Any:
        way: str = self.many
        if way == "auto":
            way = "hash" if kind == "very many" else "ordinal" if y is None else "target"
        if way == "target":
            if y is None:
                raise ParameterError('TableVectorizer: many="target" needs a target: call fit(X, y)')
            of_target: Any = "continuous" if _are_amounts(y) else "auto"
            means = TargetEncoder(target_type=of_target, random_state=seed, one_mean=True)  # scaling would swell a leak
            return Pipeline([("code", means), ("scale", StandardScaler())])
        if way == "rare":
            return OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=self.few, sparse_output=False)
        if way == "hash":
            import learnable

            return learnable.FeatureHasher(self.n_hashed, input_type="string")
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
        return Pipeline([("code", codes), ("scale", StandardScaler())])

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and encode the training rows; mean targets are those of other rows, so that no target leaks."""
        from ..core.sklearn_api.output_containers import wrapped

        params.check(self)
        data = self._training_data(X, y, sample_weight)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, data.names)
            blocks = self._learn(data, first=True)
            trace.exact("every column was encoded by itself")
        return wrapped(self._joined(blocks, data.X), X, self)

    @config_context(transform_output="default")
    def _transform(self, X: Table) -> Any:
        kinds = list(self.kinds_.values())
        blocks = [
            encoder.transform(_prepared(X, part, kinds[part[0]], encoder))
            for part, encoder in zip(self.parts_, self.encoders_, strict=True)
        ]
        return self._joined(blocks, X)

    def _joined(self, blocks: list[Any], X: Table) -> Any:
        dtype = np.float32 if all(column.dtype == np.float32 for column in X.columns) else np.float64
        if self.sparse_output:
            from scipy.sparse import csr_array, hstack

            return csr_array(hstack([csr_array(block) for block in blocks], format="csr")).astype(dtype)
        return np.hstack([block.toarray() if is_sparse(block) else block for block in blocks]).astype(dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        found: list[str] = []
        kinds = list(self.kinds_.values())
        for part, encoder in zip(self.parts_, self.encoders_, strict=True):
            name = names[part[0]]
            if kinds[part[0]] == "text":
                found += [f"{name}_{word}" for word in encoder.get_feature_names_out()]
            elif _hashes(encoder):
                check_names_fit(type(self).__name__, encoder.n_features)
                found += [f"{name}_hashed{place}" for place in range(encoder.n_features)]
            else:
                own = np.array([names[place] for place in part], dtype=object)
                found += list(encoder.get_feature_names_out(own))
        return found

    def scales(self) -> tuple[Array, Array]:
        """Mean and scale of what each column of the result was before it was scaled; 0 and 1 of what was not."""
        shift, scale = np.zeros(sum(self.widths_)), np.ones(sum(self.widths_))
        begin = 0
        for encoder, width in zip(self.encoders_, self.widths_, strict=True):
            if _is_scaled(encoder):
                shift[begin : begin + width], scale[begin : begin + width] = encoder[-1].mean_, encoder[-1].scale_
            begin += width
        return shift, scale

    def table(self) -> str:
        """What was chosen, as text: a line for each column."""
        parts = list(zip(self.parts_, self.encoders_, self.widths_, strict=True))
        taken = {place: (encoder, width // len(part)) for part, encoder, width in parts for place in part}
        lines = []
        for place, (label, kind) in enumerate(self.kinds_.items()):
            encoder, count = taken.get(place, (None, 0))
            lines.append((str(label), kind, str(count), _treatment(kind, encoder)))
        rows = [("column", "kind", "columns", "treatment"), *lines]
        wide = [max(len(row[k]) for row in rows) for k in range(3)]
        return "\n".join(f"{a:<{wide[0]}}  {b:<{wide[1]}}  {c:>{wide[2]}}  {d}" for a, b, c, d in rows)


def _parts(kinds: list[str]) -> list[list[int]]:
    """Indices of columns that are encoded together: adjacent numeric columns, all others alone.

    >>> _parts(["number", "number", "few", "number", "nothing", "number"])
    [[0, 1], [2], [3, 5]]
    """
    found: list[list[int]] = []
    for place, kind in enumerate(kinds):
        if kind == "number" and found and kinds[found[-1][-1]] == "number":
            found[-1].append(place)
        elif kind not in ("nothing", "drop"):
            found.append([place])
    return found


def _encoded(encoder: Any, given: Any, y: Array | None, weight: Array | None, first: bool) -> tuple[Any, Any]:
    """A fitted copy of an encoder, and what its rows become: if `first`, as its own `fit_transform` has it."""
    if first:
        return fitted_and_transformed(cloned(encoder), given, y, weight, {})
    fitted = fitted_estimator(cloned(encoder), given, y, **with_weights(encoder, weight, {}))
    return fitted, fitted.transform(given)


def _are_amounts(y: Array) -> bool:
    """Whether a target is numbers too many to be classes, though all of them may be whole, such as amounts of money.

    Numbers of a type that has no fractions are classes as long as there are several rows of each.
    """
    distinct = len(np.unique(y)) if y.dtype.kind in "fiu" else 0
    return distinct > MAX_CLASSES and (y.dtype.kind == "f" or distinct * MIN_OF_CLASS > len(y))


def _is_scaled(encoder: Any) -> bool:
    """Whether the columns of a part are standardised at the end."""
    return isinstance(encoder, Pipeline) and isinstance(encoder[-1], StandardScaler)


def _hashes(encoder: Any) -> bool:
    return traits_of(encoder).takes == "records"


def _treatment(kind: str, encoder: Any) -> str:
    """What is done with a column, in words."""
    if kind not in ("many", "very many"):
        return WORDS[kind]
    if _hashes(encoder):
        return f"hashed into {encoder.n_features} columns"
    ways: dict[type, str] = {
        TargetEncoder: "mean target of its rows, scaled",
        OneHotEncoder: "an indicator for each frequent value",
    }
    return ways.get(type(_coding(encoder)), WORDS["many"])


def _prepared(X: Table, part: list[int], kind: str, encoder: Any) -> Any:
    """The columns of a part in the form that their encoder takes; what cannot be read is missing."""
    if kind == "number":
        return np.column_stack([_number(X, place) for place in part])
    column = X.columns[part[0]]
    if _hashes(encoder) and kind != "own":
        gone = is_missing(column)
        return [[] if lost else [_name(entry)] for entry, lost in zip(column.tolist(), gone, strict=True)]
    if kind == "text":
        gone = is_missing(column)
        return ["" if lost else str(entry) for entry, lost in zip(column.tolist(), gone, strict=True)]
    if kind in ("few", "many", "very many"):
        return _words_of(column, _knows_texts(encoder))[:, None]
    return column[:, None]


def _number(X: Table, place: int) -> Array:
    """A column as numbers."""
    numbers = as_numbers(X.columns[place])
    if numbers is None:
        where = column_name(X.names, place)
        raise DataError(f"TableVectorizer: {where} was numeric when fitted, but holds other values now")
    return numbers


def _coding(encoder: Any) -> Any:
    """The step that codes categories, where others follow."""
    return encoder[0] if isinstance(encoder, Pipeline) else encoder


def _knows_texts(encoder: Any) -> bool:
    """Whether an encoder has learned categories some of which are texts."""
    categories = getattr(_coding(encoder), "categories_", [])
    return any(isinstance(value, str) for values in categories for value in values.tolist())


def _words_of(column: Array, as_texts: bool) -> Array:
    """Categories as texts, so that values of several types have an order; what is missing stays so.

    Numbers stay numbers unless categories that are texts are looked for.
    """
    if column.dtype.kind in "US" or (column.dtype.kind in "fiub" and not as_texts):
        return column
    gone = is_missing(column)
    result = np.where(gone, np.nan, column.astype(object))
    numbers = all(isinstance(entry, (int, float, np.number)) for entry in result.tolist())
    if as_texts or not numbers or any(isinstance(entry, bool) for entry in result.tolist()):
        result[~gone] = [_name(entry) for entry in column[~gone].tolist()]
    return result


def _name(category: Any) -> str:
    """A category as text: whole numbers without their point, which they get where others are missing."""
    return str(int(category) if isinstance(category, float) and category.is_integer() else category)
