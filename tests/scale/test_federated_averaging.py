"""Federated averaging against the model of all rows together, with clients that drop out."""

import numpy as np
import pytest

import learnable
from learnable import DataError, LogisticRegression, MLPClassifier, ParameterError, Ridge, SGDClassifier, SGDRegressor
from learnable.scale.federated_averaging import ClientDropped, FederatedAveraging, LocalClient

DRAWS = np.random.default_rng(0)
ROWS, ALPHA = 4000, 1e-3
X = DRAWS.normal(size=(ROWS, 5))
Y = (DRAWS.random(ROWS) < 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.3)))).astype(int)


def objective(coef, intercept):
    margin = np.where(Y == 1, 1, -1) * (X @ np.ravel(coef) + intercept)
    return float(np.logaddexp(0, -margin).mean() + ALPHA / 2 * np.sum(np.square(coef)))


def excess(model):
    """The log loss above that of the pooled optimum."""
    pooled = LogisticRegression(C=1 / (ALPHA * ROWS), tol=1e-10).fit(X, Y)
    return objective(model.coef_, model.intercept_[0]) - objective(pooled.coef_, pooled.intercept_[0])


def clients(order):
    return [LocalClient(X[rows], Y[rows]) for rows in np.array_split(order, 10)]


IID = clients(DRAWS.permutation(ROWS))
BY_CLASS = clients(np.argsort(Y, kind="stable"))


def sgd(**options):
    return FederatedAveraging(SGDClassifier(loss="log_loss", alpha=ALPHA), client_fraction=0.5, **options)


def test_random_samples_come_near_the_pooled_optimum_and_sorted_ones_do_not():
    same = sgd(n_rounds=60).fit(IID, classes=[0, 1])
    sorted_rows = sgd(n_rounds=60).fit(BY_CLASS, classes=[0, 1])
    assert 0 <= excess(same.model_) < 2e-3
    assert excess(sorted_rows.model_) > 10 * excess(same.model_)
    assert same.rounds_[-1].change < 0.1 < sorted_rows.rounds_[-1].change


def test_logistic_regression_by_warm_starts():
    model = FederatedAveraging(LogisticRegression(C=10 / (ALPHA * ROWS)), n_rounds=4).fit(IID).model_
    assert 0 <= excess(model) < 1e-3
    assert model.max_iter == LogisticRegression().max_iter


def test_networks():
    network = MLPClassifier((8,), learning_rate_init=0.01, random_state=0)
    fit = FederatedAveraging(network, n_rounds=15).fit(IID, classes=[0, 1])
    assert fit.score(X, Y) > 0.8
    assert fit.model_.random_state == 0


class Unreliable(LocalClient):
    """a client that finishes every third time."""

    calls = 0

    def train(self, model, epochs, classes=None):
        self.calls += 1
        if self.calls % 3:
            raise [ClientDropped("battery"), TimeoutError("network")][self.calls % 2]
        return super().train(model, epochs, classes)


def test_clients_that_drop_out_are_left_out_of_the_round():
    fit = sgd(n_rounds=60, local_epochs=2).fit([*IID[:6], *(Unreliable(c.X, c.y) for c in IID[6:])], classes=[0, 1])
    assert sum(len(row.dropped) for row in fit.rounds_) > 40
    assert all(set(row.dropped) <= {6, 7, 8, 9} & set(row.drawn) for row in fit.rounds_)
    assert all(len(row.drawn) == 5 for row in fit.rounds_)
    assert excess(fit.model_) < 2e-3


def test_rounds_with_too_few_clients_change_nothing():
    broken = [Unreliable(c.X, c.y) for c in IID[:3]]
    fit = FederatedAveraging(SGDClassifier(loss="log_loss"), n_rounds=3, min_clients=3).fit(broken, classes=[0, 1])
    assert [row.change for row in fit.rounds_] == [0.0, 0.0, np.inf]
    with pytest.raises(DataError, match="no round had 3 clients that finished"):
        FederatedAveraging(SGDClassifier(), n_rounds=2, min_clients=3).fit(
            [Unreliable(c.X, c.y) for c in IID[:3]], classes=[0, 1]
        )


def test_clients_count_by_their_rows():
    """One exact pass of least squares by each client, so that the average is known."""

    class Given:
        def __init__(self, coef, weight):
            self.coef, self.weight = coef, weight

        def train(self, model, epochs, classes):
            model.partial_fit([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
            model.coef_, model.intercept_ = np.array(self.coef), np.array([self.weight])
            return model, self.weight

    two = [Given([1.0, 0.0], 1.0), Given([0.0, 1.0], 3.0)]
    by_rows = FederatedAveraging(SGDRegressor(), n_rounds=1).fit(two).model_
    alike = FederatedAveraging(SGDRegressor(), n_rounds=1, weighting="uniform").fit(two).model_
    assert by_rows.coef_.tolist() == [0.25, 0.75]
    assert by_rows.intercept_.tolist() == [2.5]
    assert alike.coef_.tolist() == [0.5, 0.5]
    for weight in (0.0, -1.0):
        with pytest.raises(DataError, match="client 0 sent the weight"):
            FederatedAveraging(SGDRegressor(), n_rounds=1).fit([Given([1.0, 0.0], weight)])
    with pytest.raises(DataError, match="not finite"):
        FederatedAveraging(SGDRegressor(), n_rounds=1).fit([Given([np.nan, 0.0], 1.0)])
    with pytest.raises(DataError, match="differ in shape"):
        FederatedAveraging(SGDRegressor(), n_rounds=1).fit([two[0], Given([1.0, 2.0, 3.0], 1.0)])


def test_the_same_seed_gives_the_same_model_which_can_be_saved(tmp_path):
    first, second = (sgd(n_rounds=5).fit(IID, classes=[0, 1]) for _ in range(2))
    for name, fit in (("a", first), ("b", second)):
        learnable.save(fit.model_, tmp_path / name, times=False)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert first.rounds_ == second.rounds_
    assert (learnable.load(tmp_path / "a").predict(X) == first.predict(X)).all()


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="Ridge does not learn by steps"):
        FederatedAveraging(Ridge())
    with pytest.raises(ParameterError, match="client_fraction"):
        FederatedAveraging(SGDRegressor(), client_fraction=0.0)
    with pytest.raises(ParameterError, match="n_rounds"):
        FederatedAveraging(SGDRegressor(), n_rounds=0)
    with pytest.raises(ParameterError, match="weighting"):
        FederatedAveraging(SGDRegressor(), weighting="size")
    with pytest.raises(DataError, match="there are 2 clients"):
        FederatedAveraging(SGDRegressor(), min_clients=3).fit(IID[:2])
    with pytest.raises(learnable.NotFittedError):
        FederatedAveraging(SGDRegressor()).predict(X)
