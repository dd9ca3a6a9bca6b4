"""scikit-learn's tags of meta-estimators."""

from __future__ import annotations

from typing import Any

from ..core.sklearn_api.custom_tags import plain_tags
from ..core.sklearn_api.tags import scikit_learn_tags
from ._steps import PASS


def tags_of_sequence(pipeline: Any) -> Any:
    """Takes what the first step takes, and is what the last step is."""
    from sklearn.utils import TransformerTags, get_tags

    steps = [step for _, step in pipeline.steps]
    if not steps:
        return plain_tags()
    tags = get_tags(steps[-1]) if steps[-1] not in PASS else scikit_learn_tags(pipeline)
    first = get_tags(steps[0]).input_tags if steps[0] not in PASS else tags.input_tags
    tags.input_tags = first
    if hasattr(pipeline, "transform") and tags.transformer_tags is None:
        tags.transformer_tags = TransformerTags()
    return tags
