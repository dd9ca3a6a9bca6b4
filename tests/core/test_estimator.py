"""Estimators and transformers as a whole: scores, containers, names, tags."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
import sklearn.base
import sklearn.cluster
import sklearn.linear_model
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import learnable
from learnable import DataError, NotFittedError, ParameterError
from learnable.core import DataConversionWarning, Regressor
from learnable.core.declare import registry
from tests.toys import ToyDescent, ToyOuter, ToyRidge, ToyScaler

X = np.random.default_rng(0).standard_normal((30, 3))
Y = X @ [1.0, 2.0, 3.0] + np.random.default_rng(1).standard_normal(30)
NAMES = ["a", "b", "c"]


def test_score_is_r_squared():
    model = ToyRidge(alpha=0.3).fit(X, Y)
    weight = np.arange(30.0)
    assert model.score(X, Y) == pytest.approx(r2_score(Y, model.predict(X)))
    assert model.score(X, Y, weight) == pytest.approx(r2_score(Y, model.predict(X), sample_weight=weight))


def test_score_of_a_constant_target():
    model = ToyRidge().fit(X, np.full(30, 2.5))
    assert model.score(X, np.full(30, 2.5)) == r2_score(np.full(30, 2.5), model.predict(X))
    assert model.score(X, np.full(30, 3.0)) == 0.0


def test_score_of_one_row_is_not_a_number():
    with pytest.warns(UserWarning, match="needs at least two rows"):
        assert np.isnan(ToyRidge().fit(X, Y).score(X[:1], Y[:1]))


def test_score_refuses_another_shape():
    with pytest.raises(DataError, match="ToyRidge: y has shape"):
        ToyRidge().fit(X, Y).score(X, np.column_stack([Y, Y]))


def test_scaled_containers():
    scaler = ToyScaler().fit(pandas.DataFrame(X, columns=NAMES))
    plain = X / np.abs(X).max(axis=0)
    frame = pandas.DataFrame(X, columns=NAMES, index=range(100, 130))
    assert type(scaler.transform(frame)) is np.ndarray
    as_pandas = scaler.set_output(transform="pandas").transform(frame)
    assert list(as_pandas.columns) == NAMES and list(as_pandas.index) == list(range(100, 130))
    np.testing.assert_array_equal(as_pandas.to_numpy(), plain)
    as_polars = scaler.set_output(transform="polars").transform(frame)
    assert isinstance(as_polars, polars.DataFrame) and as_polars.columns == NAMES
    np.testing.assert_array_equal(as_polars.to_numpy(), plain)
    assert type(scaler.set_output(transform=None).transform(frame)) is polars.DataFrame
    assert type(scaler.set_output(transform="default").transform(frame)) is np.ndarray


def test_scaled_containers_without_names():
    out = ToyScaler().fit(X).set_output(transform="pandas").transform(X)
    assert list(out.columns) == ["x0", "x1", "x2"] and list(out.index) == list(range(30))


def test_set_output_of_something_else_is_refused():
    with pytest.raises(ParameterError, match="got 'numpy'"):
        ToyScaler().set_output(transform="numpy")


def test_set_output_outlives_clone_as_in_scikit_learn():
    scaler = ToyScaler().set_output(transform="pandas")
    assert isinstance(sklearn.base.clone(scaler).fit(X).transform(X), pandas.DataFrame)
    assert isinstance(scaler.clone().fit(X).transform(X), pandas.DataFrame)


def test_names_out():
    with pytest.raises(NotFittedError):
        ToyScaler().get_feature_names_out()
    unnamed = ToyScaler().fit(X)
    assert unnamed.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    assert unnamed.get_feature_names_out(NAMES).tolist() == NAMES
    with pytest.raises(DataError, match="input_features must name each"):
        unnamed.get_feature_names_out(["a"])
    named = ToyScaler().fit(pandas.DataFrame(X, columns=NAMES))
    assert named.get_feature_names_out().tolist() == NAMES
    with pytest.raises(DataError, match="input_features is not equal"):
        named.get_feature_names_out(["a", "b", "d"])


def test_a_transformer_ignores_the_target():
    assert ToyScaler().fit(X, ["yes"] * 30).n_features_in_ == 3
    assert ToyScaler().fit_transform(X, y=["yes"] * 30).shape == X.shape


def test_pipelines_of_scikit_learn_take_us():
    pipe = make_pipeline(ToyScaler(), ToyRidge(alpha=0.0)).fit(X, Y)
    np.testing.assert_allclose(pipe.predict(X), ToyRidge(alpha=0.0).fit(X, Y).predict(X))
    assert sklearn.base.is_regressor(pipe)
    assert "ToyScaler" in pipe._repr_html_()


def test_tags_come_from_the_class():
    tags = get_tags(ToyRidge())
    assert tags.estimator_type == "regressor" and tags.target_tags.required
    assert not tags.input_tags.sparse and not tags.input_tags.allow_nan
    assert get_tags(ToyScaler()).transformer_tags is not None


def test_fitted_and_unfitted_show_themselves():
    model = ToyRidge()
    assert "not fitted" in model._repr_html_()
    assert "the equations are solved" in model.fit(X, Y)._repr_html_()


def test_abstract_estimators_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Regressor()


def test_a_foreign_class_cannot_take_a_name_of_ours():
    public = registry.all_estimators()
    name, ours = next(iter(public.items()))
    registry.register(type(name, (ToyRidge,), {"__module__": "elsewhere"}))
    assert registry.find(name) is ours
    assert registry.find("ToyRidge") is ToyRidge and registry.find("os.system") is None
    assert "ToyRidge" not in registry.all_estimators()


def test_foreign_estimators_among_the_parameters_are_cloned_unfitted():
    from sklearn.linear_model import Ridge

    class Anything(ToyOuter): ...

    fitted = Ridge(alpha=3.0).fit(X, Y)
    for value in (fitted, [fitted]):
        copy = Anything(inner=value).clone().inner
        copy = copy[0] if isinstance(copy, list) else copy
        assert copy.alpha == 3.0 and not hasattr(copy, "coef_")


def test_refit_on_other_columns():
    model = ToyDescent().fit(X, Y).fit(X[:, :2], Y)
    assert model.n_features_in_ == 2 and model.predict(X[:, :2]).shape == (30,)


def test_a_column_for_a_target_passes_through_nested_fits_once():
    with pytest.warns(DataConversionWarning) as caught:
        ToyOuter().fit(X, Y[:, None])
    assert len(caught) == 1


def test_clone_is_that_of_scikit_learn():
    from sklearn.frozen import FrozenEstimator

    fitted = ToyRidge(alpha=3.0).fit(X, Y)
    foreign = sklearn.linear_model.Ridge(alpha=4.0).fit(X, Y)
    for model in (fitted, foreign, ToyOuter(inner=ToyDescent())):
        copy = learnable.clone(model)
        assert type(copy) is type(model) and copy is not model and not hasattr(copy, "coef_")
        assert repr(copy.get_params()) == repr(sklearn.base.clone(model).get_params())
    pair = learnable.clone((fitted, [foreign]))
    assert [pair[0].alpha, pair[1][0].alpha] == [3.0, 4.0]
    frozen = FrozenEstimator(foreign)
    assert learnable.clone(frozen) is frozen
    assert learnable.clone({"a": 1}, safe=False) == {"a": 1}
    with pytest.raises(TypeError, match="3 is not an estimator"):
        learnable.clone([fitted, 3])
    with pytest.raises(TypeError, match=r"give an estimator such as ToyRidge\(\), not its class"):
        learnable.clone(ToyRidge)


@pytest.mark.parametrize("question", ["is_classifier", "is_regressor", "is_clusterer", "is_outlier_detector"])
def test_type_predicates_agree_with_scikit_learn(question):
    for model in (learnable.Ridge(), learnable.LogisticRegression(), sklearn.cluster.KMeans(), learnable.OneClassSVM()):
        assert getattr(learnable.base, question)(model) == getattr(sklearn.base, question)(model)


def test_what_a_fit_gives_is_missing_with_a_reason_before():
    scale = learnable.StandardScaler()
    bagging = learnable.BaggingRegressor(learnable.Ridge(), n_estimators=2).fit([[0.0], [1.0]], [0.0, 1.0])
    pipeline = learnable.make_pipeline(scale, learnable.Ridge())
    for ask in (lambda: scale.mean_, lambda: pipeline.steps[0][1].mean_, lambda: bagging.estimator.coef_):
        with pytest.raises(AttributeError, match=r" has no (mean|coef)_ yet: it is not fitted.*best_estimator_"):
            ask()
    assert not hasattr(scale, "mean_")
    with pytest.raises(AttributeError, match="'StandardScaler' object has no attribute 'median_'"):
        scale.median_  # noqa: B018  # the question is the test
    with pytest.raises(AttributeError, match="This 'Pipeline' has no attribute 'predict_proba'"):
        pipeline.predict_proba([[1.0]])


def test_estimators_are_instances_of_the_mixins_of_their_kind():
    base = learnable.base
    for model, mixin in (
        (learnable.Ridge(), base.RegressorMixin),
        (learnable.ClassifierChain(learnable.LogisticRegression()), base.ClassifierMixin),
        (learnable.KMeans(), base.ClusterMixin),
        (learnable.PCA(), base.TransformerMixin),
    ):
        assert isinstance(model, mixin) and isinstance(model, base.BaseEstimator)
    assert not isinstance(learnable.Ridge(), base.ClassifierMixin) and not isinstance("Ridge", base.BaseEstimator)
