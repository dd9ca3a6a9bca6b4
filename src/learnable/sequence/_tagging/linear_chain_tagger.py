"""Taggers with weights of attributes and of transitions: what their models hold, and how they read sentences."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from ...core import Array, DataError, declaring, learned, param
from ...core.declare import params as declared
from ...core.files.learned_limits import is_text_array
from .._sequence_input import sequence_weights
from .features import Features, find_features
from .objective import TrainingSet
from .sentences import Names, Tokens, is_csr, label_codes, matrix_tokens, read_labels, read_tokens, sorted_names
from .tagger_base import Tagger
from .templates import compile_templates, template_tokens


@declaring
class LinearChainTagger(Tagger):
    """A tagger whose scores are sums of weights of (attribute, label) and (label, label)."""

    edges_allowed: ClassVar[bool] = False  # whether templates may be for transitions

    templates: str | None = param(None, "feature templates of CRF++, for tokens that are rows of texts")
    attributes_: Any = learned("names of the attributes, as an array of texts")
    state_coef_: Any = learned("weight of each attribute and label, as a sparse matrix", matrix=True)
    transition_coef_: Array = learned(
        "weight of each transition, from the row's label to the column's", shape="classes classes"
    )

    @property
    def num_attributes_(self) -> int:
        """The number of attributes."""
        self._require_fit()
        return len(self.attributes_)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights of attributes and labels that are not zero: (attribute, label) -> weight."""
        self._require_fit()
        matrix = self.state_coef_.tocoo()
        names, labels = self.attributes_.tolist(), self.classes_.tolist()
        cells = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
        return {(names[row], labels[column]): weight for row, column, weight in cells if weight != 0}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of transitions that are not zero: (label, next label) -> weight."""
        self._require_fit()
        labels, weights = self.classes_.tolist(), self.transition_coef_
        pairs = zip(*(axis.tolist() for axis in np.nonzero(weights)), strict=True)
        return {(labels[j], labels[k]): float(weights[j, k]) for j, k in pairs}

    def _unsound(self) -> str:
        matrix, labels = self.state_coef_, len(self.classes_)
        if getattr(matrix, "format", "") != "csr" or matrix.shape != (len(self.attributes_), labels):
            return "state_coef_ must be a sparse matrix (csr) with a row per attribute and a column per label"
        texts = is_text_array(self.attributes_) and is_text_array(self.classes_)
        return "" if texts else "attributes_ and classes_ must hold texts"

    def _read_tokens(self, X: Any, lengths: Any, names: Names | None = None) -> Tokens:
        """The tokens of sentences; `names` are the codes of attributes, those of the model if None."""
        owner = type(self).__name__
        if is_csr(X):
            tokens = matrix_tokens(owner, X, lengths)
            if names is None and X.shape[1] != self.n_features_in_:
                raise DataError(
                    f"X has {X.shape[1]} features, but {owner} is expecting {self.n_features_in_} features as input"
                )
            return tokens
        if lengths is not None:
            raise DataError(f"{owner}: lengths are for a sparse matrix; a list of sentences has lengths of its own")
        known = Names(self.attributes_.tolist()) if names is None else names
        if self.templates is not None:
            rules = compile_templates(owner, self.templates, self.edges_allowed)
            return template_tokens(owner, X, rules, known)
        return read_tokens(owner, X, known)

    def _potentials(self, tokens: Tokens) -> tuple[Array, Array, Array]:
        matrix, count = self.state_coef_, len(self.classes_)
        pattern = np.ones((count, count), dtype=np.uint8)
        features = Features(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), pattern)
        node = features.scores(tokens, np.asarray(matrix.data, dtype=np.float64))
        return np.zeros(count), self.transition_coef_, node

    def _learning_data(
        self, X: Any, y: Any, lengths: Any, sample_weight: Any, labels: Any = None
    ) -> tuple[TrainingSet, Array, Array]:
        """The sentences that are not empty, the names of attributes, and the labels that there are."""
        declared.check(self)
        owner = type(self).__name__
        names = Names()
        tokens = self._read_tokens(X, lengths, names)
        if is_csr(X):
            attributes = np.array([*map(str, range(X.shape[1])), ""], dtype=object)[:-1]
        else:
            tokens, attributes = sorted_names(tokens, names)
        found = read_labels(owner, y, tokens)
        known = sorted({label for label in found if label is not None} | set(labels or ()))
        if not known:
            raise DataError(f"{owner}: y must have a label for at least one token")
        weight = sequence_weights(owner, sample_weight, len(tokens.lengths))
        filled = tokens.lengths > 0
        data = TrainingSet(tokens._replace(lengths=tokens.lengths[filled]), label_codes(found, known), weight[filled])
        return data, attributes, np.array([*known, ""], dtype=object)[:-1]

    def _find_features(
        self, data: TrainingSet, attributes: int, classes: int, min_freq: float = 0, states: bool = False,
        transitions: bool = False,
    ) -> Features:  # fmt: skip
        return find_features(data.tokens, data.labels, classes, attributes, min_freq, states, transitions)

    def _fit_scope(self, data: TrainingSet, going_on: bool = False) -> Any:
        arrays = [array for array in (data.tokens.value, data.weight) if array is not None]
        return partial(self._fitting, *arrays, going_on=going_on)()

    def _keep_weights(self, features: Features, weight: Array, attributes: Array, classes: Array) -> Self:
        from scipy.sparse import csr_array

        shape = len(attributes), len(classes)
        self.n_features_in_ = len(attributes)
        self.attributes_, self.classes_ = attributes, classes
        self.state_coef_ = csr_array((weight[: features.size].copy(), features.label, features.offset), shape=shape)
        self.transition_coef_ = weight[features.size :].reshape(shape[1], shape[1]).copy()
        return self

    def _weights_before(self, features: Features, attributes: Array, classes: Array) -> Array:
        """The weights learned before, for these features; zero for new ones."""
        found = np.zeros(features.size + features.classes**2)
        if "state_coef_" not in self.__dict__:
            return found
        columns = label_codes(classes.tolist(), self.classes_.tolist())
        rows = {name: row for row, name in enumerate(self.attributes_.tolist())}
        matched = np.array([rows.get(name, -1) for name in attributes.tolist()], dtype=np.int64)
        row = np.repeat(matched, np.diff(features.offset))
        column = columns[features.label]
        old = (row >= 0) & (column >= 0)
        if old.any():
            found[: features.size][old] = np.asarray(self.state_coef_[row[old], column[old]]).ravel()
        both = np.flatnonzero(columns >= 0)
        transition = found[features.size :].reshape(features.classes, features.classes)
        transition[np.ix_(both, both)] = self.transition_coef_[np.ix_(columns[both], columns[both])]
        return found
