"""Roles beside the regressor: tables of any kind, classes, named parts, conditional methods, routed arguments."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

from learnable.core import Composite, DataError, Estimator, ParameterError, available_if, estimator, param
from learnable.core.declare.params import REQUIRED
from learnable.core.validate.features import FeatureValidator
from learnable.core.validate.mixed_table import is_missing
from tests.toys import ToyMeans, ToyRidge


@estimator
class Bag(Composite):
    """A composite that only holds its parts."""

    parts = "members"

    members: list = param(REQUIRED, "named estimators", kw_only=False)
    size: int = param(1, "some number")

    @available_if(lambda self: self.size > 1)
    def big(self) -> str:
        """Only there when size exceeds one."""
        return "big"


@pytest.fixture
def bag():
    return Bag([("first", ToyRidge(alpha=1.0)), ("second", ToyRidge(alpha=2.0))])


def test_parts_are_parameters_by_name(bag):
    found = bag.get_params()
    assert found["first"] is bag.members[0][1] and found["second__alpha"] == 2.0
    assert set(bag.get_params(deep=False)) == {"members", "size"}


def test_set_params_replaces_and_reaches_parts(bag):
    bag.set_params(second=ToyRidge(alpha=7.0), first__alpha=5.0, size=3, second__alpha=8.0)
    assert [part.alpha for _, part in bag.members] == [5.0, 8.0] and bag.size == 3


def test_unknown_parts_are_refused_by_name(bag):
    for name in ("third", "third__alpha"):
        with pytest.raises(ParameterError, match=r"Bag has no parameter 'third'; it has members, size, first, second"):
            bag.set_params(**{name: 1})


def test_clones_have_their_own_parts(bag):
    copy = bag.clone()
    assert copy.members[0][1] is not bag.members[0][1] and copy.members[0][1].alpha == 1.0


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("a", 1), ("a", 2)], "not unique: 'a'"),
        ([("a__b", 1)], "must not contain __"),
        ([("size", 1)], "must not contain __ or be the name of a parameter"),
        ([], "must be a list of"),
        ([3], r"must be \(name, estimator\); got 3"),
    ],
)
def test_invalid_components_are_refused(members, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Bag(members)._check_parts()


def test_conditional_methods_are_attributes_only_then(bag):
    assert not hasattr(bag, "big")
    assert bag.set_params(size=2).big() == "big"
    with pytest.raises(AttributeError, match="This 'Bag' has no attribute 'big'"):
        _ = bag.set_params(size=1).big


FRAMES = {"pandas": pandas.DataFrame, "polars": lambda columns: polars.DataFrame(columns, strict=False)}


@pytest.mark.parametrize("library", FRAMES)
def test_a_table_keeps_columns_of_any_kind(library):
    frame = FRAMES[library]({"n": [1, 2, 3], "x": [0.5, None, 2.0], "t": ["a", None, "b"], "b": [True, False, True]})
    table, names = FeatureValidator("Owner", missing="native").table(frame)
    assert names == ["n", "x", "t", "b"] and table.shape == (3, 4)
    assert [column.dtype.kind for column in table.columns] == ["i", "f", "O", "b"]
    assert [is_missing(column).tolist() for column in table.columns[1:3]] == [[False, True, False]] * 2


def test_a_table_of_rows_keeps_numbers_beside_text():
    table, names = FeatureValidator("Owner").table([["a", 1], ["b", 2]])
    assert names is None and table.columns[1].tolist() == [1, 2]


def test_a_table_names_what_is_missing():
    with pytest.raises(DataError, match="Owner: X contains NaN in column 't', row 1; fill or drop"):
        FeatureValidator("Owner").table(pandas.DataFrame({"t": ["a", None]}))
    with pytest.raises(DataError, match="Owner: X contains infinity in column 'x', row 0"):
        FeatureValidator("Owner").table(pandas.DataFrame({"x": [np.inf]}))


def test_classes_are_sorted_labels_and_codes():
    classes, codes = FeatureValidator("Owner").classes(["b", "a", "b"], 3)
    assert classes.tolist() == ["a", "b"] and codes.tolist() == [1, 0, 1] and codes.dtype == np.int64


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0.5, 1.0, 2.0], "Unknown label type: continuous. y holds 0.5 in row 0"),
        (np.array(["a", 1, None], dtype=object), "contains NaN in row 2"),
        (np.array(["a", 1, 2], dtype=object), "mixes labels of the types int and str"),
        ([1, 2], "X has 3 rows but y has 2"),
    ],
)
def test_invalid_classes_are_refused(y, words):
    with pytest.raises(DataError, match=words):
        FeatureValidator("Owner").classes(y, 3)


def test_scikit_learn_routes_what_was_requested():
    import sklearn
    from sklearn.model_selection import GridSearchCV

    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    weight = np.array([1.0, 1, 1, 0, 0, 0])
    with sklearn.config_context(enable_metadata_routing=True):
        model = ToyMeans().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {}, cv=[([0, 1, 2, 3], [4, 5])]).fit(X, y, sample_weight=weight)
    direct = ToyMeans().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(search.best_estimator_.means_, direct.means_)


def test_requests_go_with_clones_and_are_checked():
    model = ToyRidge().set_fit_request(sample_weight=True)
    assert model.clone().get_metadata_routing().fit.requests == {"sample_weight": True}
    with pytest.raises(ParameterError, match=r"ToyRidge\.fit takes no 'groups' to route"):
        model.set_fit_request(groups=True)
    with pytest.raises(ParameterError, match="'sample_weight' must be True, False, None or the name"):
        model.set_fit_request(sample_weight=1.5)
    both = model.set_score_request(sample_weight="weight").get_metadata_routing()
    assert both.fit.requests == {"sample_weight": True} and both.score.requests == {"sample_weight": "weight"}


@pytest.mark.parametrize(
    ("name", "method", "argument"),
    [
        ("BayesianRidge", "predict", "return_std"),
        ("SGDRegressor", "partial_fit", "sample_weight"),
        ("StandardScaler", "transform", "copy"),
        ("StandardScaler", "inverse_transform", "copy"),
    ],
)
def test_methods_with_more_arguments_accept_requests_for_them(name, method, argument):
    import learnable

    setter = f"set_{method}_request"
    model = getattr(getattr(learnable, name)(), setter)(**{argument: True})
    assert getattr(model.clone().get_metadata_routing(), method).requests[argument] is True
    assert not hasattr(ToyRidge(), setter)


def test_estimator_stays_abstract_without_a_prediction_method():
    assert not hasattr(Estimator, "predict")
