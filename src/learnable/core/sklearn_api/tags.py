"""scikit-learn's tags, built only when scikit-learn requests them."""

from __future__ import annotations

from typing import Any


def scikit_learn_tags(estimator: Any) -> Any:
    """The `Tags` object of an estimator, from its class attributes."""
    from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags, TransformerTags

    kinds = {
        "regression": "regressor",
        "classification": "classifier",
        "clustering": "clusterer",
        "outlier detection": "outlier_detector",
        "mixture modelling": "density_estimator",
    }
    task = estimator.task
    learns_target = (
        task in ("regression", "classification") or getattr(estimator, "looks_at_target", "never") == "always"
    )
    return Tags(
        estimator_type=kinds.get(task),
        target_tags=TargetTags(
            required=learns_target,
            one_d_labels=estimator.takes == "target",
            multi_output=estimator.multi_target,
            single_output=estimator.single_target,
            positive_only=estimator.positive_target,
        ),
        transformer_tags=TransformerTags() if hasattr(estimator, "transform") else None,
        classifier_tags=_classes(estimator) if task == "classification" else None,
        regressor_tags=RegressorTags(poor_score=estimator.baseline) if task == "regression" else None,
        non_deterministic=False,
        requires_fit=not estimator.stateless,
        input_tags=InputTags(
            two_d_array=estimator.takes in ("numbers", "table", "kernel", "parts"),
            pairwise=estimator.pairwise,
            three_d_array=estimator.takes == "images",
            one_d_array=estimator.takes in ("column", "texts", "target"),
            dict=estimator.takes == "records",
            string=estimator.takes in ("texts", "table"),
            categorical=estimator.categorical,
            sparse=estimator.sparse,
            positive_only=estimator.positive_columns,
            allow_nan=estimator.missing == "native",
        ),
    )


def _classes(estimator: Any) -> Any:
    from sklearn.utils import ClassifierTags

    return ClassifierTags(
        poor_score=estimator.baseline or estimator.rough,
        multi_class=estimator.many_classes,
        multi_label=estimator.multi_label,
    )
