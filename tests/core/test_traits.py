"""Declared traits: stated once, inherited trait by trait, derived from components where there are any."""

from typing import Any

import pytest
from sklearn.linear_model import LinearRegression as TheirRegression

from learnable import (
    HistGradientBoostingRegressor,
    LinearRegression,
    MultiOutputRegressor,
    RidgeCV,
    SelectFromModel,
    SimpleImputer,
    StandardScaler,
    make_pipeline,
    make_union,
)
from learnable.core import Regressor, Traits
from learnable.core.roles.traits import traits_of


class Wide(Regressor):
    traits = Traits(sparse=True, storage="csr", missing="native")


class Drawn(Regressor):
    traits = Traits(stochastic=True, storage="csc", missing="refuse")


class Both(Drawn, Wide):
    """States nothing itself."""


class Special(Drawn, Wide):
    traits = Traits(missing="native")


def test_a_class_states_what_differs_from_its_bases():
    assert Wide.traits == Traits(task="regression", sparse=True, storage="csr", missing="native")
    assert Regressor.traits == Traits(task="regression")


def test_several_bases_are_merged_trait_by_trait_in_the_order_of_method_resolution():
    assert Both.traits == Traits(task="regression", sparse=True, stochastic=True, storage="csc", missing="refuse")
    assert Special.traits == Traits(task="regression", sparse=True, stochastic=True, storage="csc", missing="native")


def test_a_default_can_be_stated_again():
    class Refusing(Wide):
        traits = Traits(missing="refuse")

    assert Refusing.traits.missing == "refuse" and Refusing.traits.sparse


def test_unknown_traits_are_refused():
    stated: dict[str, Any] = {"sparce": True}
    with pytest.raises(TypeError, match="sparce"):
        Traits(**stated)


@pytest.mark.parametrize("sparse", [True, False])
def test_traits_follow_parameters_and_components(sparse):
    scaler = StandardScaler(with_mean=not sparse)
    assert traits_of(scaler).sparse is sparse
    assert traits_of(make_pipeline(scaler, LinearRegression())).sparse is sparse
    assert traits_of(make_union(scaler, SimpleImputer())).sparse is sparse
    assert traits_of(MultiOutputRegressor(make_pipeline(scaler, RidgeCV()))).sparse is sparse


def test_a_component_decides_whether_missing_values_are_accepted():
    for model, missing in ((HistGradientBoostingRegressor(), "native"), (LinearRegression(), "refuse")):
        assert traits_of(MultiOutputRegressor(model)).missing == missing
        assert traits_of(SelectFromModel(make_pipeline(SimpleImputer(), model))).missing == "native"


def test_an_estimator_of_another_library_is_described_by_its_tags():
    assert traits_of(TheirRegression()) == Traits(sparse=True)
    assert traits_of("no estimator", stateless=True) == Traits(stateless=True)
