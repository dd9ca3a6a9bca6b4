"""Parameters for classes that cannot be made without any, such as those built of other estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.toys import ToyRidge, ToyScaler

EXAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "ColumnTransformer": lambda: {"transformers": [("all", ToyScaler(), slice(0, None))]},
    "FeatureUnion": lambda: {"transformer_list": [("scaled", ToyScaler()), ("other", ToyScaler(floor=2.0))]},
    "Pipeline": lambda: {"steps": [("scale", ToyScaler()), ("ridge", ToyRidge())]},
    "TransformedTargetRegressor": lambda: {"regressor": ToyRidge()},
}
