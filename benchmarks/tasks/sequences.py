"""Hidden Markov models: the same iterations from the same parameters. Conditional random fields: the same optimum."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def switching_rows(n: int, p: int, k: int, each: int, steps: int) -> Data:
    """Rows of normal states, in sequences of `each` rows, and parameters to start from."""
    rng = np.random.default_rng(0)
    states = np.repeat(rng.integers(0, k, n // 20 + 1), 20)[:n]
    centres = 3 * rng.standard_normal((k, p))
    X = rng.standard_normal((n, p)) + centres[states]
    lengths = np.full(n // each, each)
    moves = rng.dirichlet(np.ones(k), k)
    return {"X": X, "lengths": lengths, "k": k, "steps": steps, "means": centres + 0.5, "transmat": moves}


def symbols(n: int, p: int, k: int, each: int, steps: int) -> Data:
    """Symbols, in sequences of `each`, and probabilities to start from."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, p, (n, 1))
    emissions, moves = rng.dirichlet(np.ones(p), k), rng.dirichlet(np.ones(k), k)
    lengths = np.full(n // each, each)
    return {"X": X, "lengths": lengths, "k": k, "steps": steps, "emissionprob": emissions, "transmat": moves}


def baum_welch(name: str, where: str, kind: Kind = "peer", **options: Any) -> Contender:
    """A hidden Markov model after a given number of iterations from given parameters."""

    def prepare(data: Data) -> Callable[[], Any]:
        make, k = attribute(where), int(data["k"])

        def call() -> Any:
            model = make(k, init_params="", n_iter=int(data["steps"]), tol=0.0, **options)
            model.startprob_, model.transmat_ = np.full(k, 1 / k), np.array(data["transmat"])
            if "means" in data:
                model.n_features = data["X"].shape[1]
                model.means_, model.covars_ = np.array(data["means"]), np.ones((k, data["X"].shape[1]))
            else:
                model.emissionprob_ = np.array(data["emissionprob"])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that so few iterations do not converge
                return model.fit(data["X"], data["lengths"])

        return call

    return Contender(name, prepare, lambda model: {"transmat": model.transmat_}, needs=(package(where),), kind=kind)


def sum_of_squares(data: Data, output: Output) -> float:
    """The sum of squares of the transition probabilities, which is the same after the same iterations."""
    return float((np.asarray(output["transmat"]) ** 2).sum())


def tagged_sentences(n: int, p: int, k: int) -> Data:
    """Sentences of about 20 tokens with ten attributes each, whose words have Zipf's frequencies, and labels."""
    rng = np.random.default_rng(0)
    likely = rng.dirichlet(np.full(k, 0.3), p)
    sentences, y = [], []
    for _ in range(n):
        codes = np.minimum(rng.zipf(1.3, int(rng.integers(5, 36))), p) - 1
        names = ["<", "<", *[f"w{code}" for code in codes.tolist()], ">", ">"]
        sentences.append(
            [
                [f"{place}={names[t + place]}" for place in range(5)]
                + [f"{place}+{names[t + place]}|{names[t + place + 1]}" for place in range(4)]
                + [f"e={names[t + 2][-1]}"]
                for t in range(len(codes))
            ]
        )
        y.append(" ".join(f"L{rng.choice(k, p=likely[code])}" for code in codes.tolist()))
    return {"sentences": sentences, "y": np.array(y)}


def conditional_random_field(data: Data) -> Callable[[], Any]:
    """Ours, to the tolerance of CRFsuite."""
    make = attribute("learnable.sequence:CRF")
    y = [labels.split() for labels in data["y"].tolist()]
    return lambda: float(make(c2=1.0).fit(data["sentences"], y).trace_["objective"][-1])


def crfsuite(data: Data) -> Callable[[], Any]:
    """CRFsuite by python-crfsuite."""
    make, y = attribute("pycrfsuite:Trainer"), [labels.split() for labels in data["y"].tolist()]

    def call() -> Any:
        trainer = make(verbose=False)
        for sentence, labels in zip(data["sentences"], y, strict=True):
            trainer.append(sentence, labels)
        trainer.select("lbfgs")
        trainer.set_params({"c1": 0.0, "c2": 1.0})
        with tempfile.TemporaryDirectory() as folder:
            trainer.train(str(Path(folder, "model")))
        return float(trainer.logparser.last_iteration["loss"])

    return call


LOSS = Quality("negative log likelihood + |w|^2", lambda data, output: float(output["loss"]), Near(1e-3))
HMM = Quality("sum of squares of transmat_", sum_of_squares, Near(1e-6))

TASKS = (
    Task(
        name="gaussian-hmm",
        home=__name__,
        size="Gaussian HMM, {n} x {p}, {k} states, {steps} iterations of EM",
        make=switching_rows,
        full={"n": 100_000, "p": 4, "k": 8, "each": 100_000, "steps": 10},
        quick={"n": 500, "p": 2, "k": 2, "each": 500, "steps": 3},
        contenders=(
            baum_welch("learnable", "learnable.sequence:GaussianHMM", "ours"),
            baum_welch("hmmlearn", "hmmlearn.hmm:GaussianHMM", implementation="scaling"),
        ),
        quality=HMM,
    ),
    Task(
        name="short-sequences",
        home=__name__,
        size="Gaussian HMM, {n} rows in sequences of {each}, {k} states, {steps} iterations of EM",
        make=switching_rows,
        full={"n": 100_000, "p": 2, "k": 4, "each": 10, "steps": 10},
        quick={"n": 500, "p": 2, "k": 2, "each": 10, "steps": 3},
        contenders=(
            baum_welch("learnable", "learnable.sequence:GaussianHMM", "ours"),
            baum_welch("hmmlearn", "hmmlearn.hmm:GaussianHMM", implementation="scaling"),
        ),
        quality=HMM,
    ),
    Task(
        name="categorical-hmm",
        home=__name__,
        size="categorical HMM, {n} symbols of {p}, {k} states, {steps} iterations of EM",
        make=symbols,
        full={"n": 100_000, "p": 20, "k": 8, "each": 100_000, "steps": 10},
        quick={"n": 500, "p": 4, "k": 2, "each": 500, "steps": 3},
        contenders=(
            baum_welch("learnable", "learnable.sequence:CategoricalHMM", "ours"),
            baum_welch("hmmlearn", "hmmlearn.hmm:CategoricalHMM", implementation="scaling"),
        ),
        quality=HMM,
    ),
    Task(
        name="crf",
        home=__name__,
        size="CRF by L-BFGS, {n} sentences, {p} words, {k} labels, with the reading of attributes",
        make=tagged_sentences,
        full={"n": 2000, "p": 20_000, "k": 20},
        quick={"n": 40, "p": 100, "k": 4},
        contenders=(
            Contender("learnable", conditional_random_field, lambda loss: {"loss": loss}, kind="ours"),
            Contender("python-crfsuite", crfsuite, lambda loss: {"loss": loss}, needs=("pycrfsuite",)),
        ),
        quality=LOSS,
    ),
)
