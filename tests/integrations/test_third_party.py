"""Estimators and tools of other packages with ours: `pip install -e ".[integrations]"` installs them."""

from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

import learnable
from learnable.datasets import make_classification, make_regression

X, Y = make_classification(n_samples=120, n_features=5, n_informative=3, random_state=0)
XR, YR = make_regression(n_samples=120, n_features=5, noise=1.0, random_state=0)

pytestmark = pytest.mark.filterwarnings("default")  # other packages may warn of each other


def needs(*packages):
    """A test of these packages, which is there where they are installed."""
    return lambda test: test if all(map(find_spec, packages)) else None


@needs("imblearn")
def test_imbalanced_learn():
    over = import_module("imblearn.over_sampling")
    pipeline = import_module("imblearn.pipeline")
    few = np.flatnonzero(Y == 1)[:15]
    rows = np.concatenate([np.flatnonzero(Y == 0), few])
    theirs = pipeline.Pipeline([("smote", over.SMOTE(random_state=0)), ("forest", learnable.RandomForestClassifier(5))])
    assert theirs.fit(X[rows], Y[rows]).score(X, Y) > 0.6
    ours = learnable.make_pipeline(learnable.StandardScaler(), over.SMOTE(random_state=0), learnable.SVC())
    search = learnable.GridSearchCV(ours, {"smote__k_neighbors": [2, 4]}, cv=3).fit(X[rows], Y[rows])
    assert search.best_params_["smote__k_neighbors"] in (2, 4)
    counts = np.bincount(learnable.SMOTE(random_state=0).fit_resample(X[rows], Y[rows])[1])
    assert counts[0] == counts[1]


@needs("feature_engine", "pandas")
def test_feature_engine():
    imputation = import_module("feature_engine.imputation")
    pandas = import_module("pandas")
    frame = pandas.DataFrame(XR, columns=list("abcde"))
    frame.loc[::7, "a"] = np.nan
    model = learnable.make_pipeline(imputation.MeanMedianImputer(), learnable.StandardScaler(), learnable.Ridge())
    assert learnable.cross_val_score(model, frame, YR, cv=3).mean() > 0.5


@needs("mlxtend")
def test_mlxtend():
    classifier = import_module("mlxtend.classifier")
    selection = import_module("mlxtend.feature_selection")
    vote = classifier.EnsembleVoteClassifier([learnable.LogisticRegression(), learnable.GaussianNB()], voting="soft")
    assert vote.fit(X, Y).score(X, Y) > 0.7
    chosen = selection.SequentialFeatureSelector(learnable.LinearRegression(), k_features=2, cv=3).fit(XR, YR)
    assert len(chosen.k_feature_idx_) == 2
    ours = learnable.StackingClassifier([("vote", vote), ("tree", learnable.DecisionTreeClassifier(max_depth=3))], cv=3)
    assert ours.fit(X, Y).score(X, Y) > 0.7


@needs("pandas", "skrub")
def test_skrub():
    skrub = import_module("skrub")
    pandas = import_module("pandas")
    frame = pandas.DataFrame({"size": XR[:, 0], "town": np.where(XR[:, 1] > 0, "north", "south")})
    target = 3 * XR[:, 0] + (XR[:, 1] > 0)
    ours = learnable.make_pipeline(skrub.TableVectorizer(), learnable.Ridge())
    assert ours.fit(frame, target).score(frame, target) > 0.9
    assert skrub.tabular_pipeline(learnable.Ridge()).fit(frame, target).score(frame, target) > 0.9


def check_boosting(package, kind, quiet):
    library = import_module(package)
    classifier = getattr(library, f"{kind}Classifier")(n_estimators=10, n_jobs=1, **quiet)
    regressor = getattr(library, f"{kind}Regressor")(n_estimators=10, n_jobs=1, **quiet)
    weight = np.ones(120)
    vote = learnable.VotingClassifier([("boost", classifier), ("bayes", learnable.GaussianNB())], voting="soft")
    assert vote.fit(X, Y, sample_weight=weight).score(X, Y) > 0.7
    assert learnable.BaggingClassifier(classifier, 3, random_state=0).fit(X, Y, weight).score(X, Y) > 0.7
    pipeline = learnable.Pipeline([("scale", learnable.StandardScaler()), ("boost", classifier)])
    search = learnable.GridSearchCV(pipeline, {"boost__max_depth": [1, 2]}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.7
    calibrated = learnable.CalibratedClassifierCV(classifier, cv=3).fit(X, Y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    stack = learnable.StackingRegressor([("boost", regressor), ("line", learnable.LinearRegression())], cv=3)
    assert stack.fit(XR, YR, sample_weight=np.ones(120)).score(XR, YR) > 0.8


@needs("xgboost")
def test_xgboost():
    check_boosting("xgboost", "XGB", {"verbosity": 0})


@needs("lightgbm")
def test_lightgbm():
    check_boosting("lightgbm", "LGBM", {"verbose": -1})


@needs("optuna")
def test_optuna():
    optuna = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial):
        model = learnable.Ridge(alpha=trial.suggest_float("alpha", 1e-3, 1e3, log=True))
        return learnable.cross_val_score(model, XR, YR, cv=3).mean()

    study.optimize(objective, n_trials=5)
    assert study.best_value > 0.9


def test_joblib_keeps_models(tmp_path):
    joblib = import_module("joblib")
    model = learnable.make_pipeline(learnable.StandardScaler(), learnable.SVC()).fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model.joblib").predict(X), model.predict(X))


@needs("skops")
def test_skops_keeps_models(tmp_path):
    skops = import_module("skops.io")
    model = learnable.RandomForestClassifier(3, random_state=0).fit(X, Y)
    skops.dump(model, tmp_path / "model.skops")
    trusted = skops.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(name.startswith(("learnable.", "numpy.")) for name in trusted)
    again = skops.load(tmp_path / "model.skops", trusted=trusted)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@needs("shap")
def test_shap():
    shap = import_module("shap")
    model = learnable.RandomForestRegressor(5, random_state=0).fit(XR, YR)
    explainer = shap.Explainer(model.predict, XR[:20])
    found = explainer(XR[:3])
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(XR[:3]), rtol=1e-6)


@needs("shap")
def test_shap_reads_exported_trees():
    shap = import_module("shap")
    forest = learnable.RandomForestRegressor(5, random_state=0).fit(XR, YR)
    found = shap.TreeExplainer(learnable.export_shap(forest)).shap_values(XR[:4])
    np.testing.assert_allclose(found, learnable.inspection.shap_values(forest, XR[:4]).values, rtol=1e-6, atol=1e-8)
    for model in (learnable.RandomForestClassifier(5, random_state=0), learnable.GradientBoostingClassifier()):
        explainer = shap.TreeExplainer(learnable.export_shap(model.fit(X, Y)))
        total = explainer.shap_values(X[:4]).sum(axis=1) + explainer.expected_value
        scores = model.predict_proba(X[:4]) if hasattr(model, "forest_") else model.decision_function(X[:4])
        np.testing.assert_allclose(total, scores, rtol=1e-6, atol=1e-9)


@needs("dtreeviz")
def test_dtreeviz():
    trees = import_module("dtreeviz.models.sklearn_decision_trees")
    tree = learnable.DecisionTreeRegressor(max_depth=3).fit(XR, YR)
    shadow = trees.ShadowSKDTree(tree, XR, YR, list("abcde"), "y")
    said = import_module("dtreeviz").model(shadow, XR, YR, feature_names=list("abcde"), target_name="y")
    assert "<" in said.explain_prediction_path(XR[0])
    forest = learnable.RandomForestClassifier(3, random_state=0).fit(X, Y)
    names = [str(name) for name in forest.classes_]
    assert trees.ShadowSKDTree(forest.estimators_[0], X, Y, list("abcde"), "y", names).nclasses() == 2


@needs("skopt")
def test_scikit_optimize():
    skopt = import_module("skopt")
    space = {"alpha": (1e-3, 1e3, "log-uniform")}
    search = skopt.BayesSearchCV(learnable.Ridge(), space, n_iter=3, cv=3, random_state=0).fit(XR, YR)
    assert search.best_score_ > 0.9 and isinstance(search.best_estimator_, learnable.Ridge)


@needs("mlflow")
def test_mlflow(tmp_path):
    mlflow = import_module("mlflow.pyfunc")

    class Wrapped(mlflow.PythonModel):
        def load_context(self, context):
            self.model = learnable.load(context.artifacts["model"])

        def predict(self, context, model_input, params=None):
            return self.model.predict(model_input)

    model = learnable.Ridge().fit(XR, YR)
    learnable.save(model, tmp_path / "ridge.learnable")
    mlflow.save_model(
        tmp_path / "stored", python_model=Wrapped(), artifacts={"model": str(tmp_path / "ridge.learnable")},
        pip_requirements=[],
    )  # fmt: skip
    again = mlflow.load_model(str(tmp_path / "stored"))
    np.testing.assert_array_equal(again.predict(XR), model.predict(XR))


def in_scikit_learn():
    """Estimators of scikit-learn that fit and combine ours, each with the score that it reaches at least."""
    ensemble, multiclass = import_module("sklearn.ensemble"), import_module("sklearn.multiclass")
    selection, pipeline = import_module("sklearn.model_selection"), import_module("sklearn.pipeline")
    calibration, features = import_module("sklearn.calibration"), import_module("sklearn.feature_selection")
    pair = [("forest", learnable.RandomForestClassifier(5, random_state=0)), ("bayes", learnable.GaussianNB())]
    steps = pipeline.make_pipeline(learnable.StandardScaler(), learnable.SVC())
    yield ensemble.StackingClassifier(pair, final_estimator=learnable.LogisticRegression(), cv=3)
    yield ensemble.VotingClassifier(pair, voting="soft")
    yield ensemble.BaggingClassifier(learnable.DecisionTreeClassifier(), 3, random_state=0)
    yield ensemble.AdaBoostClassifier(learnable.DecisionTreeClassifier(max_depth=1), n_estimators=5)
    yield calibration.CalibratedClassifierCV(learnable.LinearSVC(), cv=3)
    yield selection.GridSearchCV(steps, {"svc__C": [0.1, 1.0]}, cv=3)
    yield selection.TunedThresholdClassifierCV(learnable.LogisticRegression(), cv=3)
    yield multiclass.OneVsRestClassifier(learnable.LogisticRegression())
    yield features.RFECV(learnable.LogisticRegression(), cv=3)
    yield pipeline.make_pipeline(features.SelectFromModel(learnable.RandomForestClassifier(5)), learnable.SVC())


def test_ours_in_estimators_of_scikit_learn():
    for model in in_scikit_learn():
        assert model.fit(X, Y).score(X, Y) > 0.6, model
