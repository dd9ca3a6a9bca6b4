"""Loaders return what scikit-learn's of the same name return; the other tables hold what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.datasets

from learnable import ParameterError, datasets

SAME = [
    ("load_iris", {}),
    ("load_wine", {}),
    ("load_breast_cancer", {}),
    ("load_diabetes", {}),
    ("load_diabetes", {"scaled": False}),
    ("load_digits", {}),
    ("load_digits", {"n_class": 4}),
    ("load_linnerud", {}),
]


@pytest.mark.parametrize(("name", "options"), SAME)
def test_tables_are_those_of_scikit_learn(name: str, options: dict[str, Any]) -> None:
    ours, theirs = getattr(datasets, name)(**options), getattr(sklearn.datasets, name)(**options)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(ours.target, theirs.target)
    assert list(ours.feature_names) == list(theirs.feature_names)
    for key in ("target_names", "images"):
        if key in theirs:
            np.testing.assert_array_equal(ours[key], theirs[key])
    assert {*theirs} <= {*ours, "target_filename", "data_filename"} and len(ours.DESCR) > 100
    X, y = getattr(datasets, name)(return_X_y=True, **options)
    np.testing.assert_array_equal(X, ours.data)
    np.testing.assert_array_equal(y, ours.target)


@pytest.mark.parametrize(("name", "options"), SAME)
def test_frames_are_those_of_scikit_learn(name: str, options: dict[str, Any]) -> None:
    import pandas

    ours, theirs = (getattr(module, name)(as_frame=True, **options) for module in (datasets, sklearn.datasets))
    pandas.testing.assert_frame_equal(ours.frame, theirs.frame, check_dtype=False)
    several = isinstance(theirs.target, pandas.DataFrame)
    same = pandas.testing.assert_frame_equal if several else pandas.testing.assert_series_equal
    same(ours.target, theirs.target, check_dtype=False)
    assert list(ours.data.columns) == list(theirs.data.columns)


def test_the_weather_has_the_entropy_of_the_textbook() -> None:
    weather = datasets.load_weather()
    share = np.bincount(weather.target) / 14
    assert -(share * np.log2(share)).sum() == pytest.approx(0.940, abs=5e-4)
    assert weather.target_names.tolist() == ["no", "yes"]
    overcast = weather.data[:, 0] == "overcast"
    assert weather.target[overcast].all() and overcast.sum() == 4


def test_frames_of_words_and_numbers() -> None:
    frame = datasets.load_borrowers(as_frame=True).frame
    assert frame["age"].dtype == float and frame["target"].sum() == 3
    assert frame.shape == (10, 5)


def test_what_is_shipped_is_small() -> None:
    folder = Path(datasets.__file__).parent / "data"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 300_000
    with pytest.raises(ParameterError, match="n_class must be at least 1 and at most 10"):
        datasets.load_digits(n_class=11)


def test_a_folder_of_folders_is_read_as_scikit_learn_does(tmp_path: Path) -> None:
    for number in range(12):
        place = tmp_path / f"class{number % 3}"
        place.mkdir(exist_ok=True)
        (place / f"{number}{('.txt', '.md')[number % 2]}").write_text(f"text {number}")
    for options in ({}, {"encoding": "utf-8", "random_state": 3}, {"categories": ["class1"], "shuffle": False},
                    {"allowed_extensions": [".md"]}, {"load_content": False}):  # fmt: skip
        ours, theirs = datasets.load_files(tmp_path, **options), sklearn.datasets.load_files(str(tmp_path), **options)
        assert {*ours} == {*theirs} and ours.get("data") == theirs.get("data")
        np.testing.assert_array_equal(ours.target, theirs.target)
        np.testing.assert_array_equal(ours.filenames, theirs.filenames)
    with pytest.raises(ValueError, match="does not exist"):
        datasets.load_files(tmp_path / "nowhere")


def test_downloads_are_refused_with_what_to_do_instead() -> None:
    with pytest.raises(ImportError, match="fetch_openml: learnable downloads nothing"):
        from learnable.datasets import fetch_openml  # noqa: F401  # the import itself is what is tested
    assert not hasattr(datasets, "fetch_openml")
    with pytest.raises(AttributeError, match="fetch_openml: learnable downloads nothing"):
        datasets.fetch_openml("iris")
