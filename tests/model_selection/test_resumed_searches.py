"""Searches that go on where a journal ends."""

import numpy as np
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
