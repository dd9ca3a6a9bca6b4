"""
Majority votes and correlated averages
======================================

Eleven voters, each correct with probability p, independently. The majority is correct with
probability

.. math:: P = \\sum_{k=6}^{11} \\binom{11}{k} p^k (1 - p)^{11 - k},

which is larger than p if p > 1/2, and smaller if p < 1/2.
"""

# %%
# The curve
# ---------

import matplotlib.pyplot as plt
import numpy as np

from learnable.theory import majority_vote_probability, variance_of_average

p = np.linspace(0, 1, 201)
fig, ax = plt.subplots(figsize=(5.4, 4.6))
for voters in (3, 11, 101):
    ax.plot(p, majority_vote_probability(voters, p), label=f"majority of {voters}")
ax.plot(p, p, color="#6b7280", linestyle="--", label="one voter")
ax.plot(0.5, 0.5, "o", color="black", markersize=4)
ax.set(
    xlabel="probability that one voter is correct",
    ylabel="probability that the majority is correct",
    aspect="equal",
)
ax.legend()
plt.show()

for share in (0.3, 0.5, 0.6, 0.7, 0.8):
    print(f"p = {share}: {majority_vote_probability(11, share):.4f}")

# %%
# Correlated voters help less
# ---------------------------
# The formula needs independence. For variables with correlation :math:`\rho` the variance of the
# average is :math:`\rho\sigma^2 + (1 - \rho)\sigma^2 / n`, and no number of voters reduces it below
# the first term. That is why a random forest makes its trees different.

count = np.arange(1, 101)
fig, ax = plt.subplots()
for correlation in (0.0, 0.1, 0.3, 0.6):
    variance = [variance_of_average(n, correlation) for n in count]
    (drawn,) = ax.plot(count, variance, label=f"correlation {correlation}")
    ax.axhline(correlation, color=drawn.get_color(), linestyle=":", linewidth=0.9)
ax.set(xlabel="variables in the average", ylabel="variance of the average", ylim=(0, 1.02))
ax.legend()
plt.show()
