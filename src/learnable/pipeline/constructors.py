"""Pipelines and unions without having to think of names."""

from __future__ import annotations

from typing import Any

from ._steps import names_for
from .feature_union import FeatureUnion
from .pipeline import Pipeline


def make_pipeline(
    *steps: Any, memory: Any = None, transform_input: list[str] | None = None, verbose: bool = False
) -> Pipeline:
    """Construct a `Pipeline` from estimators, each step named after its class.

    >>> from learnable import Ridge, StandardScaler
    >>> list(make_pipeline(StandardScaler(), Ridge()).named_steps)
    ['standardscaler', 'ridge']
    """
    named = list(zip(names_for(steps), steps, strict=True))
    return Pipeline(named, transform_input=transform_input, memory=memory, verbose=verbose)


def make_union(
    *transformers: Any, n_jobs: int | None = None, verbose: bool = False, verbose_feature_names_out: bool = True
) -> FeatureUnion:
    """Construct a `FeatureUnion` from transformers, each named after its class.

    >>> from learnable import MinMaxScaler, StandardScaler
    >>> list(make_union(StandardScaler(), MinMaxScaler()).named_transformers)
    ['standardscaler', 'minmaxscaler']
    """
    named = list(zip(names_for(transformers), transformers, strict=True))
    return FeatureUnion(named, n_jobs=n_jobs, verbose=verbose, verbose_feature_names_out=verbose_feature_names_out)
