"""Neural language models: the next symbol of a text, and new texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from ..core import Array, Data, ParameterError, RandomState, Traits, estimator, learned, param
from ..core.declare import params
from ..core.runtime.random import stream
from ..engines.networks.dense_plan import OutputLoss
from ..engines.networks.layer_plan import Add, LayerPlan, planned_steps
from ..parts.layers import GRU, LSTM, RNN, Activation, Conv, Dropout, Embedding, GaussianNoise, Layer
from ._layer_network import _all_layers
from ._scheduled_network import ScheduledNetwork, ScheduleName
from ._text_windows import BOUNDARY, Windows, read_texts, windows_of

CAUSAL = (RNN, GRU, LSTM, Activation, Dropout, GaussianNoise, Embedding, Add)  # layers that see no later step


@estimator
class SequenceGenerator(ScheduledNetwork):
    """Recurrent neural language model: predicts each symbol of a text from those before it, and generates new texts.

    minimise over all weights    - sum over symbols of log p(x_t | x_1 ... x_t-1) / their number  +  alpha |W|^2 / 2

    `X` is a list of texts, whose symbols are characters, or of lists of texts, such as words. Training cuts them into
    windows of `context` symbols, over which gradients go back; the end of a text is a symbol too. `generate` draws one
    symbol after the other: a low temperature prefers the most probable ones. [Graves, 2013; Mikolov et al., 2010]

    >>> texts = ["the cat sat on the mat. "] * 40
    >>> model = SequenceGenerator([LSTM(32)], learning_rate_init=0.02, max_iter=60, random_state=0).fit(texts)
    >>> model.generate(23, temperature=0.1, random_state=0)
    'the cat sat on the mat.'
    >>> bool(model.bits_per_symbol(texts) < 0.2)
    True
    """

    layers: Sequence[Any] = param(
        (LSTM(128),), "layers between the embedded symbols and the probabilities of the next one", kw_only=False,
        accepts=_all_layers, says="a list of layers such as LSTM(128)",
    )  # fmt: skip
    embedding: int = param(32, "length of the vector of a symbol", at_least=1)
    context: int = param(64, "symbols of a window of text in training, and that a prediction sees", at_least=2)
    min_df: int = param(1, "number of texts that a symbol must be in; those that are in fewer are one", at_least=1)
    learning_rate_init: float = param(0.003, "initial learning rate", above=0, tune=(1e-3, 3e-3, 1e-2))
    schedule: ScheduleName = param("cosine", "learning-rate schedule")
    clip: float | None = param(1.0, "largest norm of a gradient; longer ones are scaled down to it", above=0)
    max_iter: int = param(20, "maximum number of epochs", at_least=1)

    symbols_: list[str] = learned("symbols of the training texts, sorted")
    joins_: bool = learned("whether symbols are characters, which make one text")

    title = "recurrent neural language model"
    reference = "Graves, Generating sequences with recurrent neural networks, arXiv:1308.0850, 2013"
    traits = Traits(task="sequence modelling", takes="texts", sparse=False)
    usual_batch = 32

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from texts; `y` is ignored, and a text with the weight 3 counts three times."""
        params.check(self)
        owner = type(self).__name__
        texts, symbols = read_texts(owner, X, self.min_df)
        weight = self._validator.weights(sample_weight, len(texts))
        windows = windows_of(texts, symbols, int(self.context), int(self.context))
        rows = None if weight is None else weight[windows.text]
        with self._fitting(windows.codes, weight) as trace:
            self.symbols_, self.joins_ = symbols, isinstance(texts[0], str)
            self.n_outputs_, self.out_activation_ = len(symbols) + 2, "softmax"
            data = Data(windows.codes, windows.targets, rows, None)
            self._train_plan(self._plan(self._seed), data, windows.targets, trace)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "weights_" in self.__dict__

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss("softmax", float(self.context))

    def _plan(self, seed: int = 0) -> LayerPlan:
        codes = len(self.symbols_) + 2  # the boundary of texts, and unknown symbols
        recurrent = [replace(one, sequences=True) if isinstance(one, (RNN, GRU, LSTM)) else one for one in self.layers]
        layers: list[Layer] = [Embedding(codes, int(self.embedding)), *recurrent, Conv(codes, 1)]
        steps = planned_steps(type(self).__name__, layers, (int(self.context),), (), True)
        if not all(isinstance(step.layer, CAUSAL) for step in steps[:-1]):
            raise ParameterError(
                f"{type(self).__name__}: layers must see no step that follows: recurrent ones, Activation and Dropout; "
                f"got {list(self.layers)!r:.80}"
            )
        return self._planned(tuple(steps), seed)

    def _fitted_plan(self) -> tuple[LayerPlan, Array]:
        return self._plan(self._seed), self.weights_

    def _targets(self, y: Any, rows: int) -> Array:
        return np.asarray(y, dtype=np.float64).reshape(rows, -1)

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        """The fraction of symbols that are the most probable ones."""
        found = predictions.reshape(*y.shape, -1).argmax(axis=2) == y
        heavy = ~np.isnan(y) * (1.0 if weight is None else weight[:, None])
        return float((found * heavy).sum() / heavy.sum())

    def _windows(self, X: Any) -> Windows:
        """The windows of texts; of those after the first in a text the first half has been seen before."""
        self._require_fit()
        texts, _ = read_texts(type(self).__name__, X, 1, self.joins_)
        return windows_of(texts, self.symbols_, int(self.context), max(1, int(self.context) // 2))

    def score_samples(self, X: Any) -> Array:
        """The logarithm of the probability of each text, its end included."""
        windows = self._windows(X)
        plan = self._plan()
        found = np.zeros(windows.texts)
        for begin in range(0, len(windows.codes), 256):
            part = slice(begin, begin + 256)
            known = windows.fresh[part]
            probabilities = plan.predictions(windows.codes[part], self.weights_).reshape(*known.shape, -1)
            codes = np.where(known, windows.targets[part], 0).astype(np.int64)
            chosen = np.take_along_axis(probabilities, codes[..., None], 2)[..., 0].astype(np.float64)
            np.add.at(found, windows.text[part], np.log(np.maximum(np.where(known, chosen, 1.0), 1e-300)).sum(axis=1))
        return found

    def score(self, X: Any, y: Any = None) -> float:
        """The mean logarithm of the probability of a symbol of the texts."""
        return float(self.score_samples(X).sum() / self._windows(X).fresh.sum())

    def bits_per_symbol(self, X: Any) -> float:
        """The cross-entropy of the texts in bits for each symbol: less is better."""
        return -self.score(X) / math.log(2)

    def predict_proba(self, start: str | Sequence[str] = "") -> dict[str, float]:
        """The probability of each symbol after the text `start`; that of "" is of its end."""
        self._require_fit()
        shares = self._next(self._start_codes(start))
        return {"": float(shares[BOUNDARY])} | {
            symbol: float(share) for symbol, share in zip(self.symbols_, shares[1:], strict=False)
        }

    def generate(
        self, length: int = 100, start: str | Sequence[str] = "", temperature: float = 1.0,
        random_state: RandomState = None,
    ) -> Any:  # fmt: skip
        """A text of at most `length` new symbols after `start`, which it begins with; it may end before."""
        self._require_fit()
        _check_request(type(self).__name__, length, temperature)
        draws = stream(self.random_state if random_state is None else random_state)
        codes = self._start_codes(start)
        for _ in range(int(length)):
            shares = self._next(codes)[:-1].astype(np.float64)  # symbols that are unknown are not drawn
            with np.errstate(divide="ignore"):
                scores = np.log(shares / shares.sum()) / float(temperature)
            heights = np.cumsum(np.exp(scores - scores.max()))
            code = int(np.searchsorted(heights, draws.uniform() * heights[-1], side="right"))
            if code == BOUNDARY:
                break
            codes.append(code)
        made = [self.symbols_[code - 1] for code in codes[1 + len(start) :]]
        return "".join([*start, *made]) if self.joins_ else [*start, *made]

    def _start_codes(self, start: str | Sequence[str]) -> list[int]:
        texts, _ = read_texts(type(self).__name__, [start if len(start) or self.joins_ else [""]], 1, self.joins_)
        known = {symbol: code for code, symbol in enumerate(self.symbols_, 1)}
        return [BOUNDARY, *(known.get(symbol, len(known) + 1) for symbol in (texts[0] if len(start) else ""))]

    def _next(self, codes: list[int]) -> Array:
        """The probabilities of the symbol after a text."""
        seen = codes[-int(self.context) :]
        row = np.full((1, int(self.context)), np.nan)
        row[0, : len(seen)] = seen
        found = self._plan().predictions(row, self.weights_).reshape(int(self.context), -1)
        return np.asarray(found[len(seen) - 1])

    def _unsound(self) -> str:
        fits = len(self.weights_) == self._plan().length and self.n_outputs_ == len(self.symbols_) + 2
        right = self.weights_.dtype in (np.float32, np.float64)
        if fits and not np.isfinite(self.weights_).all():
            return "weights_ must be finite"
        return "" if fits and right else "the weights do not fit the layers"


def _check_request(owner: str, length: Any, temperature: Any) -> None:
    if isinstance(length, bool) or not isinstance(length, Integral) or not 1 <= int(length) < 2**24:
        raise ParameterError(f"{owner}: length must be a whole number of at least 1; got {length!r:.40}")
    if isinstance(temperature, bool) or not isinstance(temperature, Real) or not 0 < float(temperature) < math.inf:
        raise ParameterError(f"{owner}: temperature must be above 0 and finite; got {temperature!r:.40}")
