"""Searches that go on where a journal ends."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from learnable import GridSearchCV, Ridge

X, Y = load_diabetes(return_X_y=True)


def test_a_journal_that_was_cut_short_gives_the_same_bits_by_the_shortcut(tmp_path, monkeypatch):
    path, grid = tmp_path / "search.jsonl", {"alpha": np.geomspace(1e-3, 1e3, 12)}
    whole = GridSearchCV(Ridge(), grid, cv=4, journal=path).fit(X, Y)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:18]))
    fits = []
    plain = Ridge._fit
    monkeypatch.setattr(Ridge, "_fit", lambda self, data, trace: fits.append(1) or plain(self, data, trace))
    again = GridSearchCV(Ridge(), grid, cv=4, journal=path).fit(X, Y)
    np.testing.assert_array_equal(again.test_scores_["score"], whole.test_scores_["score"])
    assert len(fits) == 1 and np.isfinite(again.cv_results_["mean_fit_time"]).all()
    GridSearchCV(Ridge(), {"alpha": [*grid["alpha"], 1e4]}, cv=4, journal=path).fit(X, Y)
    assert len(fits) == 2, "a longer grid keeps the shortcut"


def _fails_from_two_on(model, X, y):
    if model.alpha >= 2:
        raise ValueError("no score")
    return 1.0


@pytest.mark.filterwarnings("ignore:Some test scores")
def test_a_journal_keeps_no_stand_in_for_a_score_under_another_rule(tmp_path):
    path = tmp_path / "search.jsonl"
    for stand_in in (np.nan, 0.0):
        search = GridSearchCV(
            Ridge(), {"alpha": [1, 2]}, scoring=_fails_from_two_on, cv=2, journal=path, error_score=stand_in
        )
        with pytest.warns(UserWarning, match="scorer failed"):
            search.fit(X, Y)
        np.testing.assert_array_equal(search.cv_results_["mean_test_score"], [1.0, stand_in])
    with pytest.raises(ValueError, match="no score"):
        search.set_params(error_score="raise").fit(X, Y)
