"""Fewer or turned columns as a step: any reducer before any learner, and what a rotation does for trees."""

import numpy as np
import pytest

from learnable import (
    NMF,
    PCA,
    DecisionTreeClassifier,
    FunctionTransformer,
    Isomap,
    KernelPCA,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Pipeline,
    TruncatedSVD,
    cross_val_score,
    make_circles,
)
from learnable.datasets import load_wine

X, Y = load_wine(return_X_y=True)
TRAIN, TEST = np.arange(len(Y)) % 3 != 0, np.arange(len(Y)) % 3 == 0
REDUCERS = {
    "principal components": lambda: PCA(3),
    "singular vectors": lambda: TruncatedSVD(3, random_state=0),
    "manifold": lambda: Isomap(n_components=2),
    "discriminants": lambda: LinearDiscriminantAnalysis(n_components=2),
    "kernel components": lambda: KernelPCA(2, kernel="rbf", gamma=1e-5),
    "parts": lambda: NMF(2, random_state=0, tol=1e-3),
}
LEARNERS = {
    "neighbours": lambda: KNeighborsClassifier(3),
    "least squares": LinearRegression,
    "logistic": lambda: LogisticRegression(C=1.0),
    "tree": lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
}


@pytest.mark.parametrize("name", REDUCERS)
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_reducer_before_a_model_is_fitted_to_the_training_rows(name, kind):
    """PRE-12: components, maps and discriminants as a step before any model."""
    learner = LEARNERS[kind]()
    model = Pipeline([("reduce", REDUCERS[name]()), ("learn", LEARNERS[kind]())]).fit(X[TRAIN], Y[TRAIN])
    by_hand = REDUCERS[name]().fit(X[TRAIN], Y[TRAIN])
    expected = learner.fit(by_hand.transform(X[TRAIN]), Y[TRAIN]).predict(by_hand.transform(X[TEST]))
    np.testing.assert_allclose(model.predict(X[TEST]), expected, rtol=1e-8)


def turn_by(points, turn):
    """The points turned."""
    return points @ turn.T


def turned_boxes(rng, n=400, angle=np.pi / 4):
    """Three bands of two classes, side by side, turned by 45 degrees: two oblique cuts separate the classes."""
    box = np.column_stack([rng.uniform(-1, 1, n), rng.uniform(-4, 4, n)])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return box @ turn.T, (np.abs(box[:, 1]) < 4 / 3).astype(int)


def test_a_rotation_lets_a_tree_cut_along_the_classes():
    points, classes = turned_boxes(np.random.default_rng(0))
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    turn = FunctionTransformer(lambda P: P @ np.array([[1, 1], [-1, 1]]) / np.sqrt(2))
    straight = cross_val_score(tree, points, classes).mean()
    by_hand = cross_val_score(Pipeline([("turn", turn), ("tree", tree)]), points, classes).mean()
    learned = cross_val_score(Pipeline([("turn", PCA(2)), ("tree", tree)]), points, classes).mean()
    assert straight < 0.85 and by_hand > 0.98 and learned > 0.95


def test_no_rotation_helps_where_the_border_is_a_circle():
    points, classes = make_circles(400, noise=0.05, factor=0.5, random_state=0)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    scores = []
    for angle in np.linspace(0, np.pi / 2, 7):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        turned = Pipeline([("turn", FunctionTransformer(turn_by, kw_args={"turn": turn})), ("tree", tree)])
        scores.append(cross_val_score(turned, points, classes).mean())
    assert max(scores) < 0.9
