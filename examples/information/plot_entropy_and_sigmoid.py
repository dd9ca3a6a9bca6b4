"""
The entropy of a coin, and the sigmoid
======================================

Two curves that classifiers are made of: how uncertain a yes or no is, and how a score becomes
a probability.
"""

# %%
# How uncertain is a coin?
# ------------------------
# Entropy is mean surprise, :math:`-p \log_2 p - (1 - p) \log_2 (1 - p)`: one bit for a fair
# coin, nothing for a coin that always falls the same way. The Gini impurity, doubled, is
# close to it, which is why trees hardly care which of them they use.

import matplotlib.pyplot as plt
import numpy as np

from learnable.information import binary_entropy, cross_entropy, entropy, kl_divergence

p = np.linspace(0, 1, 401)
fig, ax = plt.subplots()
ax.plot(p, binary_entropy(p), linewidth=2, label="entropy in bits")
ax.plot(p, 4 * p * (1 - p), linestyle="--", label="Gini impurity, doubled")
ax.plot(p, 2 * np.minimum(p, 1 - p), linestyle=":", label="error of the better guess, doubled")
ax.plot(0.5, 1, "o", color="black", markersize=4)
ax.set(xlabel="probability of heads", ylabel="uncertainty", ylim=(0, 1.05))
ax.legend(loc="lower center")
plt.show()

# %%
# Believing something else
# ------------------------
# If the coin has p = 0.3 and somebody believes q, the mean surprise is the cross-entropy. It is
# smallest for the truth, where it is the entropy; what lies above is the divergence.

truth = np.array([0.3, 0.7])
belief = np.linspace(0.02, 0.98, 193)
cross = [cross_entropy(truth, [q, 1 - q]) for q in belief]
fig, ax = plt.subplots()
ax.plot(belief, cross, label="cross-entropy")
ax.axhline(entropy(truth), color="#6b7280", linestyle="--", label="entropy of the truth")
ax.fill_between(belief, entropy(truth), cross, alpha=0.15, label="divergence")
ax.axvline(0.3, color="#6b7280", linestyle=":")
ax.set(xlabel="believed probability q", ylabel="bits", ylim=(0, 3))
ax.legend()
plt.show()
print(f"divergence of a fair belief: {kl_divergence(truth, [0.5, 0.5]):.4f} bits")

# %%
# From scores to probabilities
# ----------------------------
# The sigmoid :math:`1 / (1 + e^{-z})` turns any score into a probability. Its derivative
# :math:`\sigma(1 - \sigma)` is steepest at zero, where entropy is largest.

z = np.linspace(-6, 6, 301)
sigmoid = 1 / (1 + np.exp(-z))
fig, ax = plt.subplots()
ax.plot(z, sigmoid, linewidth=2, label="sigmoid")
ax.plot(z, sigmoid * (1 - sigmoid), linestyle="--", label="its derivative")
ax.plot(z, binary_entropy(sigmoid), linestyle=":", label="entropy of the probability, bits")
ax.set(xlabel="score z", ylabel="probability", ylim=(0, 1.05))
ax.legend(loc="upper left", bbox_to_anchor=(0, 0.9))
plt.show()
