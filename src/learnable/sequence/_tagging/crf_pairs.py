"""Conditional random fields with edge features, or of the second order: what they learn, and how they score pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core import Array
from .features import Features
from .objective import TrainingSet
from .pair_chain import LabelPairChain, LabelPairs
from .pair_objective import PairFeatures, edge_matrix, find_pair_features, selected
from .sentences import SEPARATOR, Names, Tokens

if TYPE_CHECKING:
    from ..crf import CRF


class EdgeTokens(NamedTuple):
    """Tokens with the attributes that have weights for labels, and the edge attributes as a sparse matrix."""

    tokens: Tokens
    edges: Any

    @property
    def lengths(self) -> Array:
        """The lengths of the sentences."""
        return self.tokens.lengths


class PairTrainingSet(NamedTuple):
    """A training set, its edge attributes, their names, and the names of all other attributes."""

    data: TrainingSet
    edges: Any
    edge_names: Array
    names: Array


def is_edge(model: CRF, name: str) -> bool:
    """Whether an attribute has weights for pairs of labels."""
    if model.templates is not None:
        return name.startswith("B")
    keys = model.edge_features or ()
    return any(name == key or name.startswith(f"{key}{SEPARATOR}") for key in keys)


def split_edges(model: CRF, data: TrainingSet, names: Array) -> PairTrainingSet:
    """The training set with edge attributes apart; those of dicts have weights for single labels too."""
    edge = np.array([is_edge(model, name) for name in names.tolist()], dtype=bool)
    plain = ~edge if model.templates is not None else np.ones(len(names), dtype=bool)
    edges = edge_matrix(selected(data.tokens, _codes(edge)), int(edge.sum()))
    apart = data._replace(tokens=selected(data.tokens, _codes(plain)))
    return PairTrainingSet(apart, edges, names[edge], names[plain])


def _codes(chosen: Array) -> Array:
    return np.where(chosen, np.cumsum(chosen) - 1, -1)


def pair_features(model: CRF, given: PairTrainingSet, features: Features) -> PairFeatures:
    """The features of pairs of labels in the training set."""
    return find_pair_features(given.data, features, given.edges, model.order, bool(model.all_possible_transitions))


def keep_pairs(model: CRF, extra: PairFeatures, weight: Array, edge_names: Array) -> None:
    """Store the weights of edge features and of triples in the model."""
    from scipy.sparse import csr_array

    edges, triples = extra.unpack(weight)
    model.edge_attributes_, model.edge_coef_ = edge_names, csr_array(edges)
    model.pairs_ = np.stack([extra.pairs.before, extra.pairs.after], axis=1)
    model.triple_coef_ = triples if len(triples) else np.zeros(len(extra.pairs.previous))


def drop_pairs(model: CRF) -> None:
    """Forget edge features of a fit before."""
    for name in ("edge_attributes_", "edge_coef_", "pairs_", "triple_coef_"):
        model.__dict__.pop(name, None)


def known_pairs(model: CRF) -> LabelPairs:
    """The pairs of labels of a model."""
    classes = len(model.classes_)
    mask = np.zeros((classes, classes), dtype=bool)
    mask[model.pairs_[:, 0], model.pairs_[:, 1]] = True
    return LabelPairs.of(classes, mask)


def all_names(model: CRF) -> Names:
    """Codes of the attributes of a model, and of those that are edge attributes alone."""
    return Names(dict.fromkeys([*model.attributes_.tolist(), *model.edge_attributes_.tolist()]))


def edge_tokens(model: CRF, tokens: Tokens, names: Names) -> EdgeTokens:
    """Tokens whose attributes have codes of `names`, with edge attributes apart."""
    plain, edge = np.full((2, len(names.codes)), -1)
    for known, code in ((model.attributes_, plain), (model.edge_attributes_, edge)):
        for place, name in enumerate(known.tolist()):
            code[names.codes[name]] = place
    edges = edge_matrix(selected(tokens, edge), len(model.edge_attributes_))
    return EdgeTokens(selected(tokens, plain), edges)


def pair_chain(model: CRF, edges: Any, start: Array, transition: Array, node: Array, lengths: Array) -> LabelPairChain:
    """The chain of the labels of sentences."""
    score = np.asarray((edges @ model.edge_coef_).toarray())
    return LabelPairChain(known_pairs(model), start, transition, node, score, model.triple_coef_, lengths)


def pairs_defect(model: CRF) -> str:
    """What is wrong with the edge features of a model; empty if nothing is."""
    if "pairs_" not in model.__dict__:
        return ""
    pairs, classes = model.pairs_, len(model.classes_)
    shaped = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
    if not shaped or (pairs < 0).any() or (pairs >= classes).any() or len(np.unique(pairs, axis=0)) != len(pairs):
        return "pairs_ must be distinct pairs of indices of labels"
    if getattr(model.edge_coef_, "format", "") != "csr" or model.edge_coef_.shape != (
        len(model.edge_attributes_), len(pairs),
    ):  # fmt: skip
        return "edge_coef_ must be a sparse matrix (csr) with a row per edge attribute and a column per pair"
    if model.triple_coef_.shape != (len(known_pairs(model).previous),):
        return "triple_coef_ must have a number for each triple of labels"
    return ""
