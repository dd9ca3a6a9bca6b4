"""The catalogue of models: titles, properties and search by name."""

from __future__ import annotations

import pytest

from learnable import Ridge
from learnable.app import catalogue


@pytest.fixture
def titled(monkeypatch):
    monkeypatch.setattr(Ridge, "title", "ridge regression of the test")
    return Ridge


def test_the_title_is_listed_and_leads_the_properties(titled):
    (row,) = [row for row in catalogue.models() if row["name"] == "Ridge"]
    assert row["title"] == catalogue.explain(titled)["title"] == "ridge regression of the test"
    assert catalogue.facts_in_words(row).startswith("ridge regression of the test: regression, parametric, ")


def test_estimators_without_a_title_show_none(monkeypatch):
    monkeypatch.setattr(Ridge, "title", "")
    assert catalogue.facts_in_words(catalogue.explain(Ridge)).startswith("regression, parametric, ")


@pytest.mark.parametrize("name", ["Ridge", "ridge", "Ridge Regression-of the test"])
def test_estimators_are_found_by_name_and_title(titled, name):
    assert catalogue.find(name) is titled


def test_unknown_names_are_not_found():
    assert catalogue.find("no such model") is None and catalogue.page("no such model") is None
