"""What a fitted model rests on: importances, partial dependence, Shapley values."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__, __file__, pictures=("DecisionBoundaryDisplay", "PartialDependenceDisplay")
)
