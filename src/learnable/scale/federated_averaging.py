"""Federated averaging: a model trained where the rows are, without moving them."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np

from ..core import Array, ConvergenceWarning, DataError, ParameterError, RandomState, cloned, generator, seed_of
from ..core.errors import not_fitted

AVERAGED = (
    "coef_", "intercept_", "coefs_", "intercepts_", "standard_coef_", "standard_intercept_", "average_coef_",
    "average_intercept_",
)  # fmt: skip
"""The learned attributes that are averaged; all other ones are those of the first client."""
OPTIMISER_STATE = ("optimiser_slots_", "optimiser_steps_")  # moments of the steps of one client


class ClientDropped(RuntimeError):
    """What a client raises that cannot finish a round, as OSError and TimeoutError also say."""


class FederatedClient(Protocol):
    """A party that holds rows and trains on them; it may send the model to another machine as a file."""

    def train(self, model: Any, epochs: int, classes: Any) -> tuple[Any, float]:
        """The model after `epochs` epochs over the rows of this client, and the weight of these rows."""


@dataclass
class LocalClient:
    """A client whose rows are in this process."""

    X: Any
    y: Any
    sample_weight: Any = None

    def train(self, model: Any, epochs: int, classes: Any = None) -> tuple[Any, float]:
        """The model after `epochs` epochs over the rows, and the weight of these rows."""
        weight = float(len(self.y)) if self.sample_weight is None else float(np.sum(self.sample_weight))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # no client is to converge in a round
            if hasattr(model, "partial_fit"):
                options = {} if classes is None else {"classes": classes}
                for _ in range(epochs):
                    model.partial_fit(self.X, self.y, sample_weight=self.sample_weight, **options)
            else:
                given = model.get_params(deep=False)
                model.set_params(warm_start=True, max_iter=epochs).fit(self.X, self.y, self.sample_weight)
                model.set_params(warm_start=given["warm_start"], max_iter=given["max_iter"])
        return model, weight


class FederatedRound(NamedTuple):
    """A round: the clients that were drawn, those of them that dropped out, and how far the model moved.

    `change` is the Euclidean distance between the averaged parameters before and after, relative to those after.
    """

    drawn: list[int]
    dropped: list[int]
    change: float


class FederatedAveraging:
    """Federated averaging (FedAvg): clients train a copy of a model, a server averages their parameters.

    w  <-  sum over clients k that finish of  n_k w_k  /  sum of n_k

    Every round draws a fraction of the clients. Each of them trains the model for some epochs on its own rows and sends
    back its parameters; clients that drop out of a round are left out of its average. It suits models that learn by
    steps, such as SGD, logistic regression and neural networks. With clients that hold random samples of the same
    rows it comes near the model of all rows together. Where their distributions differ, each client moves towards its
    own optimum, and the average is not the optimum of all; fewer local epochs, smaller steps or more rounds lessen
    that. Least squares, naive Bayes, discriminant analysis and PCA need no rounds: add their exact summaries, which
    gives the model of all rows. [McMahan et al., Communication-efficient learning of deep networks, 2017]

    >>> import numpy as np
    >>> from learnable import SGDRegressor
    >>> X = np.arange(40.0)[:, None] / 40
    >>> clients = [LocalClient(X[k::4], 2 * X[k::4, 0]) for k in range(4)]
    >>> model = FederatedAveraging(SGDRegressor(learning_rate="constant", eta0=0.1, alpha=0), n_rounds=100).fit(clients)
    >>> bool(abs(model.model_.coef_[0] - 2) < 0.05), len(model.rounds_)
    (True, 100)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        n_rounds: int = 50,
        client_fraction: float = 1.0,
        min_clients: int = 1,
        local_epochs: int = 1,
        weighting: Literal["rows", "uniform"] = "rows",
        random_state: RandomState = 0,
    ) -> None:
        for name, value in (("n_rounds", n_rounds), ("min_clients", min_clients), ("local_epochs", local_epochs)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise ParameterError(f"FederatedAveraging: {name} must be a whole number above 0; got {value!r:.40}")
        if not 0 < client_fraction <= 1:
            raise ParameterError(
                f"FederatedAveraging: client_fraction must be above 0 and at most 1; got {client_fraction!r:.40}"
            )
        if weighting not in ("rows", "uniform"):
            raise ParameterError(f'FederatedAveraging: weighting must be "rows" or "uniform"; got {weighting!r:.40}')
        if not _learns_by_steps(estimator):
            raise ParameterError(
                f"FederatedAveraging: {type(estimator).__name__} does not learn by steps, as SGD, logistic regression "
                "and neural networks do; add exact summaries instead where it has them"
            )
        self.estimator, self.n_rounds, self.client_fraction = estimator, int(n_rounds), float(client_fraction)
        self.min_clients, self.local_epochs = int(min_clients), int(local_epochs)
        self.weighting, self.random_state = weighting, random_state

    def fit(self, clients: Sequence[FederatedClient], classes: Any = None) -> Self:
        """Train with these clients; a classifier needs all `classes`, as no client may have rows of each."""
        if len(clients) < self.min_clients:
            raise DataError(f"FederatedAveraging: min_clients={self.min_clients}, but there are {len(clients)} clients")
        model, rounds = cloned(self.estimator), list[FederatedRound]()
        seed = seed_of(self.random_state)
        for number in range(self.n_rounds):
            drawn = self._draw(len(clients), seed, number)
            trained, dropped = self._train(model, clients, drawn, seed, number, classes)
            if len(trained) < self.min_clients:
                rounds.append(FederatedRound(drawn, dropped, 0.0))
                continue
            before, model = model, self._averaged(trained)
            rounds.append(FederatedRound(drawn, dropped, _change(before, model)))
        if not any(len(row.drawn) - len(row.dropped) >= self.min_clients for row in rounds):
            raise DataError(
                f"FederatedAveraging: no round had {self.min_clients} clients that finished; nothing is learned"
            )
        self.model_, self.rounds_ = model, rounds
        return self

    def predict(self, X: Any) -> Array:
        """The predictions of the averaged model."""
        return np.asarray(self._fitted().predict(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of the averaged model."""
        return float(self._fitted().score(X, y, sample_weight))

    def _fitted(self) -> Any:
        if "model_" not in self.__dict__:
            raise not_fitted(self)
        return self.model_

    def _draw(self, clients: int, seed: int, number: int) -> list[int]:
        """The clients of a round."""
        count = max(self.min_clients, round(self.client_fraction * clients))
        return sorted(generator(seed, number).choice(clients, count, replace=False).tolist())

    def _train(
        self, model: Any, clients: Sequence[FederatedClient], drawn: list[int], seed: int, number: int, classes: Any
    ) -> tuple[list[tuple[Any, float]], list[int]]:
        """What the clients of a round send back, and those that dropped out."""
        trained, dropped = [], []
        seeded = "random_state" in model.get_params(deep=False)
        for client in drawn:
            its = copy.deepcopy(model)
            if seeded:
                its.random_state = int(generator(seed, number, client).integers(2**31))
            try:
                its, weight = clients[client].train(its, self.local_epochs, classes)
            except (ClientDropped, OSError):
                dropped.append(client)
                continue
            _refuse_useless(its, weight, client)
            if seeded:
                its.random_state = self.estimator.random_state
            trained.append((its, weight))
        return trained, dropped

    def _averaged(self, trained: list[tuple[Any, float]]) -> Any:
        """The first model with the parameters of all averaged."""
        weights = np.array([weight if self.weighting == "rows" else 1.0 for _, weight in trained])
        model = trained[0][0]
        parts = [_parameters(its) for its, _ in trained]
        shapes = [[np.shape(array) for array in part.values()] for part in parts]
        if not all(part.keys() == parts[0].keys() for part in parts) or any(shape != shapes[0] for shape in shapes):
            raise DataError("FederatedAveraging: the models of the clients differ in shape; give them equal columns")
        means = {name: _mean([part[name] for part in parts], weights) for name in parts[0]}
        for (name, layer), mean in means.items():
            if layer is None:
                setattr(model, name, mean if np.ndim(mean) else float(mean))
            else:
                getattr(model, name)[layer][...] = mean
        for name in OPTIMISER_STATE:
            model.__dict__.pop(name, None)
        return model


def _learns_by_steps(estimator: Any) -> bool:
    """Whether fits go on from what was learned, and not by sums that are better added themselves."""
    if hasattr(estimator, "_exact_summary"):
        return False
    return hasattr(estimator, "partial_fit") or {"warm_start", "max_iter"} <= estimator.get_params().keys()


def _parameters(model: Any) -> dict[tuple[str, int | None], Array]:
    """What is averaged, by name and layer."""
    found: dict[tuple[str, int | None], Array] = {}
    for name in AVERAGED:
        value = model.__dict__.get(name)
        if isinstance(value, list):
            found |= {(name, layer): part for layer, part in enumerate(value)}
        elif value is not None:
            found[name, None] = np.asarray(value)
    return found


def _mean(values: list[Array], weights: Array) -> Array:
    """The weighted mean of arrays, in double precision."""
    total = sum(weight * value.astype(np.float64) for weight, value in zip(weights, values, strict=True))
    return np.asarray(total / weights.sum()).astype(values[0].dtype)


def _change(before: Any, after: Any) -> float:
    """The relative distance of the parameters of two models; infinite for the first."""
    first, second = (
        np.concatenate([part.ravel() for part in _parameters(m).values()] or [np.empty(0)]) for m in (before, after)
    )
    if first.shape != second.shape:
        return np.inf
    return float(np.linalg.norm(second - first) / max(np.linalg.norm(second), np.finfo(float).tiny))


def _refuse_useless(model: Any, weight: float, client: int) -> None:
    """Raise a `DataError` for parameters that would spoil the average."""
    parts = _parameters(model)
    if not parts:
        raise DataError(
            f"FederatedAveraging: the {type(model).__name__} of client {client} has no coefficients to average"
        )
    if not all(np.isfinite(part).all() for part in parts.values()):
        raise DataError(f"FederatedAveraging: client {client} sent parameters that are not finite numbers")
    if not (np.isfinite(weight) and weight > 0):
        raise DataError(f"FederatedAveraging: client {client} sent the weight {weight!r}; it must be positive")
