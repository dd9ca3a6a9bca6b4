"""Latent Dirichlet allocation."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    RandomState,
    Trace,
    Traits,
    UnweightedTransformer,
    estimator,
    learned,
    param,
)
from ..core.declare import params
from ..core.runtime.random import seed_of, stream
from ..core.sklearn_api.output_containers import wrapped
from ..engines.iterate import iterate
from ._projection_base import score_names
from ._topics.allocation import (
    Corpus,
    GibbsPasses,
    TopicPriors,
    VariationalPasses,
    bound,
    document_topics,
    exp_expectation,
)


@estimator
class LatentDirichletAllocation(UnweightedTransformer):
    """Latent Dirichlet allocation (LDA): documents as mixtures of topics, topics as distributions of words.

    maximise    E log p(words, topics | priors) - E log q(topics),    with Dirichlet priors of both kinds

    X counts words. Variational Bayes on all documents ("batch") or in mini-batches ("online"), or collapsed Gibbs
    sampling ("gibbs": every word is drawn in turn, and counts of the second half of the passes are averaged). [Blei, Ng
    and Jordan, 2003; Hoffman, Blei and Bach, 2010; Griffiths and Steyvers, 2004]

    >>> X = [[4, 3, 0, 0], [5, 2, 0, 0], [0, 0, 3, 4], [0, 0, 2, 5]]
    >>> LatentDirichletAllocation(2, random_state=0).fit_transform(X).round(1)[:, 0].tolist()
    [0.9, 0.9, 0.1, 0.1]
    """

    n_components: int = param(10, "number of topics", kw_only=False, at_least=1, tune=(5, 10, 20, 50))
    doc_topic_prior: float | None = param(None, "prior of the topics of a document; None: 1 / n_components", above=0)
    topic_word_prior: float | None = param(None, "prior of the words of a topic; None: 1 / n_components", above=0)
    learning_method: Literal["batch", "online", "gibbs"] = param(
        "batch", "variational Bayes on all documents or in mini-batches, or Gibbs sampling"
    )
    learning_decay: float = param(0.7, "exponent of the decay of the batch weights, for online", between=(0, 1))
    learning_offset: float = param(10.0, "offset that lowers the weight of early batches, for online", at_least=0)
    max_iter: int = param(10, "number of passes over the documents", at_least=0)
    batch_size: int = param(128, "number of documents in a batch, for online", at_least=1)
    evaluate_every: int = param(-1, "number of passes between tests of convergence by the perplexity; 0, -1: none")
    total_samples: float = param(1e6, "number of documents altogether, for partial_fit", above=0)
    perp_tol: float = param(0.1, "change of the perplexity that ends the fit, with evaluate_every", at_least=0)
    mean_change_tol: float = param(1e-3, "mean change at which the topics of a document have converged", at_least=0)
    max_doc_update_iter: int = param(100, "maximum number of updates of a document", at_least=0)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    random_state: RandomState = param(None, "seed of the initial topics")
    components_: Array = learned("weight of each word in each topic", shape="components features", least=0)
    exp_dirichlet_component_: Array = learned(
        "exp of the expected log probability", shape="components features", least=0
    )
    bound_: float = learned("perplexity of the training documents")
    n_batch_iter_: int = learned("number of updates, and one", least=0)
    n_iter_: int = learned("number of passes")
    doc_topic_prior_: float = learned("prior of the topics of a document", least=5e-324)
    topic_word_prior_: float = learned("prior of the words of a topic", least=5e-324)
    random_state_: int = learned("seed that the fit began with")

    traits = Traits(sparse=True, storage="csr", positive_columns=True, stochastic=True)
    title = "latent dirichlet allocation"
    reference = "Blei, Ng and Jordan, Latent Dirichlet allocation, JMLR 2003"

    def _fit(self, data: Data, trace: Trace) -> None:
        corpus = self._corpus(data.X)
        priors = self._start_priors()
        given = isinstance(self.random_state, np.random.RandomState)
        seed = 0 if given else seed_of(self.random_state)
        draws = stream(self.random_state if given else seed % 2**32)
        components = draws.gamma(100.0, 0.01, (self.n_components, data.p))
        seed = seed_of(draws) if given else seed  # after the topics, which are scikit-learn's for the same generator
        self.random_state_ = int(seed % 2**63)
        if self.learning_method == "gibbs":
            method: Any = GibbsPasses(corpus, priors, self.n_components, seed, max(self.max_iter, 1))
        else:
            size = self.batch_size if self.learning_method == "online" else 0
            rate = (self.learning_decay, self.learning_offset)
            tolerance = self.perp_tol if self.evaluate_every > 0 else -1.0
            method = VariationalPasses(
                corpus, priors, components, draws, size, rate, self._search(), tolerance, max(self.evaluate_every, 1)
            )
        state = iterate(method, self.max_iter, trace) if self.max_iter else method.start()
        self._keep(method.components(state), data.X.dtype)
        self.n_batch_iter_, self.n_iter_ = int(state["batches"]) + 1, len(trace.rows)
        self.bound_ = self._perplexity(corpus)
        self._certify(trace)

    def _certify(self, trace: Trace) -> None:
        if not trace.rows:
            trace.exact("no pass was requested: topics are random")
        elif self.evaluate_every > 0 and self.learning_method != "gibbs":
            trace.certify("change", trace.rows[-1]["criterion"], self.perp_tol, "change of the perplexity")
        else:
            trace.stopped = "exact" if trace.stopped == "limit" else trace.stopped
            sentence = f"{len(trace.rows)} passes were done; how near an optimum is was not tested"
            trace.certify("passes", 0.0, 0.0, sentence)

    def _start_priors(self) -> TopicPriors:
        whole = 1.0 / self.n_components
        self.doc_topic_prior_ = whole if self.doc_topic_prior is None else float(self.doc_topic_prior)
        self.topic_word_prior_ = whole if self.topic_word_prior is None else float(self.topic_word_prior)
        return TopicPriors(self.doc_topic_prior_, self.topic_word_prior_)

    def _search(self) -> tuple[float, int]:
        return self.mean_change_tol, self.max_doc_update_iter

    def _keep(self, components: Array, dtype: Any) -> None:
        self.components_ = components.astype(dtype)
        self.exp_dirichlet_component_ = exp_expectation(components).astype(dtype)

    def _corpus(self, X: Matrix) -> Corpus:
        return Corpus.of(type(self).__name__, X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the topics by the documents `X`, in mini-batches of a stream of `total_samples` documents."""
        params.check(self)
        begun = self.__sklearn_is_fitted__()
        data = self._training_data(X, y, None)
        if begun:
            self._check_columns(data.X, data.names)
        with self._fitting(data.X, going_on=True) as trace:
            if not begun:
                self._remember_columns(data.X, data.names)
                self._start_priors()
                shape, given = (self.n_components, data.p), isinstance(self.random_state, np.random.RandomState)
                first = stream(self.random_state).gamma(100.0, 0.01, shape) if given else None
                self.random_state_ = int(seed_of(self.random_state) % 2**63)
                self.n_batch_iter_, self.n_iter_ = 1, 0
            draws = np.random.RandomState((self.random_state_ + self.n_batch_iter_ - 1) % 2**32)
            if begun or first is None:
                first = self.components_ if begun else draws.gamma(100.0, 0.01, shape)
            method = VariationalPasses(
                self._corpus(data.X), self._priors(), first.astype(np.float64),
                draws, self.batch_size, (self.learning_decay, self.learning_offset), self._search(), -1.0, 1,
                float(self.total_samples), self.n_batch_iter_ - 1,
            )  # fmt: skip
            state = iterate(method, 1, trace)
            self._keep(method.components(state), data.X.dtype)
            self.n_batch_iter_, self.n_iter_ = int(state["batches"]) + 1, self.n_iter_ + 1
            self.bound_ = self._perplexity(self._corpus(data.X))
            trace.stopped = "exact"
            trace.certify("exact", 0.0, 0.0, "these documents were taken into account once")
        return self

    def _gamma(self, corpus: Corpus) -> Array:
        words = np.ascontiguousarray(self.exp_dirichlet_component_.T.astype(np.float64))
        start = np.ones((corpus.rows, len(self.components_)))
        return document_topics(corpus, words, self.doc_topic_prior_, self._search(), start)[0]

    def transform(self, X: Any, *, normalize: bool = True) -> Any:
        """The topics of the documents `X`: their expected proportions, or with normalize=False Dirichlet parameters."""
        rows = self._read(X)
        gamma = self._gamma(self._corpus(rows))
        found = gamma / gamma.sum(axis=1, keepdims=True) if normalize else gamma
        return wrapped(found.astype(rows.dtype), X, self)

    def fit_transform(self, X: Any, y: Any = None, *, normalize: bool = True) -> Any:  # type: ignore[override]  # as above
        """`fit(X).transform(X)`."""
        return self.fit(X, y).transform(X, normalize=normalize)

    def _transform(self, X: Matrix) -> Array:
        return np.asarray(self.transform(X))

    def score(self, X: Any, y: Any = None) -> float:
        """A lower bound of the log-likelihood of the documents `X`."""
        corpus = self._corpus(self._read(X))
        return bound(corpus, self._gamma(corpus), self.components_.astype(np.float64), self._priors())

    def perplexity(self, X: Any, sub_sampling: bool = False) -> float:
        """exp(- bound of the log-likelihood per word); `sub_sampling` scales it to `total_samples` documents."""
        return self._perplexity(self._corpus(self._read(X)), sub_sampling)

    def _perplexity(self, corpus: Corpus, sub_sampling: bool = False) -> float:
        ratio = float(self.total_samples) / corpus.rows if sub_sampling else 1.0
        value = bound(corpus, self._gamma(corpus), self.components_.astype(np.float64), self._priors(), ratio)
        words = max(corpus.words * ratio, np.finfo(np.float64).tiny)
        with np.errstate(over="ignore"):
            return float(min(np.exp(-value / words), np.finfo(np.float64).max))

    def _priors(self) -> TopicPriors:
        return TopicPriors(self.doc_topic_prior_, self.topic_word_prior_)

    def top_words(self, n: int = 10, terms: Any = None) -> list[list[str]]:
        """The `n` words with the largest weights in each topic; `terms` names the columns."""
        self._require_fit()
        names = terms if terms is not None else getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)
        if len(names) != self.n_features_in_:
            raise DataError(f"{type(self).__name__}: terms must name each of the {self.n_features_in_} columns")
        order = np.argsort(-self.components_, axis=1, kind="stable")[:, :n]
        return [[str(names[j]) for j in row] for row in order]

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.components_))
