"""Whatever learns inside a pipeline learns from training folds alone; done before the split, it leaks."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from learnable import (
    SMOTE,
    Pipeline,
    RandomOverSampler,
    SelectKBest,
    SimpleImputer,
    StandardScaler,
    StratifiedKFold,
    cross_val_score,
    f_classif,
)
from learnable.core import Array, Data, Trace, Traits, Transformer, estimator, learned, param


def noise(seed, n=60, p=1000):
    """Columns that have nothing to do with the classes."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.permutation(np.arange(n) % 2)


def accuracy(model, X, y, seed):
    return cross_val_score(model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=seed)).mean()


def test_selection_inside_gives_chance_level_and_outside_leaks():
    inside, outside = [], []
    for seed in range(8):
        X, y = noise(seed)
        model = LogisticRegression(max_iter=1000)
        steps = [("scale", StandardScaler()), ("best", SelectKBest(f_classif, k=15)), ("model", model)]
        inside.append(accuracy(Pipeline(steps), X, y, seed))
        chosen = SelectKBest(f_classif, k=15).fit_transform(X, y)
        outside.append(accuracy(model, chosen, y, seed))
    assert abs(np.mean(inside) - 0.5) < 0.08
    assert np.mean(outside) > 0.8


def test_imputing_scaling_selecting_and_resampling_inside_give_chance_level():
    """All four at once on uneven classes that are noise: half of each class is found, whatever the columns."""
    inside, outside = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(90, 400)), np.arange(90) % 3 == 0
        X[rng.random(X.shape) < 0.05] = np.nan
        before = [("impute", SimpleImputer()), ("scale", StandardScaler()), ("best", SelectKBest(f_classif, k=10))]
        sampler, model = SMOTE(random_state=seed), LogisticRegression(max_iter=1000)
        cv = StratifiedKFold(5, shuffle=True, random_state=seed)
        whole = Pipeline([*before, ("more", sampler), ("model", model)])
        inside.append(cross_val_score(whole, X, y, cv=cv, scoring="balanced_accuracy").mean())
        leaked, labels = sampler.fit_resample(Pipeline(before).fit_transform(X, y), y)
        outside.append(cross_val_score(model, leaked, labels, cv=cv, scoring="balanced_accuracy").mean())
    assert abs(np.mean(inside) - 0.5) < 0.06
    assert np.mean(outside) > 0.75


@pytest.mark.parametrize("sampler", [SMOTE(random_state=0), RandomOverSampler(random_state=0)], ids=["smote", "copies"])
def test_rows_made_before_the_split_leak(sampler):
    """The leaky mode: augment first, split afterwards, so that test rows have their near copies among training rows."""
    train_only, before = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 8)), np.arange(300) % 6 == 0
        model = KNeighborsClassifier(3)
        scores = cross_val_score(
            Pipeline([("more", sampler), ("model", model)]),
            X,
            y,
            cv=StratifiedKFold(5, shuffle=True, random_state=seed),
            scoring="balanced_accuracy",
        )
        train_only.append(scores.mean())
        more, labels = sampler.fit_resample(X, y)
        before.append(accuracy(model, more, labels, seed))
    assert abs(np.mean(train_only) - 0.5) < 0.06
    assert np.mean(before) > 0.7


SEEN: list[Array] = []


@estimator
class Witness(Transformer):
    """Notes the first column of the rows that it is fitted to.

    z = x

    >>> Witness().fit_transform([[1.0]])
    array([[1.]])
    """

    traits = Traits(missing="native", uses_target="if given")

    fill: float = param(0.0, "what missing values become")

    mean_: Array = learned("mean of each column", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        SEEN.append(np.array(data.X[:, 0]))
        self.mean_ = np.nanmean(data.X, axis=0)

    def _transform(self, X: Array) -> Array:
        return np.where(np.isnan(X), self.mean_, X)


def test_every_step_sees_the_training_rows_of_its_fold_and_no_other():
    X = np.column_stack([np.arange(40.0), np.random.default_rng(0).normal(size=(40, 3))])
    X[::7, 2] = np.nan
    y = np.arange(40) % 2
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    model = Pipeline(
        [
            ("impute", Witness()),
            ("first", Witness()),
            ("best", SelectKBest(f_classif, k=3)),
            ("model", LogisticRegression(max_iter=1000)),
        ]
    )
    SEEN.clear()
    cross_val_score(model, X, y, cv=folds, n_jobs=1)
    assert len(SEEN) == 8
    for seen, (train, _) in zip(zip(SEEN[::2], SEEN[1::2], strict=True), folds, strict=True):
        for rows in seen:
            np.testing.assert_array_equal(rows, X[train, 0])


def test_imputing_and_scaling_beforehand_use_test_rows():
    """The mean that fills a gap in a training row moves with the test rows only if it was taken outside."""
    X = np.array([[1.0], [np.nan], [3.0], [100.0]])
    y = [0, 1, 0, 1]
    train = [0, 1, 2]
    inside = Pipeline([("impute", Witness()), ("scale", StandardScaler())]).fit(X[train])
    assert inside["impute"].mean_[0] == 2.0 and inside["scale"].mean_[0] == 2.0
    assert Witness().fit(X, y).mean_[0] == pytest.approx(104 / 3)


def test_predicting_resamples_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 5 == 0
    model = Pipeline([("more", SMOTE(random_state=0)), ("model", LogisticRegression())]).fit(X, y)
    assert len(model.predict(X)) == 50
    assert model["more"].sampling_strategy_ == {True: 30}
