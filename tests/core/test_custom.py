"""Estimators that people write for scikit-learn, with `learnable.base` in place of `sklearn.base`."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn.model_selection
import sklearn.pipeline
from sklearn.utils.estimator_checks import check_estimator

from learnable import (
    GridSearchCV,
    LogisticRegression,
    Pipeline,
    StandardScaler,
    cross_validate,
    load_iris,
    make_pipeline,
)
from learnable.base import (
    BaseEstimator,
    BiclusterMixin,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    DensityMixin,
    MetaEstimatorMixin,
    MultiOutputMixin,
    OneToOneFeatureMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
    clone,
    is_classifier,
    is_clusterer,
    is_outlier_detector,
    is_regressor,
)
from learnable.utils import get_tags
from learnable.utils.multiclass import check_classification_targets, unique_labels
from learnable.utils.validation import check_is_fitted, validate_data

X, Y = load_iris(return_X_y=True)


class Nearest(ClassifierMixin, BaseEstimator):
    """The class of the nearest mean."""

    def __init__(self, shrink: float = 0.0) -> None:
        self.shrink = shrink

    def fit(self, X: Any, y: Any) -> "Nearest":
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_ = unique_labels(y)
        means = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        self.means_ = (1 - self.shrink) * means + self.shrink * X.mean(axis=0)
        return self

    def predict(self, X: Any) -> Any:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


class Centred(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Columns with mean 0."""

    def fit(self, X: Any, y: Any = None) -> "Centred":
        self.mean_ = validate_data(self, X, dtype=[np.float64, np.float32]).mean(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32]) - self.mean_


class Level(RegressorMixin, MultiOutputMixin, BaseEstimator):
    """The mean of the target."""

    def fit(self, X: Any, y: Any) -> "Level":
        self.mean_ = np.mean(y, axis=0)
        return self

    def predict(self, X: Any) -> Any:
        return np.full((len(X), *np.shape(self.mean_)), self.mean_)


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit")
@pytest.mark.parametrize("estimator", [Nearest(), Centred()], ids=repr)
def test_custom_estimators_pass_scikit_learns_checks(estimator: Any) -> None:
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("home", [Pipeline, sklearn.pipeline.Pipeline])
def test_they_work_in_pipelines_searches_and_cross_validation_of_both(home: Any) -> None:
    pipeline = home([("centre", Centred()), ("scale", StandardScaler()), ("nearest", Nearest())])
    assert pipeline.fit(X, Y).score(X, Y) > 0.8
    assert cross_validate(pipeline, X, Y, cv=3)["test_score"].mean() > 0.8
    assert sklearn.model_selection.cross_validate(pipeline, X, Y, cv=3)["test_score"].mean() > 0.8
    search = GridSearchCV(pipeline, {"nearest__shrink": [0.0, 1.0]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"nearest__shrink": 0.0}


def test_parameters_are_the_arguments_of_the_constructor() -> None:
    class Both(MetaEstimatorMixin, BaseEstimator):
        def __init__(self, first: Any, *, second: int = 2) -> None:
            self.first, self.second = first, second

    both = Both(Nearest(0.5))
    assert list(both.get_params()) == ["first__shrink", "first", "second"]
    assert both.set_params(first__shrink=0.25, second=3).first.shrink == 0.25
    assert repr(both) == "Both(first=Nearest(shrink=0.25), second=3)"
    copy = clone(both)
    assert copy is not both and copy.first is not both.first and repr(copy) == repr(both)
    with pytest.raises(ValueError, match="Both has no parameter 'third'; it has first, second"):
        both.set_params(third=1)
    assert repr(pickle.loads(pickle.dumps(Nearest(0.1)))) == "Nearest(shrink=0.1)"

    class Open(BaseEstimator):
        def __init__(self, *args: Any) -> None: ...

    with pytest.raises(RuntimeError, match=r"Open\.__init__ must name each argument"):
        Open().get_params()


def test_transformers_return_the_requested_container() -> None:
    frame = pandas.DataFrame(X, columns=list("abcd"))
    centred = Centred().set_output(transform="pandas").fit_transform(frame)
    assert list(centred.columns) == list("abcd")
    np.testing.assert_allclose(centred.to_numpy(), X - X.mean(axis=0))
    assert make_pipeline(Centred(), LogisticRegression()).fit(frame, Y)[:-1].get_feature_names_out().tolist() == [
        *"abcd"
    ]
    with pytest.raises(ValueError, match="set_output: transform must be"):
        Centred().set_output(transform="excel")  # type: ignore[arg-type]  # on purpose

    class Drawn(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
        _n_features_out = 2

    assert Drawn().get_feature_names_out().tolist() == ["drawn0", "drawn1"]


def test_copies_keep_the_requested_container() -> None:
    frame = pandas.DataFrame(X, columns=list("abcd"))
    assert list(clone(Centred().set_output(transform="pandas")).fit_transform(frame).columns) == list("abcd")
    pipeline = make_pipeline(Centred(), StandardScaler()).set_output(transform="pandas").fit(frame)
    assert list(pipeline[0].transform(frame).columns) == list("abcd")


def test_columns_are_remembered_and_compared() -> None:
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = Nearest().fit(frame, Y)
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="X has 3 features, but Nearest is expecting 4"):
        Nearest().fit(X, Y).predict(X[:, :3])


def test_scores_take_weights() -> None:
    weight = np.arange(150.0)
    right = Nearest().fit(X, Y).predict(X) == Y
    assert Nearest().fit(X, Y).score(X, Y, weight) == pytest.approx(np.average(right, weights=weight))
    assert Level().fit(X, X[:, :2]).score(X, X[:, :2]) == pytest.approx(0)


def test_roles_are_detected() -> None:
    class Groups(ClusterMixin, BaseEstimator):
        def fit(self, X: Any) -> Any:
            self.labels_ = np.zeros(len(X), dtype=int)
            return self

    class Strange(OutlierMixin, BaseEstimator):
        def fit(self, X: Any) -> Any:
            return self

        def predict(self, X: Any) -> Any:
            return np.ones(len(X), dtype=int)

    class Dense(DensityMixin, BaseEstimator): ...

    class Blocks(BiclusterMixin, BaseEstimator):
        rows_, columns_ = np.array([[True, False, True]]), np.array([[False, True]])

    assert is_classifier(Nearest()) and is_regressor(Level())
    assert is_clusterer(Groups()) and Groups().fit_predict(X).sum() == 0
    assert is_outlier_detector(Strange()) and Strange().fit_predict(X).min() == 1
    assert get_tags(Dense()).estimator_type == "density_estimator" and Dense().score(X) is None
    assert get_tags(Level()).target_tags.multi_output and not get_tags(Nearest()).target_tags.multi_output
    assert Blocks().get_shape(0) == (2, 1) and Blocks().biclusters_[0] is Blocks.rows_
    assert Blocks().get_submatrix(0, np.arange(6).reshape(3, 2)).tolist() == [[1], [5]]
    with pytest.raises(AttributeError, match="BaseEstimator"):
        get_tags(object())


def test_tags_need_no_scikit_learn(monkeypatch: Any) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.utils", None)
    tags = get_tags(Nearest())
    assert type(tags).__module__ == "learnable.core.sklearn_api.custom_tags" and tags.classifier_tags.multi_class


def test_the_paths_of_scikit_learn_are_there_without_an_import_of_their_own():
    code = "import learnable; print(learnable.utils.shuffle, learnable.base.BaseEstimator, learnable.exceptions)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
