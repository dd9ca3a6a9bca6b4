"""The fit on all rows after a search, or none."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from learnable import GridSearchCV, ParameterError, Ridge

X, Y = load_diabetes(return_X_y=True)
ALPHAS = {"alpha": [1e-3, 0.1, 1.0, 30.0]}


def test_without_refit_there_is_a_choice_but_no_model():
    search = GridSearchCV(Ridge(), ALPHAS, refit=False).fit(X, Y)
    assert search.best_params_ in search.candidates_ and not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError) as caught:
        search.predict(X)
    assert "refit=True" in str(caught.value.__cause__)


def test_the_last_fit_is_that_of_all_rows():
    search = GridSearchCV(Ridge(), {"alpha": [0.01, 1.0, 100.0]}, cv=4).fit(X, Y)
    alone = Ridge(**search.best_params_).fit(X, Y)
    np.testing.assert_allclose(search.best_estimator_.coef_, alone.coef_, rtol=1e-9)
    np.testing.assert_allclose(search.predict(X), alone.predict(X), rtol=1e-9)


def test_a_search_that_chose_nothing_says_so():
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, scoring=["r2", "neg_mean_absolute_error"], refit=False)
    search.fit(X, Y)
    with pytest.raises(ParameterError, match=r"no candidate was chosen.*set refit to the name of the score"):
        search.summary()
    assert not hasattr(search, "refit_time_") and not hasattr(search, "best_params_")
