"""Pictures of hidden Markov models show what was computed."""

import matplotlib as mpl
import numpy as np
import pytest

from learnable import GaussianHMM, MarkovChain, Ridge
from learnable.plot import StateTimelineDisplay, TransitionGraphDisplay, TrellisDisplay
from tests.sequence.hmm_data import switching

mpl.use("Agg")


@pytest.fixture
def model():
    X, _ = switching(120)
    return GaussianHMM(2, n_iter=100, random_state=0).fit(X)


def test_the_trellis_has_the_best_path_and_posteriors_as_areas(model):
    X, _ = switching(8, seed=3)
    drawn = TrellisDisplay.from_estimator(model, X, state_names=["$low$", "high"], observations=list("abcdefgh"))
    np.testing.assert_array_equal(drawn.path_.get_ydata(), model.predict(X))
    np.testing.assert_allclose(drawn.states_.get_sizes(), 20 + 380 * model.predict_proba(X).ravel())
    assert drawn.ax_.get_yticklabels()[0].get_text() == r"\$low\$"


def test_the_timeline_changes_colour_where_the_state_changes(model):
    X, _ = switching(60, seed=4)
    drawn = StateTimelineDisplay.from_estimator(model, X, column=1, times=np.arange(60) + 1900)
    states = model.predict(X)
    assert len(drawn.spans_) == 1 + (np.diff(states) != 0).sum()
    np.testing.assert_array_equal(drawn.line_.get_ydata(), X[:, 1])
    assert len(StateTimelineDisplay([1.0], [0]).plot().spans_) == 1


def test_the_graph_has_an_arrow_for_each_transition(model):
    chain = MarkovChain().fit([[0], [1], [2], [0], [1], [1], [0]])
    drawn = TransitionGraphDisplay.from_estimator(chain)
    off = chain.transmat_[~np.eye(3, dtype=bool)]
    assert len(drawn.arrows_) == (off >= 0.01).sum()
    texts = {text.get_text() for text in drawn.ax_.texts}
    assert "stays: 0.33" in texts and f"{chain.transmat_[1, 0]:.2f}" in texts
    assert TransitionGraphDisplay.from_estimator(model, least=0.999).arrows_ == []
    with pytest.raises(ValueError, match="transmat_"):
        TransitionGraphDisplay.from_estimator(Ridge().fit([[1.0], [2.0]], [1, 2]))
