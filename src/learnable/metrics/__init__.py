"""How good predictions are: scores of classes, numbers, rankings, probabilities and clusters; distances of rows."""

from ..lazy import attach

PICTURES = (
    "ConfusionMatrixDisplay",
    "DetCurveDisplay",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "RocCurveDisplay",
)
__getattr__, __dir__, __all__ = attach(__name__, __file__, ("cluster", "pairwise"), PICTURES)
