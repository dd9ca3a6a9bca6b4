"""Errors of the nearest neighbour on written digits, where the files lie beside the project in shared/data."""

import gzip
from pathlib import Path

import numpy as np

from learnable import KNeighborsClassifier

FOLDERS = [above / "shared" / "data" for above in Path(__file__).resolve().parents]
DATA = next((folder for folder in FOLDERS if folder.is_dir()), None)


def errors(train, test):
    """How many rows of (X, y) the nearest row of another (X, y) gives a wrong class."""
    return int((KNeighborsClassifier(1).fit(*train).predict(test[0]) != test[1]).sum())


def zip_digits(part):
    table = np.loadtxt(DATA / "esl" / f"zip_{part}.csv.gz", delimiter=",", skiprows=1)
    return table[:, 1:], table[:, 0].astype(int)


def mnist_digits(part):
    labels = unpacked(f"{part}-labels-idx1-ubyte.gz")[8:]
    return unpacked(f"{part}-images-idx3-ubyte.gz")[16:].reshape(len(labels), -1).astype(np.float32), labels


def unpacked(name):
    return np.frombuffer(gzip.decompress((DATA / "images" / "mnist" / name).read_bytes()), np.uint8)


if DATA is not None:

    def test_zip_codes():
        assert errors(zip_digits("train"), zip_digits("test")) == 113

    def test_mnist():
        assert errors(mnist_digits("train"), mnist_digits("t10k")) == 309
