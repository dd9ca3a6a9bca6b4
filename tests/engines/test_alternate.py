"""Block-alternating minimisation: monotone objectives, and runs that go on from a stored state."""

import numpy as np
import pytest

import learnable
from learnable.core import Trace
from learnable.engines.alternate import Alternation, labels_and_centres
from learnable.engines.iterate import iterate

MODELS = [
    learnable.BalancedKMeans(4, random_state=0),
    learnable.ConstrainedKMeans(4, cannot_link=[(0, 1), (1, 2), (0, 2)], must_link=[(3, 4)], random_state=0),
    learnable.FuzzyCMeans(4, random_state=0),
    learnable.KernelKMeans(4, gamma=0.3, random_state=0),
    learnable.KMedoids(4, method="alternate", init="random", random_state=0),
    learnable.KPrototypes(4, random_state=0),
]


def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(120, 3))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_objective_never_rises(model):
    objective = np.array([row["objective"] for row in model.clone().fit(rows()).trace_.rows])
    assert len(objective) > 2
    assert (np.diff(objective) <= 1e-12 * objective[:-1]).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_resumed_run_has_the_same_bits(model, tmp_path):
    X, whole = rows(), model.clone()
    whole.fit(X)
    with (
        learnable.checkpoint(tmp_path / "run", every=0),
        learnable.watch(lambda event: event.iteration >= 2),
        pytest.warns(learnable.ConvergenceWarning, match="after 2 iterations"),
    ):
        model.clone().fit(X)
    with learnable.checkpoint(tmp_path / "run", every=0):
        resumed = model.clone().fit(X)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    assert resumed.inertia_ == whole.inertia_ and resumed.n_iter_ == whole.n_iter_


def test_a_step_counts_changed_labels_and_drops_entries_for_the_update():
    X = np.array([0.0, 1.0, 9.0, 10.0])

    def assign(state):
        apart = (X[:, None] - state["centres"]) ** 2
        return {"labels": apart.argmin(axis=1), "objective": float(apart.min(axis=1).sum()), "further": 1}

    def update(state):
        assert state["further"] == 1
        return {"centres": np.array([X[state["labels"] == k].mean() for k in range(2)])}

    trace = Trace()
    state = iterate(Alternation(labels_and_centres(np.array([0.0, 1.0]), 4), assign, update), 10, trace)
    assert set(state) == {"centres", "labels", "objective", "changed"}
    assert state["centres"].tolist() == [0.5, 9.5] and state["objective"] == 1.0
    assert [row["criterion"] for row in trace.rows] == [4.0, 1.0, 0.0]
