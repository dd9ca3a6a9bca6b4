"""
Ice cream, a dishonest casino, and earthquakes
==============================================

Three hidden Markov models: decoding with known parameters, learning them from symbols, and from
counts.
"""

# %%
# Weather and ice cream
# ---------------------
# A diary says how many ice creams were eaten on each day; the weather is hidden. The trellis has a
# column for each day: the area of a state is its posterior probability, and the line is the most
# probable path.

import matplotlib.pyplot as plt
import numpy as np

from learnable.plot import StateTimelineDisplay, TransitionGraphDisplay, TrellisDisplay
from learnable.sequence import CategoricalHMM, PoissonHMM

weather = CategoricalHMM(2)
weather.startprob_ = np.array([0.8, 0.2])
weather.transmat_ = np.array([[0.6, 0.4], [0.5, 0.5]])
weather.emissionprob_ = np.array([[0.2, 0.4, 0.4], [0.5, 0.4, 0.1]])
eaten = [3, 1, 3, 2, 1, 1, 2, 3]

TrellisDisplay.from_estimator(
    weather,
    np.array(eaten)[:, None] - 1,
    state_names=["hot", "cold"],
    observations=[str(count) for count in eaten],
)
plt.show()

# %%
# The dishonest casino
# --------------------
# A casino now and then replaces the fair die by a loaded one, which shows a six half of the time.
# The posterior probability of the loaded die follows its use, which the grey bands show.

casino = CategoricalHMM(2, random_state=3)
casino.startprob_, casino.transmat_ = np.array([1.0, 0.0]), np.array([[0.95, 0.05], [0.1, 0.9]])
casino.emissionprob_ = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
rolls, die = casino.sample(300)

fig, ax = plt.subplots(figsize=(8, 2.6), layout="constrained")
ax.fill_between(np.arange(300), die, step="mid", color="0.85", label="loaded die in use")
ax.plot(casino.predict_proba(rolls)[:, 1], label="posterior probability")
ax.set(xlabel="roll", ylim=(0, 1.02))
ax.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
plt.show()

# %%
# Learned from the rolls alone, by the Baum-Welch algorithm:

rolls, _ = casino.sample(10_000, random_state=1)
learned = CategoricalHMM(2, n_iter=500, tol=0.1, n_init=3, random_state=0).fit(rolls)
print(learned.emissionprob_[np.argsort(learned.emissionprob_[:, 5])].round(2))

# %%
# Earthquakes
# -----------
# Major earthquakes in the world for each year from 1900 to 2006. A Poisson distribution is too
# narrow for these counts; three hidden states with rates of their own explain them.

# fmt: off
counts = [
    13, 14, 8, 10, 16, 26, 32, 27, 18, 32, 36, 24, 22, 23, 22, 18, 25, 21, 21, 14, 8, 11, 14, 23,
    18, 17, 19, 20, 22, 19, 13, 26, 13, 14, 22, 24, 21, 22, 26, 21, 23, 24, 27, 41, 31, 27, 35, 26,
    28, 36, 39, 21, 17, 22, 17, 19, 15, 34, 10, 15, 22, 18, 15, 20, 15, 22, 19, 16, 30, 27, 29, 23,
    20, 16, 21, 21, 25, 16, 18, 15, 18, 14, 10, 15, 8, 15, 6, 11, 8, 7, 18, 16, 13, 12, 13, 20, 15,
    16, 12, 18, 15, 16, 13, 15, 16, 11, 11,
]
# fmt: on
X = np.array(counts)[:, None]
model = PoissonHMM(3, n_iter=1000, tol=1e-6, n_init=5, random_state=0).fit(X)
StateTimelineDisplay.from_estimator(model, X, times=1900 + np.arange(len(X)))
plt.show()

# %%
names = [f"{rate:.0f} a year" for rate in model.lambdas_.ravel()]
TransitionGraphDisplay.from_estimator(model, state_names=names)
plt.show()
