"""Settings of the whole program under scikit-learn's names: what transformers return, how estimators show themselves.

They live in a context variable, so they reach the threads of a search, and `config_context` ends where it says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Annotated, Any, Literal, TypeAlias

from ..declare.annotations import Kind
from ..declare.checked_functions import checked, limits
from ..runtime.reusable_context import block

Never: TypeAlias = Annotated[Any, Kind(lambda value: value is None or value is False, "False: arrays are NumPy's here")]
Settings = dict[str, Any]

DEFAULTS: Settings = {
    "assume_finite": False,
    "working_memory": 64,
    "print_changed_only": True,
    "display": "diagram",
    "pairwise_dist_chunk_size": 256,
    "enable_cython_pairwise_dist": True,
    "array_api_dispatch": False,
    "transform_output": "default",
    "enable_metadata_routing": False,
    "skip_parameter_validation": False,
    "sparse_interface": "spmatrix",
}
SHARED = ("transform_output", "enable_metadata_routing")  # programs of both libraries set them once
_settings: ContextVar[Settings] = ContextVar("learnable_settings", default=DEFAULTS)


def setting(name: str) -> Any:
    """What is in force here; scikit-learn's settings of the same name count where ours are left at their defaults."""
    own = _settings.get()[name]
    if name not in SHARED or own != DEFAULTS[name]:
        return own
    theirs: Any = sys.modules.get("sklearn")
    return theirs.get_config().get(name, own) if hasattr(theirs, "get_config") else own


def routing_is_enabled() -> bool:
    """Whether metadata go to the components that request them, and to no others."""
    return bool(setting("enable_metadata_routing"))


def get_config() -> Settings:
    """All settings by name; see `set_config` for what they mean.

    >>> get_config()["transform_output"]
    'default'
    """
    return dict(_settings.get())


@checked(working_memory=limits(at_least=0))
def set_config(
    assume_finite: bool | None = None,
    working_memory: float | None = None,
    print_changed_only: bool | None = None,
    display: Literal["diagram", "text"] | None = None,
    pairwise_dist_chunk_size: int | None = None,
    enable_cython_pairwise_dist: bool | None = None,
    array_api_dispatch: Never = None,
    transform_output: Literal["default", "pandas", "polars"] | None = None,
    enable_metadata_routing: bool | None = None,
    skip_parameter_validation: bool | None = None,
    sparse_interface: Literal["spmatrix", "sparray"] | None = None,
) -> None:
    """Set global settings; None leaves a setting unchanged.

    transform_output: what transformers return unless their own `set_output` says otherwise; sparse results stay sparse.
    print_changed_only: whether the text of an estimator names only parameters that differ from their defaults.
    display: whether notebooks show estimators as a table ("diagram") or as text.
    working_memory: mebibytes that a chunk of `pairwise_distances_chunked` may take.

    The others are remembered and change nothing: data and parameters are always checked, as that takes little time,
    weights always go to every part that takes them, distances are always compiled, and sparse results keep
    their types.

    >>> set_config(print_changed_only=True)
    """
    given = {name: value for name, value in locals().items() if value is not None}
    _settings.set(_settings.get() | given)


@block
def config_context(**settings: Any) -> Iterator[None]:
    """Context manager of settings, as `set_config` takes them.

    >>> from learnable import StandardScaler
    >>> with config_context(transform_output="pandas"):
    ...     type(StandardScaler().fit_transform([[0.0], [2.0]])).__name__
    'DataFrame'
    """
    before = _settings.get()
    set_config(**settings)
    try:
        yield
    finally:
        _settings.set(before)
