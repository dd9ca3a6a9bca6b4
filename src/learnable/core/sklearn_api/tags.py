"""scikit-learn's tags, built only when scikit-learn requests them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..roles.traits import Traits


def scikit_learn_tags(estimator: Any) -> Any:
    """The `Tags` object of an estimator, from its traits."""
    from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags, TransformerTags

    kinds = {
        "regression": "regressor",
        "classification": "classifier",
        "clustering": "clusterer",
        "outlier detection": "outlier_detector",
        "mixture modelling": "density_estimator",
    }
    traits = estimator._effective_traits()
    task = traits.task
    learns_target = task in ("regression", "classification") or traits.uses_target == "always"
    return Tags(
        estimator_type=kinds.get(task),
        target_tags=TargetTags(
            required=learns_target,
            one_d_labels=traits.takes == "target",
            multi_output=traits.multi_target,
            single_output=traits.single_target,
            positive_only=traits.positive_target,
        ),
        transformer_tags=TransformerTags() if hasattr(estimator, "transform") else None,
        classifier_tags=_classes(traits) if task == "classification" else None,
        regressor_tags=RegressorTags(poor_score=traits.baseline) if task == "regression" else None,
        non_deterministic=False,
        requires_fit=not traits.stateless,
        input_tags=InputTags(
            two_d_array=traits.takes in ("numbers", "table", "kernel", "parts"),
            pairwise=estimator.pairwise,
            three_d_array=traits.takes == "images",
            one_d_array=traits.takes in ("column", "texts", "target"),
            dict=traits.takes == "records",
            string=traits.takes in ("texts", "table"),
            categorical=traits.categorical,
            sparse=traits.sparse,
            positive_only=traits.positive_columns,
            allow_nan=traits.missing == "native",
        ),
    )


def _classes(traits: Traits) -> Any:
    from sklearn.utils import ClassifierTags

    return ClassifierTags(
        poor_score=traits.baseline or traits.poor_score,
        multi_class=traits.many_classes,
        multi_label=traits.multi_label,
    )
