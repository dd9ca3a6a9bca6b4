"""Parameters for classes that cannot be made without any, such as those built of other estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

EXAMPLES: dict[str, Callable[[], dict[str, Any]]] = {}
