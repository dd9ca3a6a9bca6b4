"""Fitted models of every class as descriptions and arrays, from which hostile files are made."""

from __future__ import annotations

import copy
import json
import random
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import learnable
from learnable.core.files.encoding import Encoder
from tests.contract import cases

ROWS, COLUMNS = 24, 4

MORE: dict[str, list[dict[str, Any]]] = {
    "SVC": [{"kernel": "precomputed"}, {"probability": True}],
    "KBinsDiscretizer": [{"encode": "onehot"}, {"encode": "onehot-dense", "strategy": "uniform"}],
    "PolynomialFeatures": [{"degree": 3, "interaction_only": True}],
    "OneHotEncoder": [{"drop": "first"}, {"min_frequency": 3, "handle_unknown": "infrequent_if_exist"}],
    "OrdinalEncoder": [{"min_frequency": 3}],
    "TargetEncoder": [{"target_type": "continuous"}],
    "KMedoids": [{"metric": "gower"}],
    "KernelPCA": [{"kernel": "rbf", "fit_inverse_transform": True, "n_components": 2}],
    "Nystroem": [{"n_components": 5}],
    "GaussianMixture": [{"covariance_type": kind, "n_components": 2} for kind in ("tied", "diag", "spherical")],
    "BayesianGaussianMixture": [{"covariance_type": "diag", "n_components": 2}],
    "RandomForestClassifier": [{"n_estimators": 3, "oob_score": True}],
    "RandomForestRegressor": [{"n_estimators": 3, "max_samples": 0.5}],
    "AgglomerativeClustering": [{"compute_distances": True}],
    "RidgeClassifierCV": [{"store_cv_results": True}],
    "Pipeline": [{"steps": [("scale", learnable.StandardScaler()), ("tree", learnable.DecisionTreeRegressor())]}],
    "ColumnTransformer": [
        {"transformers": [("a", learnable.StandardScaler(), [0, 1]), ("b", "drop", [2])], "remainder": "passthrough"}
    ],
    "QuadraticDiscriminantAnalysis": [{"store_covariance": True}],
    "SimpleImputer": [{"strategy": "most_frequent"}],
    "NearestNeighbors": [{"algorithm": "kd_tree"}],
    "BaggingClassifier": [{"n_estimators": 2, "max_features": 0.5}],
}


@dataclass(frozen=True)
class Seed:
    """A fitted model as a file would hold it, and the rows and targets on which what loads is tried."""

    name: str
    description: str
    tensors: dict[str, Any]
    X: Any
    y: Any

    def fresh(self) -> tuple[Any, dict[str, Any]]:
        """Copies that may be changed; the arrays themselves may not."""
        return json.loads(self.description), dict(self.tensors)


def _seed(name: str, model: Any, X: Any, y: Any) -> Seed | None:
    """The model fitted; None where its class does not take these data."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = cases.fit(model, X, y)
            encoder = Encoder(times=False)
            description = encoder.encode(model, name)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return None
    return Seed(name, json.dumps(description), encoder.tensors, _few(X), None if y is None else _few(y))


def _few(rows: Any) -> Any:
    """The first rows."""
    return rows.tocsr()[:6] if hasattr(rows, "tocsr") else rows[:6]


@cache
def unfitted(name: str) -> list[tuple[Any, Any, Any]]:
    """Model, rows and targets of one class: dense and sparse rows, labels that are texts, names, other parameters."""
    cls = cases.CLASSES[name]
    X, y = cases.problem(cls, ROWS, COLUMNS)
    data = [(cases.make(cls), X, y)]
    for changes in MORE.get(name, []):
        square = changes.get("kernel") == "precomputed"
        data.append((cases.make(cls).set_params(**changes), X @ X.T if square else X, y))
    if isinstance(X, np.ndarray) and X.ndim == 2:
        data.append((cases.make(cls, **cases.for_sparse(cls)), cases.thinned(cls, X), y))
        if y is not None and cases.learns_classes(cls) and y.ndim == 1:
            data.append((cases.make(cls), X.astype(np.float32), np.array(["no", "yes", "maybe"])[y]))
        elif y is not None and y.ndim == 1:
            data.append((cases.make(cls), X, np.column_stack([y, -y])))
        data.append((cases.make(cls), _named(X), y))
    return data


@cache
def fitted(name: str, index: int) -> Seed | None:
    """One of the models that `unfitted` lists, None where its class does not take these data."""
    return _seed(name, *unfitted(name)[index])


def drawn(name: str, rng: random.Random) -> Seed:
    """One of the models of a class; only those that are drawn are fitted."""
    index = rng.randrange(len(unfitted(name)))
    return fitted(name, index) or seeds(name)[0]


def seeds(name: str) -> list[Seed]:
    """All models of one class that can be fitted."""
    found = (fitted(name, index) for index in range(len(unfitted(name))))
    return [seed for seed in found if seed is not None]


def _named(X: np.ndarray) -> Any:
    import pandas

    return pandas.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])


def copied(node: Any) -> Any:
    """A part of a description that may be changed by itself."""
    return copy.deepcopy(node)
