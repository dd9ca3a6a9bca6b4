"""What cannot be vectorised is refused in words that name who, what and where."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from learnable import (
    CountVectorizer,
    DataError,
    DictVectorizer,
    FeatureHasher,
    HashingVectorizer,
    ParameterError,
    PatchExtractor,
    TfidfVectorizer,
    intensity_symmetry,
    sobel_edges,
)

COUNTS = CountVectorizer().fit(["some words", "more words"])
RECORDS = DictVectorizer().fit([{"a": 1}, {"b": "x"}])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: FeatureHasher(n_features=-1).transform([{"a": 1}]), "FeatureHasher: n_features must be at least 1"),
        (lambda: FeatureHasher().transform([{}, {"a": np.nan}]), "FeatureHasher: 'a' of sample 1 is nan, not a finite"),
        (lambda: DictVectorizer().fit([1]), r"DictVectorizer: record 0 is 1 of type int, not a dict"),
        (lambda: DictVectorizer().fit(3), "DictVectorizer: X must be records, a dict for each row; got 3"),
        (lambda: DictVectorizer().fit("text"), "DictVectorizer: X must be records"),
        (lambda: RECORDS.inverse_transform([[1.0]]), "DictVectorizer: codes have 2 columns here; X has 1"),
        (lambda: RECORDS.inverse_transform([["a", "b"]]), "DictVectorizer: inverse_transform takes the numbers"),
        (lambda: FeatureHasher().transform([1]), "FeatureHasher: sample 0 is 1 of type int, not a dict"),
        (lambda: FeatureHasher(input_type="pair").transform([[1]]), "FeatureHasher: sample 0 .* list of pairs"),
        (lambda: FeatureHasher().transform(None), "FeatureHasher: raw_X must be a list of samples; got None"),
        (
            lambda: CountVectorizer(token_pattern="(").fit(["a"]),
            r"CountVectorizer: token_pattern='\(' is not a regular",
        ),
        (lambda: TfidfVectorizer(stop_words=(3,)).fit(["a"]), "TfidfVectorizer: stop_words must be texts; got 3"),
        (lambda: HashingVectorizer().transform(None), "HashingVectorizer: a list of documents is needed; got NoneType"),
        (lambda: CountVectorizer().fit("text"), "CountVectorizer: a list of documents is needed; got one text"),
        (lambda: COUNTS.inverse_transform([[1, 2]]), "CountVectorizer: codes have 3 columns here; X has 2"),
        (lambda: COUNTS.inverse_transform([["a", "b", "c"]]), "CountVectorizer: inverse_transform takes the numbers"),
        (lambda: PatchExtractor().transform("x"), "PatchExtractor: an image is an array of numbers; got 'x'"),
        (lambda: sobel_edges("x"), "sobel_edges: image must be a list, an array or a table .*; got 'x'"),
        (lambda: sobel_edges(np.ones((4, 4, 3))), r"sobel_edges: .*image\.mean\(axis=-1\)"),
        (lambda: sobel_edges(np.ones(16)), r"sobel_edges: .*reshape\(height, width\)"),
        (lambda: intensity_symmetry(np.ones((8, 8))), r"intensity_symmetry: a stack of images .* \[image\]"),
        (lambda: intensity_symmetry(np.ones((2, 8, 8, 3))), "intensity_symmetry: .*Average colours to grey first"),
        (lambda: intensity_symmetry(np.ones((2, 8, 8)), flip="left"), 'intensity_symmetry: flip must be "horizontal"'),
    ],
)
def test_each_refusal_names_the_culprit(call: Callable[[], Any], words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        call()
