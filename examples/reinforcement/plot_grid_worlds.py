"""
Grid worlds: planning and learning
==================================

A frozen lake of which everything is known, a cliff that has to be explored, a random walk whose
values are known exactly, and bandits.
"""

# %%
# Planning: the frozen lake
# -------------------------
# On slippery ice a move goes where it should with probability 1/3. Value iteration finds the
# probability of reaching the goal, here discounted; the arrows point away from holes.

import matplotlib.pyplot as plt
import numpy as np

from learnable.plot import PolicyDisplay, ReturnDisplay
from learnable.reinforcement import (
    SARSA,
    UCB,
    CliffWalking,
    EpsilonGreedy,
    FrozenLake,
    QLearning,
    RandomWalk,
    TDLambda,
    ThompsonSampling,
    ValueIteration,
    return_curves,
    run_bandit,
)

lake = FrozenLake()
planned = ValueIteration(discount=0.99).fit(lake)
PolicyDisplay.from_estimator(planned, lake)
plt.show()
print(planned.certificate_)

# %%
# Learning: the cliff
# -------------------
# Each step costs 1, a fall 100. Q-learning finds the shortest path along the edge; while a tenth of
# the actions is random it often falls. SARSA knows that, and keeps away.

cliff = CliffWalking()
settings = {"n_episodes": 400, "alpha": 0.5, "discount": 1.0}
fig, ax = plt.subplots()
for cls, color in ((SARSA, "#2563a8"), (QLearning, "#d9822b")):
    curves = return_curves(cls(**settings), cliff, n_runs=30, random_state=0)
    display = ReturnDisplay(curves, window=20)
    display.plot(ax=ax, label=cls.__name__, color=color)
ax.set(ylim=(-120, 0))
ax.legend(frameon=False)
plt.show()

# %%
# The two policies
# ----------------

for cls in (QLearning, SARSA):
    fitted = cls(**{**settings, "n_episodes": 3000}, random_state=0).fit(cliff)
    fig, ax = plt.subplots(figsize=(8, 2.6))
    PolicyDisplay.from_estimator(fitted, cliff, ax=ax)
    ax.set(title=cls.__name__)
    plt.show()

# %%
# Prediction: the random walk
# ---------------------------
# The true values are 1/6, ..., 5/6. TD(0) updates after every step.

fig, ax = plt.subplots()
for episodes in (1, 10, 100):
    values = (
        TDLambda(n_episodes=episodes, alpha=0.1, discount=1.0, random_state=0)
        .fit(RandomWalk())
        .values_
    )
    ax.plot(list("ABCDE"), values, "o-", label=f"{episodes} episodes")
ax.plot(list("ABCDE"), np.arange(1, 6) / 6, "k--", label="true values")
ax.set(xlabel="state", ylabel="value")
ax.legend(frameon=False)
plt.show()

# %%
# Bandits: regret
# ---------------
# Ten arms with normal rewards. What is lost against always pulling the best arm grows linearly for
# epsilon-greedy, and ever more slowly for the others.

fig, ax = plt.subplots()
policies = {
    "epsilon-greedy": EpsilonGreedy(10),
    "UCB": UCB(10),
    "Thompson sampling": ThompsonSampling(10, rewards="normal"),
}
for name, policy in policies.items():
    runs = run_bandit(policy, n_steps=600, n_runs=100, random_state=0)
    low, high = runs.regret_interval()
    (line,) = ax.plot((low + high) / 2, label=name)
    ax.fill_between(np.arange(600), low, high, alpha=0.2, color=line.get_color())
ax.set(xlabel="step", ylabel="cumulated regret")
ax.legend(frameon=False)
plt.show()
