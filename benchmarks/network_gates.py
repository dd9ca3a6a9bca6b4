"""The quality of neural networks on known data, beside the figures that they are to reach.

    python -m benchmarks.network_gates --data ../shared/data [--seeds 3] [name ...]

Recipes are plain, and the same for every seed. Errors are on test sets that no recipe was chosen by.
"""

from __future__ import annotations

import argparse
import gzip
import math
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import learnable as L

Array = np.ndarray
COSINE = {"schedule": "cosine", "optimiser": "adamw"}


def digits_mlp(data: Path, seed: int) -> float:
    """Accuracy of five folds on the digits of scikit-learn."""
    return _digits([L.Dense(256, "relu"), L.Dropout(0.3), L.Dense(128, "relu"), L.Dropout(0.3)], None, seed, 40)


def digits_cnn(data: Path, seed: int) -> float:
    """The same with convolutions."""
    layers = [
        L.Conv(24, 3, "relu", padding="same"), L.Conv(24, 3, "relu", padding="same"), L.MaxPool(2), L.Dropout(0.2),
        L.Conv(48, 3, "relu", padding="same"), L.MaxPool(2), L.Flatten(), L.Dropout(0.4), L.Dense(64, "relu"),
        L.Dropout(0.3),
    ]  # fmt: skip
    return _digits(layers, (8, 8, 1), seed, 25)


def _digits(layers: list[L.Layer], shape: tuple[int, ...] | None, seed: int, epochs: int) -> float:
    X, y = L.load_digits(return_X_y=True)
    fold = np.random.default_rng(seed).permutation(len(y)) % 5
    right = 0
    for k in range(5):
        settings = {"learning_rate_init": 2e-3, "max_iter": epochs, "batch_size": 32, "random_state": seed, **COSINE}
        model = L.NetworkClassifier(layers, shape, weight_decay=0.05, n_iter_no_change=math.inf, **settings)
        model.fit(X[fold != k] / 16, y[fold != k])
        right += int((model.predict(X[fold == k] / 16) == y[fold == k]).sum())
    return right / len(y)


def zip_error(data: Path, seed: int) -> float:
    """Test error on the ZIP codes of The Elements of Statistical Learning."""
    train, test = (_zip_digits(data / "esl" / f"zip_{part}.csv.gz") for part in ("train", "test"))
    layers = [
        L.Conv(16, 3, "relu", padding="same"), L.MaxPool(2), L.Conv(32, 3, "relu", padding="same"),
        L.Conv(32, 3, "relu", padding="same"), L.MaxPool(2), L.Flatten(), L.Dropout(0.4), L.Dense(96, "relu"),
        L.Dropout(0.4),
    ]  # fmt: skip
    settings = {"learning_rate_init": 2e-3, "max_iter": 12, "batch_size": 64, "random_state": seed, **COSINE}
    model = L.NetworkClassifier(layers, (16, 16, 1), weight_decay=0.05, n_iter_no_change=math.inf, **settings)
    return 1 - float(model.fit(*train).score(*test))


def _zip_digits(path: Path) -> tuple[Array, Array]:
    with gzip.open(path, "rt") as lines:
        first = next(lines)
        rows = [line.split(",") for line in ([] if first[0].isalpha() or first[0] == '"' else [first])]
        rows += [line.split(",") for line in lines]
    table = np.array(rows, dtype=float)
    return table[:, 1:].astype(np.float32), table[:, 0].astype(int)


def sms_spam(data: Path, seed: int) -> float:
    """Accuracy on a held-out fifth of the SMS messages: mean of embedded words."""
    lines = (data / "text" / "SMSSpamCollection").read_text(encoding="utf-8").splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    words = [_words(text) for text in texts]
    y = np.array(labels)
    test = np.random.default_rng(seed).permutation(len(y)) % 5 == 0
    settings = {"learning_rate_init": 3e-3, "max_iter": 12, "batch_size": 32, "random_state": seed}
    model = L.SequenceClassifier([L.GlobalPool(), L.Dropout(0.3)], embedding=48, min_df=2, **settings)
    model.fit([one for one, out in zip(words, test, strict=True) if not out], y[~test])
    return float(model.score([one for one, out in zip(words, test, strict=True) if out], y[test]))


def _words(text: str) -> list[str]:
    """Words, runs of digits by their length, and other characters one by one."""
    import re

    found = re.findall(r"[^\W\d]+|\d+|[^\w\s]", text)
    lower = [f"number{len(one)}" if one.isdigit() else one.lower() for one in found]
    return (lower + [f"upper {one}" for one in found if one.isupper() and len(one) > 1])[:120] or ["nothing"]


def mnist_mlp(data: Path, seed: int) -> float:
    """Test accuracy of a network of 512 and 256 units."""
    layers = [L.Dense(512, "relu"), L.Dropout(0.2), L.Dense(256, "relu"), L.Dropout(0.2)]
    return _mnist(data, layers, None, seed, 12, 128)


def mnist_cnn(data: Path, seed: int) -> float:
    """Test accuracy of a convolutional network."""
    layers = [
        L.Conv(16, 3, "relu", padding="same"), L.MaxPool(2), L.Conv(32, 3, "relu", padding="same"), L.MaxPool(2),
        L.Flatten(), L.Dropout(0.3), L.Dense(128, "relu"), L.Dropout(0.3),
    ]  # fmt: skip
    return _mnist(data, layers, (28, 28, 1), seed, 8, 64)


def _mnist(
    data: Path, layers: list[L.Layer], shape: tuple[int, ...] | None, seed: int, epochs: int, batch: int
) -> float:
    (X, y), (Z, w) = (_images(data / "images" / "mnist", part) for part in ("train", "t10k"))
    settings = {"learning_rate_init": 1e-3, "max_iter": epochs, "batch_size": batch, "random_state": seed, **COSINE}
    model = L.NetworkClassifier(layers, shape, n_iter_no_change=math.inf, **settings)
    return float(model.fit(X, y).score(Z, w))


def _images(folder: Path, part: str) -> tuple[Array, Array]:
    pixels = gzip.decompress((folder / f"{part}-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = gzip.decompress((folder / f"{part}-labels-idx1-ubyte.gz").read_bytes())[8:]
    X = np.frombuffer(pixels, dtype=np.uint8).reshape(-1, 784).astype(np.float32) / 255
    return X, np.frombuffer(labels, dtype=np.uint8).astype(int)


def characters(data: Path, seed: int) -> float:
    """Bits of a character of English sentences by an LSTM, less those by an interpolated 5-gram."""
    train, test = (_sentences(data / "sequence" / "ud_ewt", part) for part in ("train", "test"))
    settings = {"max_iter": 8, "batch_size": 16, "random_state": seed, "learning_rate_init": 4e-3}
    model = L.SequenceGenerator([L.LSTM(192)], embedding=32, context=80, n_iter_no_change=math.inf, **settings)
    ours, counted = model.fit(train).bits_per_symbol(test), ngram_bits(train, test, 5)
    print(f"characters: LSTM {ours:.4f}, interpolated 5-gram {counted:.4f} bits", flush=True)
    return ours - counted


def _sentences(folder: Path, part: str) -> list[str]:
    path = next(one for one in sorted(folder.iterdir()) if part in one.name)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line[len("# text = ") :].rstrip("\n") for line in lines if line.startswith("# text = ")]


def ngram_bits(train: list[str], test: list[str], order: int) -> float:
    """Cross-entropy of texts by counted n-grams, interpolated by Witten and Bell's weights; ends of texts count."""
    counts, totals, kinds = Counter[str](), Counter[str](), Counter[str]()
    for text in train:
        padded = "\x02" * (order - 1) + text + "\x03"
        for at in range(order - 1, len(padded)):
            for length in range(order):
                history = padded[at - length : at]
                kinds[history] += (history + padded[at]) not in counts
                counts[history + padded[at]] += 1
                totals[history] += 1
    symbols = len({symbol for text in train + test for symbol in text}) + 1
    bits, number = 0.0, 0
    for text in test:
        padded = "\x02" * (order - 1) + text + "\x03"
        for at in range(order - 1, len(padded)):
            share = 1 / symbols
            for length in range(order):
                history = padded[at - length : at]
                if totals[history]:
                    new = kinds[history]
                    share = (counts[history + padded[at]] + new * share) / (totals[history] + new)
            bits, number = bits - math.log2(share), number + 1
    return bits / number


GATES: dict[str, tuple[Callable[[Path, int], float], float, bool]] = {  # measure, gate, whether greater is better
    "digits_mlp": (digits_mlp, 0.975, True),
    "digits_cnn": (digits_cnn, 0.985, True),
    "zip_error": (zip_error, 0.04, False),
    "sms_spam": (sms_spam, 0.976, True),
    "mnist_mlp": (mnist_mlp, 0.983, True),
    "mnist_cnn": (mnist_cnn, 0.992, True),
    "characters": (characters, 0.0, False),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join(GATES))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    for name in options.names or GATES:
        measure, gate, greater = GATES[name]
        begin, found = time.process_time(), []
        for seed in range(options.seeds):
            found.append(measure(options.data, seed))
        mean, seconds = float(np.mean(found)), (time.process_time() - begin) / options.seeds
        passed = mean >= gate if greater else mean <= gate
        shown = ", ".join(f"{value:.4f}" for value in found)
        print(
            f"{name:12} {mean:.4f} ({shown}), gate {gate}: {'passed' if passed else 'FAILED'}, {seconds:.0f} s each",
            flush=True,
        )


if __name__ == "__main__":
    main()
