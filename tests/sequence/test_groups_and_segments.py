"""Sequences named by a column of a table, states that rows may have, and segments of paths."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest

from learnable.core import DataError
from learnable.sequence import GaussianHMM, HiddenSemiMarkovModel, LinearGaussianSSM, MarkovChain, PoissonHMM


def with_parameters(model, **attributes):
    for name, value in attributes.items():
        setattr(model, name, np.array(value, dtype=float))
    return model


DRAWS = np.random.default_rng(0)
ROWS = np.repeat([0.0, 4.0, 0.0, 4.0], [5, 4, 6, 5])[:, None] + DRAWS.standard_normal((20, 2))
LENGTHS = [9, 11]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_column_names_the_sequences(library):
    table = library({"a": ROWS[:, 0], "patient": ["p"] * 9 + ["q"] * 11, "b": ROWS[:, 1]})
    model = GaussianHMM(2, n_iter=50, random_state=0).fit(table, lengths="patient")
    plain = GaussianHMM(2, n_iter=50, random_state=0).fit(ROWS, LENGTHS)
    np.testing.assert_array_equal(model.means_, plain.means_)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.score(table, "patient") == plain.score(ROWS, LENGTHS)
    assert len(LinearGaussianSSM(1, n_iter=2000).fit(table, lengths="patient").score_sequences(table, "patient")) == 2


def test_columns_that_cannot_name_sequences_are_refused():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "day": [1, 2, 1]})
    with pytest.raises(DataError, match="day=1 are not together: row 2 comes after another sequence; sort"):
        GaussianHMM().fit(table, lengths="day")
    with pytest.raises(DataError, match="no column 'week', which lengths names; it has"):
        GaussianHMM().fit(table, lengths="week")
    with pytest.raises(DataError, match="is for a data frame with a column of this name"):
        GaussianHMM().fit(ROWS, lengths="day")
    with pytest.raises(DataError, match="row 1 has no value"):
        GaussianHMM().fit(table.assign(day=[1.0, np.nan, 2.0]), lengths="day")


def test_a_table_of_allowed_states_holds_for_all_paths():
    allowed = np.ones((20, 2), dtype=bool)
    allowed[:3, 1] = allowed[7, 0] = False
    model = GaussianHMM(2, n_iter=50, random_state=0).fit(ROWS, LENGTHS, y=allowed)
    assert model.predict(ROWS, LENGTHS)[[0, 1, 2, 7]].tolist() == [0, 0, 0, 1]
    codes = np.full(20, -1)
    codes[[0, 1, 2, 7]] = 0, 0, 0, 1
    known = GaussianHMM(2, n_iter=100, random_state=0)
    other = GaussianHMM(2, n_iter=100, random_state=0)
    for one in (known, other):  # from the same parameters
        with_parameters(one, startprob_=[0.5, 0.5], transmat_=[[0.8, 0.2], [0.3, 0.7]], means_=[[0, 0], [4, 4]])
        one._covars_ = np.ones((2, 2))
        one.init_params = ""
    np.testing.assert_allclose(
        known.fit(ROWS, LENGTHS, y=codes).means_, other.fit(ROWS, LENGTHS, y=allowed).means_, rtol=1e-12
    )
    with pytest.raises(DataError, match="y allows no state in row 4"):
        GaussianHMM(2).fit(ROWS, y=np.arange(20)[:, None] != [4, 4])
    with pytest.raises(DataError, match=r"\(20, 2\); it has the shape \(20, 3\)"):
        GaussianHMM(2).fit(ROWS, y=np.ones((20, 3), dtype=bool))


def enumerated(model, rows, segment):
    """P(all steps of the segment are in its state), over all paths."""
    total = inside = 0.0
    for path in itertools.product(range(2), repeat=len(rows)):
        logs = np.log(model.startprob_[path[0]])
        for t, state in enumerate(path):
            logs += np.log(model.transmat_[path[t - 1], state]) if t else 0.0
            logs += rows[t, 0] * np.log(model.lambdas_[state, 0]) - model.lambdas_[state, 0]
        total += np.exp(logs)
        inside += np.exp(logs) * all(path[t] == segment.state for t in range(segment.begin, segment.end))
    return inside / total


def test_probabilities_of_segments_are_those_of_all_paths():
    model = with_parameters(
        PoissonHMM(2), startprob_=[0.6, 0.4], transmat_=[[0.7, 0.3], [0.2, 0.8]], lambdas_=[[1.0], [3.0]]
    )
    rows = np.array([[1], [0], [5], [3], [4], [1], [0]])
    found = model.segments(rows)
    assert [(s.state, s.begin, s.end) for s in found] == [(0, 0, 2), (1, 2, 5), (0, 5, 7)]
    for segment in found:
        assert segment.probability == pytest.approx(enumerated(model, rows, segment), rel=1e-10)
    two = model.segments(np.vstack([rows, rows]), [7, 7])
    assert [s.sequence for s in two] == [0] * 3 + [1] * 3
    np.testing.assert_allclose([s.probability for s in two], [s.probability for s in found] * 2)


def test_segments_of_semi_markov_models():
    """With geometric durations from 1 step on the model is a Markov chain, and so are its segments."""
    X = np.repeat([0.0, 5.0, 0.0], [6, 4, 5])[:, None] + 0.5 * DRAWS.standard_normal((15, 1))
    model = HiddenSemiMarkovModel(2, max_duration=12, n_iter=20, random_state=0).fit(X)
    found = model.segments(X)
    assert [(s.begin, s.end) for s in found] == [(0, 6), (6, 10), (10, 15)]
    assert all(0.9 < s.probability <= 1 for s in found)


def test_chains_of_observed_states_take_columns_too():
    table = pd.DataFrame({"state": [0, 1, 1, 0], "run": ["a", "a", "b", "b"]})
    chain = MarkovChain().fit(table, lengths="run")
    np.testing.assert_array_equal(chain.transmat_, MarkovChain().fit([[0], [1], [1], [0]], [2, 2]).transmat_)
