"""Ranking metrics by hand, splits of ratings, and files of ratings."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.core.errors import DataError
from learnable.recommend import (
    MatrixFactorization,
    Popularity,
    SlopeOne,
    UserKNN,
    future_leakage,
    leave_k_out,
    ranking_report,
    read_ratings,
    split_by_time,
)

from .films import X_FILMS, Y_FILMS


def test_metrics_by_hand():
    train = [["u", 0], *[[f"v{k}", item] for item, count in ((1, 5), (2, 4), (3, 3), (4, 2)) for k in range(count)]]
    model = Popularity().fit(train)
    report = ranking_report(model, [["u", 2], ["u", 4], ["u", 99], ["w", 1]], n=3)
    assert report.users.tolist() == ["u"]  # recommended: 1, 2, 3; relevant: 2, 4 and 99, which cannot be found
    gain = (1 / np.log2(3)) / (1 + 1 / np.log2(3) + 1 / 2)
    expected = {
        "precision": 1 / 3, "recall": 1 / 3, "ndcg": gain, "average_precision": (1 / 2) / 3, "reciprocal_rank": 1 / 2,
        "hit_rate": 1.0,
    }  # fmt: skip
    assert report.means == pytest.approx(expected)
    assert report.coverage == pytest.approx(3 / 5)
    assert report.novelty == pytest.approx(np.mean(-np.log2(np.array([5, 4, 3]) / 6)))
    assert "top 3 of 1 users" in str(report)


def test_intervals_are_over_users():
    from scipy.stats import t

    pairs = [[u, i] for u in range(30) for i in range(u % 3 + 1)]
    model = Popularity().fit(pairs)
    report = ranking_report(model, [[u, 1 + u % 3] for u in range(30) if u % 3 < 2], n=1)
    values = report.per_user["hit_rate"]
    half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    assert report.intervals["hit_rate"] == pytest.approx((values.mean() - half, values.mean() + half))


def test_only_good_ratings_are_relevant():
    model = Popularity().fit([["a", 0], ["b", 1], ["c", 1]])
    assert ranking_report(model, [["a", 1]], [5.0], relevant=4.0).means["recall"] == 1.0
    with pytest.raises(DataError, match="no user of X has training ratings and a relevant item"):
        ranking_report(model, [["a", 1]], [1.0], relevant=4.0)
    with pytest.raises(DataError, match="must be a recommender"):
        ranking_report(__import__("learnable").Ridge(), [["a", 1]])


def test_splits_by_time_and_by_user():
    rng = np.random.default_rng(0)
    X, time = rng.integers(0, 20, (500, 2)), rng.permutation(500)
    train, test = split_by_time(time, test_size=0.1)
    assert time[train].max() < time[test].min() and len(test) == 50
    assert future_leakage(time, train, test) == 0
    train, test = leave_k_out(X, k=2, time=time)
    assert sorted([*train, *test]) == list(range(500))
    for user in range(20):
        mine = test[X[test, 0] == user]
        assert len(mine) == 2 and time[mine].min() > time[train[X[train, 0] == user]].max()
    again = leave_k_out(X, k=1, random_state=0)
    assert (np.bincount(X[again[1], 0]) == 1).all()
    shuffled = rng.permutation(500)
    with pytest.warns(UserWarning, match="use split_by_time"):
        assert future_leakage(time, shuffled[:400], shuffled[400:]) == pytest.approx(0.5, abs=0.1)
    with pytest.raises(DataError, match="same time"):
        split_by_time([1, 1, 1])


@pytest.mark.parametrize(
    ("text", "ids", "timed"),
    [
        ("196\t242\t3\t881250949\n186\t302\t3\t891717742\n", [[196, 242], [186, 302]], True),
        ("1::1193::5::978300760\n2::661::3::978302109\n", [[1, 1193], [2, 661]], True),
        ("rating,userId,movieId\n4.5,a,x\n3.0,b,y\n", [["a", "x"], ["b", "y"]], False),
        ('"User-ID";"ISBN";"Rating"\n"7";"034";"5"\n"8";"055";"0"\n', [[7, 34], [8, 55]], False),
        ("1 2 3.5\n4 5 1\n", [[1, 2], [4, 5]], False),
    ],
    ids=["tab", "colons", "header", "quoted", "blanks"],
)
def test_files_of_ratings(tmp_path, text, ids, timed):
    file = tmp_path / "ratings"
    file.write_text(text)
    data = read_ratings(file)
    assert data.X.tolist() == ids and len(data.y) == 2
    assert (data.time is not None) == timed


def test_a_matrix_of_ratings_and_bad_files(tmp_path):
    file = tmp_path / "jester"
    file.write_text("2,-7.82,99,3.5\n1,99,4.08,99\n")
    data = read_ratings(file, missing=99)
    assert data.X.tolist() == [[0, 0], [0, 2], [1, 1]] and data.y.tolist() == [-7.82, 3.5, 4.08]
    file.write_text("1,2,3\n1,2\n")
    with pytest.raises(DataError, match="line 2 of"):
        read_ratings(file)
    file.write_text("")
    with pytest.raises(DataError, match="has no lines"):
        read_ratings(file)


@pytest.mark.parametrize("make", [SlopeOne, UserKNN, MatrixFactorization, Popularity])
def test_models_of_text_ids_are_saved(make, tmp_path):
    model = make().fit(X_FILMS, Y_FILMS)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert again.users_.tolist() == list("ABCDE")
    assert again.predict(X_FILMS).tolist() == model.predict(X_FILMS).tolist()
