"""What a model costs beside what it scores (FRM-13)."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from learnable import GridSearchCV, LinearRegression, Pipeline, StandardScaler, cross_validate, quality_report
from learnable.datasets import load_diabetes
from learnable.model_selection.model_quality import learned_bytes, reading

X, Y = load_diabetes(return_X_y=True)
MODELS = {
    "line": LinearRegression(),
    "scaled line": Pipeline([("scale", StandardScaler()), ("line", LinearRegression())]),
    "tree": DecisionTreeRegressor(max_depth=3, random_state=0),
    "neighbours": KNeighborsRegressor(5),
}


def test_every_model_has_score_times_size_and_reading():
    report = quality_report(MODELS, X, Y, cv=3)
    rows = {row.name: row for row in report.rows}
    assert [row.score.mean for row in report.rows] == sorted((row.score.mean for row in report.rows), reverse=True)
    for name, model in MODELS.items():
        assert rows[name].score == cross_validate(model, X, Y, cv=3).summary()["score"]
        assert rows[name].fit_seconds > 0 and rows[name].query_seconds > 0 and rows[name].bytes > 0
    readings = ["coefficients", "coefficients", "importances of columns", "nothing"]
    assert [rows[name].reading for name in MODELS] == readings
    shown = str(report).splitlines()
    assert len(shown) == 5 and shown[0].split()[0] == "model" and "coefficients" in str(report)
    assert report.to_frame().shape == (4, 8)


def test_a_model_that_keeps_its_rows_is_larger_than_one_that_keeps_weights():
    line, lazy = LinearRegression().fit(X, Y), Pipeline([("scale", StandardScaler()), ("line", LinearRegression())])
    assert X.shape[1] * 8 <= learned_bytes(line) < 5000
    assert learned_bytes(lazy) == len("scale") + len("line"), "what was not fitted has learned nothing"
    assert learned_bytes(lazy.fit(X, Y)) > learned_bytes(line)
    small, deep = (DecisionTreeRegressor(max_depth=d, random_state=0).fit(X, Y) for d in (1, 8))
    assert learned_bytes(deep) > 10 * learned_bytes(small) > 0


@pytest.mark.parametrize(
    ("value", "size"),
    [(np.zeros(4), 32), ([1.0, "abc"], 11), ({"a": np.zeros(2)}, 17), (None, 0), (np.array(["x", 1], dtype=object), 9)],
)
def test_bytes_of_plain_values(value, size):
    assert learned_bytes(value) == size


def test_models_without_a_target_and_without_anything_to_read():
    class Silent:
        """Nothing that ends in an underscore."""

    assert reading(Silent()) == "nothing"
    search = GridSearchCV(MODELS["scaled line"], {"line__fit_intercept": [True, False]}, cv=3).fit(X, Y)
    assert reading(search) == "coefficients"
    from sklearn.cluster import KMeans

    report = quality_report({"three": KMeans(3, n_init=1, random_state=0)}, X, cv=3)
    assert report.rows[0].reading == "centres"
