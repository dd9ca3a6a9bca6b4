"""The style of the figures in the gallery: few frames, colours that are distinguishable by colour-blind readers."""

from __future__ import annotations

from typing import Any


def apply_house_style(gallery_conf: dict[str, Any], file_name: str) -> None:
    """Set matplotlib's defaults before each example."""
    import matplotlib
    from cycler import cycler

    from learnable.plot._style import BLUE, GREEN, GREY, ORANGE, RED

    matplotlib.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, RED, GREY, "#7b4fa3", "#0e8fa8"]),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 11,
            "axes.titlelocation": "left",
            "axes.labelsize": 10,
            "figure.figsize": (7.0, 4.4),
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "legend.frameon": False,
            "legend.fontsize": 9,
            "savefig.dpi": 110,
            "figure.dpi": 110,
        }
    )


SECTIONS = (
    "data_audit", "deployment", "feature_extraction", "preprocessing", "feature_selection", "decomposition",
    "linear_model", "losses", "discriminant_analysis", "naive_bayes", "kernels", "svm", "neighbors", "tree", "ensemble",
    "calibration", "cluster", "mixture", "sequence", "density", "metrics", "model_selection", "inference", "inspection",
    "information", "theory", "tape", "neural_network",
)  # fmt: skip


def section_order(folder: str) -> tuple[int, str]:
    """The sort key of a section of the gallery: the order of the user guide; sections not listed come last."""
    name = folder.rstrip("/").rpartition("/")[2]
    return (SECTIONS.index(name) if name in SECTIONS else len(SECTIONS), name)


class CourseOrder:
    """The order of the gallery pages: that of a course, not the alphabet."""

    ORDER = (
        "gradient_descent",
        "coefficient_table",
        "quadratic_surface",
        "learning_rates",
        "ridge_bias_and_variance",
        "lasso_sparsity",
        "choosing_alpha",
        "least_angle_path",
        "robust_regression",
        "generalised_linear_models",
        "bayesian_views",
        "callbacks_and_budgets",
        "exploratory_analysis",
        "feature_scaling",
        "workflow",
        "cross_validation_folds",
        "validation_curve",
        "intervals",
        "comparing_models",
        "underfitting_and_overfitting",
        "bias_and_variance",
        "learning_curves",
        "majority_vote",
    )

    def __init__(self, source_folder: str) -> None:
        self.source_folder = source_folder

    def __call__(self, file_name: str) -> tuple[int, str]:
        """The sort key of a file; files not listed come last."""
        name = file_name.removeprefix("plot_").removesuffix(".py")
        return (self.ORDER.index(name) if name in self.ORDER else len(self.ORDER), name)
