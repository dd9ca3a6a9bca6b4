"""Who is tested, and on what: classes, instances, problems, and the state that is compared."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from functools import cache, lru_cache
from typing import Any

import numpy as np

from learnable.core import ConvergenceWarning, Estimator
from learnable.core.declare import params
from learnable.core.declare.registry import all_estimators
from learnable.core.files.encoding import Encoder
from learnable.core.sklearn_api.estimator_type import role
from tests.contract.examples import EXAMPLES
from tests.contract.promise import silent_about_rows
from tests.toys import TOYS

PUBLIC = all_estimators()
CLASSES: dict[str, type] = {**PUBLIC, **TOYS}

THREADS = (1, 3, 8)
SIZES = ((500, 20), (1500, 20), (6000, 30), (20_000, 30))  # rows and columns; the last divides every kernel
BY_DOMAIN = ("SharedAutoencoder",)  # transformers whose target names the domain of each row
LONG = 0.08  # seconds that a fit and a prediction may take where both are repeated


def learns_classes(cls: type) -> bool:
    """Whether its target names classes."""
    named = cls.traits.task == "classification" or cls.traits.class_target or cls.__name__ in BY_DOMAIN
    return named or silent_about_rows(cls)


def make(cls: type, **changes: Any) -> Any:
    """An instance with a fixed seed, where there is one to fix."""
    declared = params.parameters(cls)
    seeded = {"random_state": 0} if "random_state" in declared else {}
    example = EXAMPLES.get(cls.__name__, dict)()
    return cls(**{**seeded, **example, **{name: value for name, value in changes.items() if name in declared}})


def for_sparse(cls: type) -> dict[str, Any]:
    """Parameters with which a class takes sparse data: nothing is shifted away from zero."""
    return {name: False for name in ("with_mean", "with_centering") if name in params.parameters(cls)}


def tight(cls: type, **changes: Any) -> Any:
    """An instance that iterates, if it does, until nothing moves any more."""
    return make(cls, **tightness(cls), **changes)


def tightness(cls: type) -> dict[str, Any]:
    """Parameters for a precise solution of a method that iterates up to a tolerance; stages make the model itself."""
    if getattr(cls, "stagewise", False):
        return {}
    return {"tol": 1e-11, "max_iter": 200_000} if {"tol", "max_iter"} <= params.parameters(cls).keys() else {}


def problem(cls: type, rows: int = 60, columns: int = 4, seed: int = 0, dtype: Any = np.float64) -> tuple[Any, Any]:
    """A matrix, or what else the class takes, and a target that suit it."""
    if cls.traits.takes == "sentences":
        return sentences(cls, rows, seed)
    if cls.traits.takes == "sequences":
        return sequences(rows, seed)
    if cls.traits.takes == "ratings":
        return ratings(rows, seed)
    if cls.traits.takes in OTHER_INPUTS:
        return OTHER_INPUTS[cls.traits.takes](cls, rows, seed), None
    X, score = drawn(rows, 1 if cls.traits.takes == "column" else columns, seed)
    y = target(cls, score)
    X = np.clip(np.round(X), -1, 1) if cls.traits.categorical else X
    X = np.abs(X) if cls.traits.positive_columns else X
    return X.astype(dtype), y if learns_classes(cls) else y.astype(dtype)


@lru_cache(maxsize=8)
def drawn(rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of normal entries, and a noisy sum of its columns; callers must copy them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, X @ (np.arange(1, columns + 1) / columns) + 0.1 * rng.standard_normal(rows)


def texts(rows: int, seed: int = 0) -> list[str]:
    """Sentences of words that are frequent and rare, beyond ASCII too."""
    rng = np.random.default_rng(seed)
    words = np.array([f"{start}{end}" for start in ("Wort", "été", "x", "Łódź") for end in range(50)])
    return [" ".join(words[rng.geometric(0.1, size=12) % 200]) for _ in range(rows)]


def records(rows: int, seed: int = 0) -> list[dict[str, Any]]:
    """Named numbers and texts, not all in every record."""
    rng = np.random.default_rng(seed)
    made = rng.integers(1, 9, (rows, 3))
    return [{"size": float(size), "kind": f"k{kind}", f"only{few}": 1.0} for size, kind, few in made.tolist()]


def images(rows: int, seed: int = 0) -> np.ndarray:
    """Few noisy images."""
    return np.random.default_rng(seed).random((min(rows, 20), 12, 10))


def sequence(cls: type, rows: int, seed: int = 0) -> np.ndarray:
    """Rows about a level that switches: normal numbers, symbols or counts, whichever the class takes."""
    rng = np.random.default_rng(seed)
    level = 3 * (np.arange(rows) // 10 % 2)[:, None]
    if cls.traits.categorical:
        return (rng.integers(0, 3, (rows, 1)) + level) % 4
    if cls.traits.positive_columns:
        return rng.poisson(1 + level, (rows, 3)) + 1  # gamma distributions have no zero
    return rng.standard_normal((rows, 3)) + level


def sequences(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of two columns, of which some drift, as an array with three axes, and their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, max(rows // 5, 4))
    y[:2] = 0, 1
    steps = rng.standard_normal((len(y), 5, 2))
    return steps + y[:, None, None] * np.arange(5)[:, None], y


def sentences(cls: type, rows: int, seed: int = 0) -> tuple[list[list[Any]], list[list[str]]]:
    """Sentences of about ten tokens with attributes, or of words where a class takes these, and their labels."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(max(rows // 10, 3)):
        kinds = rng.integers(0, 3, rng.integers(1, 20)).tolist()
        words = [f"w{kind}{rng.integers(0, 5)}" for kind in kinds]
        X.append(words if cls.traits.categorical else [{"word": word, "size": rng.random()} for word in words])
        y.append(["ABC"[(kind + bool(rng.random() < 0.1)) % 3] for kind in kinds])
    return X, y


def labels(cls: type, rows: int, seed: int = 0) -> Any:
    """Classes of rows; several for each, or none, where a class takes that."""
    drawn = np.random.default_rng(seed).integers(0, 4, (rows, 2))
    return [{"abcd"[a], "abcd"[b]} for a, b in drawn.tolist()] if cls.traits.multi_target else drawn[:, 0]


def ratings(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of users and items, some of them twice, and ratings from 1 to 5."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, max(int(np.sqrt(rows)), 2), (rows, 2))
    return pairs, np.clip(np.round(pairs[:, 0] % 3 + pairs[:, 1] % 2 + 1 + rng.standard_normal(rows)), 1, 5)


def kernel(rows: int, seed: int = 0) -> np.ndarray:
    """The inner products of rows."""
    X = np.random.default_rng(seed).standard_normal((min(rows, 2000), 3))
    return X @ X.T


OTHER_INPUTS = {
    "texts": lambda cls, rows, seed: texts(rows, seed),
    "records": lambda cls, rows, seed: records(rows, seed),
    "images": lambda cls, rows, seed: images(rows, seed),
    "target": labels,
    "kernel": lambda cls, rows, seed: kernel(rows, seed),
    "sequence": lambda cls, rows, seed: sequence(cls, rows, seed),
}


@cache
def large_problem(cls: type, sparse: bool = False) -> tuple[Any, Any]:
    """The largest of SIZES that does not take long, by what growing from one to the next has cost."""
    fit_quietly(make(cls), *problem(cls))  # what the first fit of all loads should not count
    before = 0.0
    for size in SIZES:
        X, y = problem(cls, *size)
        X = thinned(cls, X) if sparse else X
        began = time.process_time()
        model = fit_quietly(make(cls, **(for_sparse(cls) if sparse else {})), X, y)
        output(model, X)
        taken = time.process_time() - began
        if taken > LONG or (before and taken * taken / before > LONG):
            break
        before = taken
    return X, y


def thinned(cls: type, X: np.ndarray) -> Any:
    """`X` with most entries gone, stored sparsely."""
    from scipy.sparse import csc_array

    return csc_array(with_zeros(cls, X, 1))


def with_zeros(cls: type, X: np.ndarray, least: float = 0.5) -> np.ndarray:
    """`X` with zeros for small entries, without negative ones where those that are not stored must be the least."""
    X = np.abs(X) if "ignore_implicit_zeros" in params.parameters(cls) else X
    return np.where(np.abs(X) < least, 0, X)


def target(cls: type, score: np.ndarray) -> np.ndarray:
    """A score as a target: classes, positive where it must be, in two columns where one is not enough."""
    if learns_classes(cls):
        borders = [0.3, 0.7] if cls.traits.many_classes else [0.4]
        return np.digitize(score, np.quantile(score, borders)) if len(score) > 2 else np.arange(len(score))
    y = np.exp(score / (np.abs(score).max() or 1.0)) if cls.traits.positive_target else score
    return y if cls.traits.single_target else np.column_stack([y, 1 - y])


# Warnings of what the data of a promise are, not of a fault: the same as those of scikit-learn.
OF_THE_DATA = (".* chose no column", ".*width are too small", ".* is constant and will be replaced")


def fit(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """Fit, saying nothing of weights or a target where there are none."""
    with warnings.catch_warnings():
        for pattern in OF_THE_DATA:
            warnings.filterwarnings("ignore", pattern, UserWarning)
        if weight is None:
            return model.fit(X) if y is None else model.fit(X, y)
        return model.fit(X, y, sample_weight=weight)


def fit_quietly(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """Fit where ending before convergence is expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(model, X, y, weight)


def output(model: Any, X: Any) -> np.ndarray:
    """What the fitted model says about `X`; one that draws rows by class says how many rows of each class it wants."""
    if hasattr(model, "sampling_strategy_"):
        return np.array(list(model.sampling_strategy_.values()))
    if hasattr(model, "biclusters_"):
        return np.hstack(model.biclusters_)
    if hasattr(model, "offset_") and hasattr(model, "score_samples"):
        return np.asarray(model.score_samples(X))  # of an outlier detector: the sign of a row on the border is rounding
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* chose no column", UserWarning)  # then there is no column
        known = ("predict", "transform", "kept_rows", "score_samples", "kneighbors", "mahalanobis")
        said = getattr(model, next(name for name in known if hasattr(model, name)))(X)
        if isinstance(said, list) and said and isinstance(said[0], list):
            return np.array([label for labels in said for label in labels])  # of sentences
        said = said[0] if isinstance(said, tuple) else said  # distances, and not the rows that have them
    if hasattr(said, "toarray") and said.shape[0] * said.shape[1] > 10**7:
        return np.asarray(said.tocsr().data)  # a graph of many rows
    return np.asarray(said.toarray() if hasattr(said, "toarray") else said)


def opinion(model: Any, X: Any) -> np.ndarray:
    """What the fitted model says about `X`, up to the numbering of clusters, which is by first occurrence."""
    if role(model) != "clusterer":
        return output(model, X)
    labels = output(model, X) if hasattr(model, "predict") else model.labels_
    _, first, code = np.unique(np.append(labels, -1), return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(np.append(-1, first[1:])))
    return order[code[:-1]] - 1


def speaks(cls: type, message: str) -> bool:
    """Whether a message names the class, or for an estimator made of others one of those inside."""
    names = [cls.__name__]
    if cls.traits.takes == "parts":
        names += [type(part).__name__ for part in make(cls).get_params().values()]
    return any(name in message for name in names)


def learned_state(model: Any) -> dict[str, Any]:
    """The declared learned attributes that are there."""
    return {name: model.__dict__[name] for name in params.learned_shapes(type(model)) if name in model.__dict__}


def digest(model: Any) -> str:
    """SHA-256 of the declared state, that of nested estimators included, and of nothing that depends on the time."""
    encoder, sha = Encoder(), hashlib.sha256()
    sha.update(json.dumps(encoder.encode(_plain(model), type(model).__name__)).encode())
    for key, tensor in encoder.tensors.items():
        sha.update(f"{key} {tensor.shape} {tensor.dtype}".encode() + np.ascontiguousarray(tensor).tobytes())
    return sha.hexdigest()


def _plain(value: Any) -> Any:
    """A value with every estimator in it replaced by its learned state."""
    if isinstance(value, Estimator):
        return {name: _plain(inside) for name, inside in learned_state(value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def assert_close(ours: Any, theirs: Any, tolerance: float, what: str = "") -> None:
    """Equal up to `tolerance` of the largest entry."""
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    assert ours.shape == theirs.shape, f"{what}: shapes {ours.shape} and {theirs.shape}"
    scale = max(np.abs(theirs).max(), 1e-300)
    apart = np.abs(ours - theirs).max() / scale
    assert apart <= tolerance, f"{what}: {apart:.3g} of the largest entry apart, allowed {tolerance:.3g}"
