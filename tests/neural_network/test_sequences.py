"""Networks over sequences: classes, numbers and texts, of different lengths and with missing steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import learnable
from learnable import DataError, ParameterError
from learnable.neural_network import (
    GRU,
    LSTM,
    RNN,
    Attention,
    Conv,
    Dense,
    GlobalPool,
    SequenceClassifier,
    SequenceGenerator,
    SequenceRegressor,
)

QUICK = {"learning_rate_init": 0.02, "max_iter": 25, "batch_size": 16, "random_state": 0}


def sequences(count=80, seed=0):
    """Noisy walks of 5 to 12 steps and two channels; the class is the sign of the sum of the first."""
    draws = np.random.default_rng(seed)
    X = [draws.normal(size=(draws.integers(5, 13), 2)) for _ in range(count)]
    return X, np.array([int(one[:, 0].sum() > 0) for one in X])


@pytest.mark.parametrize("layers", [[RNN(12)], [GRU(12)], [LSTM(12)], [Attention(8), GlobalPool(), Dense(16, "relu")]])
def test_lists_of_different_lengths_are_classified(layers):
    X, y = sequences()
    model = SequenceClassifier(layers, **QUICK).fit(X, y)
    assert model.score(X, y) > 0.9 and model.n_channels_ == 2 and model.symbols_ is None
    probabilities = model.predict_proba(X)
    one_by_one = np.concatenate([model.predict_proba([one]) for one in X])
    np.testing.assert_array_equal(probabilities, one_by_one)
    longer = [np.vstack([one, np.full((3, 2), np.nan)]) for one in X]
    np.testing.assert_array_equal(model.predict_proba(longer), probabilities)
    much_longer = model.predict_proba([np.tile(X[0], (5, 1))])
    assert np.isfinite(much_longer).all()


def test_a_table_of_sequences_is_a_list_of_them():
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(60, 7)), draws.integers(0, 2, size=60)
    lengths = draws.integers(2, 8, size=60)
    table = np.where(np.arange(7) < lengths[:, None], X, np.nan)
    listed = [row[:length] for row, length in zip(X, lengths, strict=True)]
    by_table, by_list = SequenceClassifier(**QUICK).fit(table, y), SequenceClassifier(**QUICK).fit(listed, y)
    np.testing.assert_array_equal(by_table.weights_, by_list.weights_)
    np.testing.assert_array_equal(by_table.predict_proba(table), by_list.predict_proba(listed))
    stacked = SequenceClassifier(input_shape=(7, 1), **QUICK).fit(X[:, :, None], y)
    np.testing.assert_array_equal(stacked.weights_, SequenceClassifier(**QUICK).fit(X, y).weights_)


def test_a_missing_step_is_as_if_it_were_not_there():
    X, y = sequences()
    model = SequenceClassifier([GRU(8, sequences=True), LSTM(8)], **QUICK).fit(X, y)
    holes = [np.insert(one, 2, np.nan, axis=0) for one in X]
    np.testing.assert_allclose(model.predict_proba(holes), model.predict_proba(X), rtol=1e-5)
    with pytest.raises(DataError, match="step 1 of row 0 has 1 of 2 numbers missing"):
        model.predict([[[1.0, 2.0], [np.nan, 2.0]]])


def test_texts_and_lists_of_words_are_classified():
    texts = ["good film", "bad film", "really good", "really bad", "good", "bad", "so good a film", "so bad a film"] * 6
    y = ["plus" if "good" in text else "minus" for text in texts]
    by_character = SequenceClassifier([LSTM(16)], embedding=8, **(QUICK | {"max_iter": 40})).fit(texts, y)
    assert by_character.score(texts, y) == 1 and " " in by_character.symbols_
    words = [text.split() for text in texts]
    by_word = SequenceClassifier([GlobalPool()], embedding=8, min_df=7, **QUICK).fit(words, y)
    assert by_word.score(words, y) == 1 and by_word.symbols_ == ["a", "bad", "film", "good", "really", "so"]
    assert by_word.predict([["an", "unseen", "good"]]).tolist() == ["plus"]
    assert by_word.predict([[]]).shape == (1,)


def test_series_are_forecast_better_than_by_the_last_value():
    series = np.sin(np.arange(300) / 4) + 0.05 * np.random.default_rng(0).normal(size=300)
    windows = np.lib.stride_tricks.sliding_window_view(series, 13)
    X, y = windows[:, :-1], windows[:, -1]
    model = SequenceRegressor([GRU(16)], **QUICK).fit(X[:200], y[:200])
    ours, last = np.mean((model.predict(X[200:]) - y[200:]) ** 2), np.mean((X[200:, -1] - y[200:]) ** 2)
    assert ours < last / 3


def test_models_of_sequences_go_through_files(tmp_path):
    X, y = sequences(30)
    texts = ["ab", "abc", "b", "cab"] * 8
    models = [
        (SequenceClassifier([LSTM(4)], **QUICK).fit(X, y), X, "predict_proba"),
        (SequenceRegressor([GRU(4)], **QUICK).fit(texts, np.arange(32.0)), texts, "predict"),
        (SequenceGenerator([RNN(6)], context=4, **QUICK).fit(texts), texts, "score_samples"),
    ]
    for number, (model, data, method) in enumerate(models):
        learnable.save(model, tmp_path / f"{number}.lrn")
        again = learnable.load(tmp_path / f"{number}.lrn")
        np.testing.assert_array_equal(getattr(model, method)(data), getattr(again, method)(data))


def test_bad_sequences_are_refused():
    with pytest.raises(DataError, match="sequence 1 of X must be a text or a list of texts"):
        SequenceClassifier().fit(["ab", [1.0, 2.0]], [0, 1])
    with pytest.raises(DataError, match="sequence 1 of X have 3 numbers; expected 2"):
        SequenceClassifier().fit([np.ones((4, 2)), np.ones((4, 3))], [0, 1])
    with pytest.raises(DataError, match="X holds no sequence with a step"):
        SequenceClassifier().fit([[], []], [0, 1])
    with pytest.raises(DataError, match="X has no texts"):
        SequenceGenerator().fit([])
    with pytest.raises(DataError, match="text 1 of X must be a text; got"):
        SequenceGenerator().fit(["ab", ["c"]])
    with pytest.raises(ParameterError, match="layers must see no step that follows"):
        SequenceGenerator([Attention(4)]).fit(["abc"])
    with pytest.raises(ParameterError, match="layers must see no step that follows"):
        SequenceGenerator([Conv(4, 3, padding="same")]).fit(["abc"])


def test_a_generator_learns_the_probabilities_of_a_markov_chain():
    """Symbols follow one another with probabilities 0.9 and 0.1: their entropy is the least number of bits."""
    draws = np.random.default_rng(0)
    stays = draws.random(6000) < 0.9
    text = "".join("ab"[code] for code in np.cumsum(~stays) % 2)
    settings = {"learning_rate_init": 0.02, "max_iter": 25, "random_state": 0}
    model = SequenceGenerator([GRU(12)], embedding=4, context=32, **settings).fit([text[:5000]])
    entropy = -(0.9 * np.log2(0.9) + 0.1 * np.log2(0.1))
    assert entropy - 0.05 < model.bits_per_symbol([text[5000:]]) < entropy + 0.08
    after = model.predict_proba(text[-60:])
    assert after[text[-1]] == pytest.approx(0.9, abs=0.05) and sum(after.values()) < 1 + 1e-6
    start, changes = text[-40:], []
    for seed in range(6):
        drawn = model.generate(200, start=start, random_state=seed)
        assert drawn.startswith(start)
        changes += [first != second for first, second in pairwise(drawn[39:])]
    assert len(changes) > 600 and 0.06 < np.mean(changes) < 0.14


def test_probabilities_of_texts_are_those_of_their_symbols():
    model = SequenceGenerator([LSTM(6)], context=8, **QUICK).fit(["abc", "acb", "bb"] * 6)
    expected = 0.0
    for k, symbol in enumerate([*"acb", ""]):
        expected += np.log(model.predict_proba("acb"[:k])[symbol])
    assert model.score_samples(["acb"])[0] == pytest.approx(expected, rel=1e-5)
    words = SequenceGenerator([LSTM(6)], context=8, **QUICK).fit([["to", "be"], ["or", "not"]] * 8)
    assert words.generate(1, start=["to"], temperature=0.01, random_state=0)[:1] == ["to"]
    assert np.isfinite(words.score_samples([["to", "unknown"]])).all()


def test_texts_with_a_weight_are_copies_for_a_full_batch():
    texts, weight = ["ab", "ba", "aab"], [2, 1, 3]
    copies = [text for text, times in zip(texts, weight, strict=True) for _ in range(times)]
    settings = {"context": 4, "max_iter": 4, "precision": "float64", "random_state": 0, "shuffle": False}
    weighted = SequenceGenerator([RNN(4)], batch_size=3, **settings).fit(texts, sample_weight=weight)
    copied = SequenceGenerator([RNN(4)], batch_size=6, **settings).fit(copies)
    np.testing.assert_allclose(weighted.weights_, copied.weights_, rtol=1e-9, atol=1e-12)
