"""Pipelines and unions: the same results as scikit-learn's, and what ours adds."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import sklearn.linear_model
import sklearn.model_selection
import sklearn.neighbors
import sklearn.pipeline
import sklearn.preprocessing

import learnable
from learnable import (
    PCA,
    ColumnTransformer,
    FeatureUnion,
    Lars,
    MinMaxScaler,
    Pipeline,
    PolynomialFeatures,
    Ridge,
    StandardScaler,
    make_pipeline,
    make_union,
)
from learnable.core import DataError, Estimator, estimator, param

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4)) * [1, 10, 0.1, 3]
Y = X @ [1.0, 0.5, 20.0, 0.0] + RNG.standard_normal(80)


def ours() -> Pipeline:
    return Pipeline([("scale", StandardScaler()), ("ridge", Ridge())])


def test_a_pipeline_predicts_as_scikit_learns():
    other = sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), sklearn.linear_model.Ridge())
    np.testing.assert_allclose(ours().fit(X, Y).predict(X), other.fit(X, Y).predict(X), rtol=1e-10)
    assert ours().fit(X, Y).score(X, Y) == pytest.approx(other.score(X, Y))


def test_parts_of_other_libraries_work_inside():
    mixed = make_pipeline(sklearn.preprocessing.StandardScaler(), Ridge()).fit(X, Y)
    np.testing.assert_allclose(mixed.predict(X), ours().fit(X, Y).predict(X), rtol=1e-10)


def test_the_steps_given_take_over_what_their_copies_learned():
    scale, ridge = StandardScaler(), Ridge()
    inner = Pipeline([("scale", scale)])
    pipeline = Pipeline([("inner", inner), ("ridge", ridge)]).fit(X, Y)
    assert scale.mean_ is pipeline["inner"]["scale"].mean_ and pipeline.steps[-1][1].coef_ is pipeline[-1].coef_
    other = Pipeline([("scale", scale), ("ridge", ridge)]).fit(X + 1, -Y)
    np.testing.assert_allclose(pipeline.predict(X), -other.predict(X + 1), rtol=1e-9)  # copies are not shared
    np.testing.assert_array_equal(scale.mean_, other["scale"].mean_)


def test_a_fit_that_fails_leaves_the_given_steps_as_they_are():
    scale = StandardScaler()
    pipeline = Pipeline([("scale", scale), ("ridge", Ridge())])
    with pytest.raises(ValueError, match="but y has 79"):
        pipeline.fit(X, Y[:-1])
    assert not hasattr(scale, "mean_")
    before = pipeline.fit(X, Y)[0].mean_
    with pytest.raises(ValueError, match="but y has 79"):
        pipeline.fit(X + 1, Y[:-1])
    assert scale.mean_ is before


def test_a_last_step_with_warm_start_goes_on_from_fit_to_fit():
    boosting = learnable.GradientBoostingRegressor(n_estimators=3, warm_start=True, random_state=0)
    pipeline = make_pipeline(StandardScaler(), boosting).fit(X, Y)
    first = pipeline[-1].train_score_[:3].tolist()
    pipeline.set_params(gradientboostingregressor__n_estimators=5).fit(X, Y)
    assert pipeline[-1].train_score_.tolist()[:3] == first and len(pipeline[-1].train_score_) == 5


def test_files_hold_what_was_learned_once(tmp_path):
    pipeline = make_pipeline(StandardScaler(), learnable.RandomForestRegressor(n_estimators=20, random_state=0))
    pipeline.fit(X, Y)
    learnable.save(pipeline, tmp_path / "pipeline"), learnable.save(pipeline[-1], tmp_path / "forest")
    loaded = learnable.load(tmp_path / "pipeline")
    assert loaded.steps[0][1].mean_ is loaded[0].mean_
    assert (tmp_path / "pipeline").stat().st_size < 1.3 * (tmp_path / "forest").stat().st_size


def test_weights_reach_every_step():
    weight = RNG.integers(0, 3, 80).astype(float)
    copies = np.repeat(np.arange(80), weight.astype(int))
    weighted, copied = ours().fit(X, Y, sample_weight=weight), ours().fit(X[copies], Y[copies])
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-9)
    only_last = ours().fit(X, Y, ridge__sample_weight=weight)
    np.testing.assert_allclose(only_last["scale"].mean_, X.mean(axis=0), atol=1e-14)


def test_weights_that_the_last_step_cannot_use_are_refused():
    with pytest.raises(TypeError, match=r"last step 'median' .TheilSenRegressor. takes no sample_weight"):
        Pipeline([("median", learnable.TheilSenRegressor())]).fit(X, Y, sample_weight=np.ones(80))


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        (Pipeline([("scale", StandardScaler), ("ridge", learnable.Ridge())]), "steps"),
        (Pipeline([("scale", StandardScaler())] + [("ridge", learnable.Ridge)]), "steps"),
        (learnable.FeatureUnion([("scale", StandardScaler)]), "transformer_list"),
        (learnable.ColumnTransformer([("scale", StandardScaler, [0])]), "transformers"),
        (learnable.VotingRegressor([("ridge", learnable.Ridge)]), "estimators"),
    ],
)
def test_a_class_is_not_a_step(whole, parts):
    with pytest.raises(
        TypeError, match=rf"{type(whole).__name__}: .* in {parts} is a class, not an instance; use .*\(\)"
    ):
        whole.fit(X, Y)


def test_arguments_without_a_receiver_are_refused():
    with pytest.raises(TypeError, match="which part is 'ridg__sample_weight' for"):
        ours().fit(X, Y, ridg__sample_weight=np.ones(80))


def test_methods_are_those_of_the_last_step():
    assert not hasattr(ours(), "transform") and not hasattr(ours(), "predict_proba") and hasattr(ours(), "predict")
    scalers = make_pipeline(StandardScaler(), MinMaxScaler()).fit(X)
    assert not hasattr(scalers, "predict")
    np.testing.assert_allclose(scalers.inverse_transform(scalers.transform(X)), X, rtol=1e-12, atol=1e-12)


def test_parts_of_a_fitted_pipeline_are_fitted():
    pipeline = ours().fit(X, Y)
    np.testing.assert_array_equal(pipeline[:-1].transform(X), pipeline["scale"].transform(X))
    assert len(pipeline) == 2 and [type(step).__name__ for step in pipeline] == ["StandardScaler", "Ridge"]
    with pytest.raises(ValueError, match="with a step of 1"):
        pipeline[::2]


def test_parameters_reach_into_steps():
    pipeline = ours().set_params(ridge__alpha=100.0, scale="passthrough")
    assert pipeline.get_params()["ridge__alpha"] == 100.0
    np.testing.assert_allclose(pipeline.fit(X, Y).predict(X), Ridge(alpha=100.0).fit(X, Y).predict(X), rtol=1e-12)


def test_names_go_through_every_step():
    table = pandas.DataFrame(X, columns=list("abcd"))
    steps = make_pipeline(StandardScaler(), make_union(MinMaxScaler(), "passthrough")).fit(table)
    assert list(steps.get_feature_names_out())[:2] == ["minmaxscaler__a", "minmaxscaler__b"]
    frame = steps.set_output(transform="pandas").fit_transform(table)
    assert list(frame.columns) == list(steps.get_feature_names_out()) and (frame.index == table.index).all()


@pytest.mark.parametrize("steps", [(), (PolynomialFeatures(2, include_bias=False),)])
def test_errors_behind_a_step_call_columns_by_name(steps):
    table = pandas.DataFrame(X, columns=list("abcd"))
    with_missing = table.copy()
    with_missing.loc[7, "a"] = np.nan
    pipeline = make_pipeline(StandardScaler(), *steps, Ridge())
    with pytest.raises(DataError, match=r"X contains NaN in column 'a', row 7"):
        pipeline.fit(with_missing, Y)
    pipeline.fit(table, Y)
    with pytest.raises(DataError, match=r"X contains NaN in column 'a', row 7"):
        pipeline.predict(with_missing)
    with pytest.raises(DataError, match=r"X contains NaN in column 0, row 7"):
        make_pipeline(StandardScaler(), *steps, Ridge()).fit(with_missing.to_numpy(), Y)


def test_columns_that_a_part_of_a_step_counts_get_no_name_of_others():
    """The second column of those that the imputer sees is the fourth of the table."""
    table = pandas.DataFrame(X, columns=list("abcd"))
    table.loc[3, "d"] = np.nan
    inner = ColumnTransformer([("two", PCA(1), [1, 3])])
    with pytest.raises(DataError, match=r"PCA: X contains NaN in column 1, row 3"):
        make_pipeline(StandardScaler(), inner).fit(table)


@estimator
class FirstHalf(Estimator):
    """A resampler that keeps the first half of the training rows."""

    share: float = param(0.5, "share of rows kept")

    def fit(self, X, y):
        return self

    def fit_resample(self, X, y):
        kept = int(len(X) * self.share)
        return X[:kept], y[:kept]


def test_resamplers_act_in_fit_only():
    pipeline = make_pipeline(FirstHalf(), StandardScaler(), Ridge()).fit(X, Y)
    np.testing.assert_allclose(pipeline["standardscaler"].mean_, X[:40].mean(axis=0), atol=1e-12)
    assert len(pipeline.predict(X)) == 80


def test_a_pipeline_that_ends_in_a_resampler_is_one():
    rows, targets = make_pipeline(StandardScaler(), FirstHalf()).fit_resample(X, Y)
    np.testing.assert_allclose(rows, StandardScaler().fit_transform(X)[:40])
    np.testing.assert_array_equal(targets, Y[:40])
    assert not hasattr(make_pipeline(FirstHalf(), Ridge()), "fit_resample")


def test_a_folder_keeps_fitted_transformers(tmp_path):
    kept = Pipeline([("scale", StandardScaler()), ("ridge", Ridge())], memory=str(tmp_path))
    first = kept.fit(X, Y).predict(X)
    assert any(tmp_path.rglob("output.pkl")), "nothing was kept"
    np.testing.assert_array_equal(kept.set_params(ridge__alpha=1.0).fit(X, Y).predict(X), first)
    with pytest.raises(ValueError, match="memory must be a folder or have a method cache"):
        kept.set_params(memory=3).fit(X, Y)


def test_arguments_that_go_with_the_rows_are_transformed():
    @estimator
    class Keeps(Estimator):
        """Remembers the validation rows it was given."""

        def fit(self, X, y, X_val=None):
            self.seen = X_val
            return self

    steps = [("scale", StandardScaler()), ("half", FirstHalf()), ("keeps", Keeps())]  # training rows alone are drawn
    pipeline = Pipeline(steps, transform_input=["X_val"]).fit(X, Y, keeps__X_val=X[:5])
    np.testing.assert_allclose(pipeline["keeps"].seen, pipeline["scale"].transform(X[:5]))


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([("ridge", Ridge()), ("again", Ridge())], "step 'ridge' is Ridge.*a step before the last must transform"),
        ([("scale", StandardScaler()), ("last", 3)], "the last step, 'last', is 3, which has no fit"),
        ([("a", StandardScaler()), ("a", Ridge())], "not unique: 'a'"),
        ("scale", "steps must be list"),
        ([], "must be a list of"),
    ],
)
def test_invalid_steps_are_refused_by_name(steps, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Pipeline(steps).fit(X, Y)


def test_a_pipeline_goes_through_a_file(tmp_path):
    pipeline = make_pipeline(make_union(StandardScaler(), MinMaxScaler()), Ridge()).fit(X, Y)
    learnable.save(pipeline, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").predict(X), pipeline.predict(X))


def test_the_certificate_is_that_of_the_last_step():
    pipeline = ours().fit(X, Y)
    assert pipeline.certificate_ == pipeline["ridge"].certificate_ and pipeline.trace_.iterations == 2


def test_unions_stand_side_by_side_as_in_scikit_learn():
    parts = {"a": StandardScaler(), "b": MinMaxScaler()}
    other = {"a": sklearn.preprocessing.StandardScaler(), "b": sklearn.preprocessing.MinMaxScaler()}
    scales = {"a": 2.0}
    mine = FeatureUnion([*parts.items(), ("c", "drop")], transformer_weights=scales, n_jobs=2)
    theirs = sklearn.pipeline.FeatureUnion([*other.items(), ("c", "drop")], transformer_weights=scales)
    np.testing.assert_allclose(mine.fit_transform(X), theirs.fit_transform(X), rtol=1e-12, atol=1e-12)
    assert list(mine.get_feature_names_out()) == list(theirs.get_feature_names_out())
    with pytest.raises(ValueError, match="transformer_weights names 'z'"):
        FeatureUnion([("a", StandardScaler())], transformer_weights={"z": 1.0}).fit(X)


@pytest.mark.parametrize(
    "model",
    [
        FeatureUnion([("a", StandardScaler()), ("b", PCA(2))], n_jobs=2),
        ColumnTransformer([("a", StandardScaler(), [0, 1]), ("b", PCA(1), [2, 3])], n_jobs=2),
    ],
    ids=["union", "columns"],
)
def test_tools_around_a_fit_reach_parts_that_are_fitted_side_by_side(model):
    seen = set()
    with learnable.watch(lambda event: seen.add(type(event.estimator).__name__) and False):
        model.fit(X)
    assert {"StandardScaler", "PCA"} <= seen


def test_sparse_parts_make_a_sparse_union():
    hot = make_union(learnable.OneHotEncoder(), learnable.MaxAbsScaler())
    table = RNG.integers(0, 3, (20, 2)).astype(float)
    result = hot.fit_transform(table)
    assert result.format == "csr" and result.shape[0] == 20
    np.testing.assert_array_equal(result.toarray(), hot.transform(table).toarray())


def test_lars_in_a_pipeline_stays_a_regressor_for_scikit_learn():
    from sklearn.base import is_regressor

    assert is_regressor(make_pipeline(StandardScaler(), Lars()))


@pytest.mark.parametrize(
    "around",
    [
        make_pipeline,
        learnable.TransformedTargetRegressor,
        learnable.SelectFromModel,
        lambda model: make_pipeline(StandardScaler(), learnable.TransformedTargetRegressor(model)),
    ],
    ids=["pipeline", "target", "selector", "both"],
)
def test_an_unconverged_step_warns_once_and_is_named(around):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 8)), rng.normal(size=40)
    with pytest.warns(learnable.ConvergenceWarning) as caught:
        model = around(learnable.ElasticNet(alpha=1e-3, max_iter=1)).fit(X, y)
    assert len(caught) == 1 and str(caught[0].message).startswith("ElasticNet: stopped by the iteration limit")
    assert model.trace_.stopped == "limit" and not model.certificate_.holds


@pytest.mark.parametrize("module", [learnable, sklearn.linear_model], ids=["ours", "theirs"])
def test_weights_do_not_reach_a_step_that_declines_them(module):
    weight = np.arange(80) % 4 + 0.0
    with sklearn.config_context(enable_metadata_routing=True):
        last = module.Ridge().set_fit_request(sample_weight=False)
    model = make_pipeline(StandardScaler(), last).fit(X, Y, sample_weight=weight)
    scaled = StandardScaler().fit(X, sample_weight=weight)
    np.testing.assert_allclose(model[0].mean_, scaled.mean_)
    np.testing.assert_allclose(model[1].coef_, Ridge().fit(scaled.transform(X), Y).coef_, rtol=1e-10)


@pytest.mark.parametrize("requested", [True, False])
def test_a_search_heeds_steps_and_scorers_that_decline_weights(requested):
    weight, folds = np.arange(80) % 4 + 0.0, [(np.arange(50), np.arange(50, 80))]
    last = Ridge().set_fit_request(sample_weight=False)
    scorer = learnable.make_scorer(learnable.metrics.r2_score).set_score_request(sample_weight=requested)
    search = learnable.GridSearchCV(
        make_pipeline(StandardScaler(), last), {"ridge__alpha": [1.0, 1e3]}, cv=folds, scoring=scorer
    ).fit(X, Y, sample_weight=weight)
    scaled = StandardScaler().fit(X[:50], sample_weight=weight[:50])
    tested = (scaled.transform(X[50:]), Y[50:], weight[50:] if requested else None)
    expected = [Ridge(alpha).fit(scaled.transform(X[:50]), Y[:50]).score(*tested) for alpha in (1.0, 1e3)]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-9)


@pytest.mark.parametrize("module", [learnable, sklearn.model_selection], ids=["ours", "theirs"])
def test_weights_reach_a_search_that_is_the_last_step(module):
    weight, alphas = np.arange(80) % 4 + 0.0, {"alpha": [1.0, 1e3]}
    model = make_pipeline(StandardScaler(), module.GridSearchCV(Ridge(), alphas)).fit(X, Y, sample_weight=weight)
    rows = StandardScaler().fit_transform(X, sample_weight=weight)
    alone = module.GridSearchCV(Ridge(), alphas).fit(rows, Y, sample_weight=weight)
    np.testing.assert_array_equal(model[-1].best_estimator_.coef_, alone.best_estimator_.coef_)
    without = make_pipeline(StandardScaler(), module.GridSearchCV(sklearn.neighbors.KNeighborsRegressor(), {}))
    with pytest.raises(TypeError, match="takes no sample_weight"):
        without.fit(X, Y, sample_weight=weight)
