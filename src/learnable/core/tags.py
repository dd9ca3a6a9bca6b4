"""scikit-learn's tags, made only when scikit-learn itself asks."""

from __future__ import annotations

from typing import Any


def scikit_learn_tags(estimator: Any) -> Any:
    """The `Tags` object of an estimator, from its class attributes."""
    from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags, TransformerTags

    regressor = estimator.task == "regression"
    transformer = estimator.task == "transformation"
    return Tags(
        estimator_type="regressor" if regressor else None,
        target_tags=TargetTags(
            required=regressor,
            one_d_labels=False,
            multi_output=estimator.multi_target,
            single_output=estimator.single_target,
            positive_only=estimator.positive_target,
        ),
        transformer_tags=TransformerTags() if transformer else None,
        classifier_tags=None,
        regressor_tags=RegressorTags() if regressor else None,
        non_deterministic=False,
        input_tags=InputTags(sparse=estimator.sparse, allow_nan=estimator.missing == "native"),
    )
