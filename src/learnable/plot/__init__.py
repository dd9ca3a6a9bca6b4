"""Pictures: matplotlib Displays in the manner of scikit-learn (`from_estimator`, `from_predictions`)."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
