"""Finite Markov decision processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.runtime.native import kernels
from ..core.validate.sparse_input import ChecksSparse

NEAR_ONE = 1e-8  # by which the sum of probabilities may differ from one
Outcome = tuple[int, int, float, int, float, bool]  # state, action, probability, next state, reward, whether it ends
Outcomes = tuple[Array, Array, Array, Array, Array, Array]  # the same as columns


class MarkovDecisionProcess(ChecksSparse):
    """Finite Markov decision process: states, actions, transition probabilities, rewards.

    P(s' | s, a) and r(s, a, s')

    `transitions` is an array (states, actions, states), a list with a sparse matrix (states, states) for each action,
    or a table `P[s][a]` of (probability, next state, reward, done) as environments of gymnasium have it; an environment
    with such a table is taken as well. `rewards` has the shape (states,), (states, actions) or (states, actions,
    states); a table has them already. A state without transitions for an action does not have that action; episodes end
    in `terminal` states. `initial` is the distribution of the first state, uniform by default. [Puterman, Markov
    Decision Processes, 1994]

    >>> process = MarkovDecisionProcess([[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]], [[1.0, 0.0], [0.0, 2.0]])
    >>> process.n_states, process.n_actions
    (2, 2)
    """

    def __init__(self, transitions: Any, rewards: Any = None, *, initial: Any = None, terminal: Any = ()) -> None:
        table = table_of(transitions)
        if table is not None:
            if rewards is not None:
                raise DataError("MarkovDecisionProcess: a table P[s][a] has its rewards already; leave rewards out")
            if initial is None:
                initial = getattr(_inner(transitions), "initial_state_distrib", None)
            outcomes = _columns_of(list(_of_table(table)))
            self.n_states, self.n_actions = len(table), max((len(row) for row in _rows(table)), default=0)
        else:
            self.n_states, self.n_actions, outcomes = _of_arrays(transitions, rewards)
        if not self.n_states or not self.n_actions:
            raise DataError("MarkovDecisionProcess: there must be at least one state and one action")
        self._keep(outcomes)
        ends = _states_of("terminal", terminal, self.n_states)
        self.done |= np.isin(self.next, ends)
        self._check()
        self.initial = _distribution(initial, self.n_states)

    def _keep(self, outcomes: Outcomes) -> None:
        """The outcomes as arrays, ordered by state and action."""
        state, action, probability, after, reward, done = outcomes
        pair = state * self.n_actions + action
        order = np.argsort(pair, kind="stable")
        self.probability, self.next = probability[order], after[order]
        self.outcome_reward = reward[order]
        self.done: Array = done[order]
        counts = np.bincount(pair, minlength=self.n_states * self.n_actions)
        self.start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def _check(self) -> None:
        """Refuse what is not a decision process, with the state and the action."""
        if not np.isfinite(self.outcome_reward).all() or not np.isfinite(self.probability).all():
            raise DataError("MarkovDecisionProcess: probabilities and rewards must be finite numbers")
        wrong = (self.next < 0) | (self.next >= self.n_states)
        if wrong.any():
            raise DataError(
                f"MarkovDecisionProcess: next states must be 0..{self.n_states - 1}; got {self.next[wrong.argmax()]}"
            )
        sums = self._summed(self.probability)
        owned = np.diff(self.start) > 0
        broken = owned & (np.abs(sums - 1) > NEAR_ONE)
        if (self.probability < 0).any() or broken.any():
            pair = int(broken.argmax()) if broken.any() else int(self._pairs[(self.probability < 0).argmax()])
            raise DataError(
                f"MarkovDecisionProcess: the probabilities of state {pair // self.n_actions}, action "
                f"{pair % self.n_actions} must be at least 0 and sum to 1; their sum is {sums[pair]:g}"
            )
        idle = ~owned.reshape(self.n_states, self.n_actions).any(axis=1)
        if idle.any():
            raise DataError(f"MarkovDecisionProcess: state {int(idle.argmax())} has no action")

    @property
    def _pairs(self) -> Array:
        """The state and action of each outcome, as state * n_actions + action."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def _summed(self, values: Array) -> Array:
        """Sums over the outcomes of each state and action."""
        return np.bincount(self._pairs, weights=values, minlength=len(self.start) - 1)

    @cached_property
    def reward(self) -> Array:
        """Expected reward of each state and action; minus infinity of an action that the state does not have."""
        expected = self._summed(self.probability * self.outcome_reward)
        expected[np.diff(self.start) == 0] = -np.inf
        return expected

    @cached_property
    def ahead(self) -> tuple[Array, Array, Array]:
        """Transitions that do not end the episode, as the rows of a CSR matrix: start, next state, probability."""
        kept = ~self.done & (self.probability > 0)
        counts = np.bincount(self._pairs[kept], minlength=len(self.start) - 1)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        found = start, self.next[kept], self.probability[kept]
        kernels.check_transitions(found[0], found[1], len(start) - 1, self.n_states)
        return found

    @property
    def available(self) -> Array:
        """Which actions each state has."""
        return (np.diff(self.start) > 0).reshape(self.n_states, self.n_actions)

    @property
    def continues(self) -> bool:
        """Whether no transition ends an episode."""
        return not (self.done & (self.probability > 0)).any()

    def q_values(self, values: Any, discount: float = 1.0) -> Array:
        """Action values r(s, a) + discount sum_s' P(s' | s, a) V(s'), a row for each state."""
        found = self.reward + discount * (self._matrix(*self.ahead, self.n_states * self.n_actions) @ _column(values))
        return np.asarray(found).reshape(self.n_states, self.n_actions)

    def under(self, policy: Any) -> tuple[Any, Array]:
        """The transition matrix, without what ends the episode, and the expected reward of each state, of a policy.

        A policy is an action for each state, or a row of probabilities.
        """
        weights = self.policy_matrix(policy)
        rows = np.repeat(np.arange(self.n_states), self.n_actions)
        from scipy.sparse import csr_array

        share = csr_array(
            (weights.ravel(), (rows, np.arange(len(rows)))), shape=(self.n_states, self.n_states * self.n_actions)
        )
        reward = np.where(weights.ravel() > 0, self.reward, 0.0)
        return share @ self._matrix(*self.ahead, len(rows)), share @ reward

    def policy_matrix(self, policy: Any) -> Array:
        """A policy as probabilities, a row for each state; it must use actions that the states have."""
        given = np.asarray(policy)
        if given.shape == (self.n_states,) and given.dtype.kind in "iu":
            if given.min() < 0 or given.max() >= self.n_actions:
                raise DataError(f"policy: actions must be 0..{self.n_actions - 1}; got {given.min()}..{given.max()}")
            weights = np.eye(self.n_actions)[given]
        elif given.shape == (self.n_states, self.n_actions) and given.dtype.kind in "iuf":
            weights = given.astype(np.float64)
        else:
            raise DataError(
                f"policy: it must be an action for each of {self.n_states} states, or a matrix of probabilities with "
                f"{self.n_actions} columns; got {given.dtype} {given.shape}"
            )
        if not ((weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) <= NEAR_ONE).all()):
            raise DataError("policy: the probabilities of each state must be at least 0 and sum to 1")
        if (weights > 0)[~self.available].any():
            state = int(((weights > 0) & ~self.available).any(axis=1).argmax())
            raise DataError(f"policy: state {state} does not have the action that the policy takes there")
        checked: Array = weights
        return checked

    def evaluate(self, policy: Any, discount: float = 1.0) -> Array:
        """The value of every state under a policy, exactly: the solution of V = r + discount P V."""
        from scipy.sparse import csc_array, identity
        from scipy.sparse.linalg import splu

        matrix, reward = self.under(policy)
        values = np.zeros(self.n_states)
        ending = _reach_an_end(matrix) if discount == 1 else np.ones(self.n_states, dtype=bool)
        if reward[~ending].any():
            raise DataError(
                f"the policy has no finite value: from state {int((~ending).argmax())} it never ends an episode; take "
                "a discount below 1"
            )
        if ending.any():
            inside = csc_array(identity(int(ending.sum())) - discount * matrix[ending][:, ending])
            values[ending] = splu(inside).solve(reward[ending])
        if not np.isfinite(values).all():
            raise DataError("the values of the policy exceed the floating-point numbers; rewards are too large")
        return values

    def _matrix(self, start: Array, index: Array, probability: Array, rows: int) -> Any:
        from scipy.sparse import csr_array

        return csr_array((probability, index, start), shape=(rows, self.n_states))


def _reach_an_end(matrix: Any) -> Array:
    """The states from which an episode can end, where rows that sum to less than 1 may end at once."""
    reached = np.asarray(matrix.sum(axis=1)).ravel() < 1 - NEAR_ONE
    while True:
        further = reached | (matrix @ reached > 0)
        if (further == reached).all():
            return np.asarray(reached)
        reached = further


def _inner(environment: Any) -> Any:
    return getattr(environment, "unwrapped", environment)


def table_of(value: Any) -> Any:
    """The table P[s][a] of an environment, or the value itself if it is one; None if there is none."""
    if isinstance(value, (np.ndarray, str)) or hasattr(value, "toarray"):
        return None
    table = getattr(_inner(value), "P", value)
    try:
        first = _rows(table)[0]
        entry = next(iter(first.values() if isinstance(first, Mapping) else first))
        one = entry[0]
        return table if len(one) == 4 and np.ndim(one[0]) == 0 and isinstance(one, (tuple, list)) else None
    except (TypeError, IndexError, KeyError, StopIteration):
        return None


def _rows(table: Any) -> list[Any]:
    return [table[state] for state in range(len(table))]


def _of_table(table: Any) -> Iterator[Outcome]:
    for state, actions in enumerate(_rows(table)):
        pairs = actions.items() if isinstance(actions, Mapping) else enumerate(actions)
        for action, outcomes in pairs:
            for probability, after, reward, done in outcomes:
                yield state, int(action), float(probability), _whole(after), float(reward), bool(done)


def _columns_of(outcomes: list[Outcome]) -> Outcomes:
    """The outcomes as six columns."""
    columns = list(zip(*outcomes, strict=True)) if outcomes else [()] * 6
    kinds = (np.int64, np.int64, np.float64, np.int64, np.float64, np.bool_)
    found: list[Array] = [np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    return found[0], found[1], found[2], found[3], found[4], found[5]


def _of_arrays(transitions: Any, rewards: Any) -> tuple[int, int, Outcomes]:
    """States, actions and outcomes from arrays, or from a sparse matrix for each action."""
    if isinstance(transitions, (list, tuple)) and transitions and hasattr(transitions[0], "tocoo"):
        parts = [matrix.tocoo() for matrix in transitions]
        n, k = parts[0].shape[0], len(parts)
        if any(part.shape != (n, n) for part in parts):
            raise DataError("MarkovDecisionProcess: every sparse matrix must have the shape (states, states)")
        entries = [(part.row, np.full(len(part.row), a), part.col, part.data) for a, part in enumerate(parts)]
        s, a, after, p = (np.concatenate(column) for column in zip(*entries, strict=True))
    else:
        try:
            array = np.asarray(transitions, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.ndim != 3 or array.shape[0] != array.shape[2]:
            raise DataError(
                "MarkovDecisionProcess: transitions must be an array (states, actions, states), a list of sparse "
                f"matrices, or a table P[s][a]; got the shape {array.shape}"
            )
        n, k = array.shape[:2]
        s, a, after = np.nonzero(array)
        p = array[s, a, after]
    reward = _rewards(rewards, n, k, s, a, after)
    whole = [np.asarray(column).astype(np.int64) for column in (s, a, after)]
    return n, k, (whole[0], whole[1], p.astype(np.float64), whole[2], reward, np.zeros(len(s), dtype=bool))


def _rewards(rewards: Any, n: int, k: int, s: Array, a: Array, after: Array) -> Array:
    """The reward of each outcome."""
    if isinstance(rewards, (list, tuple)) and rewards and hasattr(rewards[0], "tocsr"):
        tables = [matrix.tocsr() for matrix in rewards]
        return np.array([tables[j][i, t] for i, j, t in zip(s, a, after, strict=True)], dtype=np.float64)
    try:
        array = np.asarray(rewards, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape == (n,):
        return array[s]
    if array.shape == (n, k):
        return array[s, a]
    if array.shape == (n, k, n):
        return array[s, a, after]
    raise DataError(
        f"MarkovDecisionProcess: rewards must have the shape ({n},), ({n}, {k}) or ({n}, {k}, {n}); got {array.shape}"
    )


def _column(values: Any) -> Array:
    return np.asarray(values, dtype=np.float64)


def _states_of(name: str, states: Any, n: int) -> Array:
    found = np.asarray(list(states), dtype=np.int64) if len(states) else np.empty(0, dtype=np.int64)
    if len(found) and (found.min() < 0 or found.max() >= n):
        raise DataError(f"MarkovDecisionProcess: {name} states must be 0..{n - 1}; got {found.tolist()}")
    return found


def _distribution(initial: Any, n: int) -> Array:
    """The distribution of the first state."""
    if initial is None:
        return np.full(n, 1 / n)
    if isinstance(initial, (int, np.integer)) and 0 <= initial < n:
        unit: Array = np.eye(n)[int(initial)]
        return unit
    found = np.asarray(initial, dtype=np.float64)
    if found.shape != (n,) or (found < 0).any() or not abs(found.sum() - 1) <= NEAR_ONE:
        raise DataError(f"MarkovDecisionProcess: initial must be a state, or {n} probabilities that sum to 1")
    return found


def _whole(state: Any) -> int:
    """A next state of a table."""
    if int(state) != state:
        raise DataError(f"MarkovDecisionProcess: next states must be whole numbers; got {state!r:.40}")
    return int(state)
