"""
Entropy, cross-entropy and activation functions
===============================================

How uncertain a binary outcome is, what a wrong probability costs, and how a score becomes a
probability.
"""

# %%
# Entropy of a coin
# -----------------
# Entropy is the expected information content, :math:`-p \log_2 p - (1 - p) \log_2 (1 - p)`: one bit
# for a fair coin, zero for a coin that always falls the same way. The Gini impurity, doubled, is
# close to it, which is why trees hardly depend on the choice.

import matplotlib.pyplot as plt
import numpy as np

from learnable.information import binary_entropy, cross_entropy, entropy, kl_divergence

p = np.linspace(0, 1, 401)
fig, ax = plt.subplots()
ax.plot(p, binary_entropy(p), linewidth=2, label="entropy in bits")
ax.plot(p, 4 * p * (1 - p), linestyle="--", label="Gini impurity, doubled")
ax.plot(p, 2 * np.minimum(p, 1 - p), linestyle=":", label="error of the majority class, doubled")
ax.plot(0.5, 1, "o", color="black", markersize=4)
ax.set(xlabel="probability of heads", ylabel="uncertainty", ylim=(0, 1.05))
ax.legend(loc="lower center")
plt.show()

# %%
# Cross-entropy
# -------------
# If the true probability is p = 0.3 and the model says q, the expected surprise is the
# cross-entropy. Its minimum is at the true probability, where it equals the entropy; the excess is
# the Kullback-Leibler divergence.

truth = np.array([0.3, 0.7])
belief = np.linspace(0.02, 0.98, 193)
cross = [cross_entropy(truth, [q, 1 - q]) for q in belief]
fig, ax = plt.subplots()
ax.plot(belief, cross, label="cross-entropy")
ax.axhline(
    entropy(truth), color="#6b7280", linestyle="--", label="entropy of the true distribution"
)
ax.fill_between(belief, entropy(truth), cross, alpha=0.15, label="divergence")
ax.axvline(0.3, color="#6b7280", linestyle=":")
ax.set(xlabel="model probability q", ylabel="bits", ylim=(0, 3))
ax.legend()
plt.show()
print(f"divergence from a fair coin: {kl_divergence(truth, [0.5, 0.5]):.4f} bits")

# %%
# From scores to probabilities
# ----------------------------
# The sigmoid :math:`1 / (1 + e^{-z})` turns any score into a probability. Its derivative
# :math:`\sigma(1 - \sigma)` is largest at zero, where the entropy is largest.

z = np.linspace(-6, 6, 301)
sigmoid = 1 / (1 + np.exp(-z))
fig, ax = plt.subplots()
ax.plot(z, sigmoid, linewidth=2, label="sigmoid")
ax.plot(z, sigmoid * (1 - sigmoid), linestyle="--", label="its derivative")
ax.plot(z, binary_entropy(sigmoid), linestyle=":", label="entropy of the probability, bits")
ax.set(xlabel="score z", ylabel="probability", ylim=(0, 1.05))
ax.legend(loc="upper left", bbox_to_anchor=(0, 0.9))
plt.show()

# %%
# Activation functions of neural networks
# ---------------------------------------
# Sigmoid, tanh and softsign saturate at both ends, where their derivative, and with it the gradient
# of a deep network, vanishes. The rectified linear unit has a constant derivative for all positive
# scores; leaky and exponential units have a small one for negative scores; softplus, swish and GELU
# are smooth relatives. The dashed lines are the derivatives.

from scipy.special import erf

z = np.linspace(-4, 4, 801)
sigmoid = 1 / (1 + np.exp(-z))
activations = {
    "identity": z,
    "step": (z > 0).astype(float),
    "sigmoid": sigmoid,
    "tanh": np.tanh(z),
    "softsign": z / (1 + np.abs(z)),
    "ReLU": np.maximum(z, 0),
    "leaky ReLU, 0.1": np.where(z > 0, z, 0.1 * z),
    "ELU": np.where(z > 0, z, np.expm1(np.minimum(z, 0))),
    "softplus": np.log1p(np.exp(z)),
    "swish": z * sigmoid,
    "GELU": z * (1 + erf(z / np.sqrt(2))) / 2,
    "hard sigmoid": np.clip(z / 6 + 0.5, 0, 1),
}
fig, axes = plt.subplots(3, 4, figsize=(9.2, 6.4), sharex=True)
for ax, (name, values) in zip(axes.flat, activations.items(), strict=True):
    derivative = np.gradient(values, z)
    if name == "step":
        derivative[np.abs(z) < 0.02] = np.nan
    ax.axhline(0, color="#6b7280", linewidth=0.6)
    ax.plot(z, values, linewidth=2)
    ax.plot(z, derivative, color="C1", linewidth=1.1, linestyle="--")
    bounded = np.abs(values).max() <= 1
    ax.set(title=name, xlim=(-4, 4), ylim=(-1.3, 1.3) if bounded else (-1.3, 3.2))
for ax in axes[-1]:
    ax.set_xlabel("score z")
plt.show()

# %%
# Several classes at once
# -----------------------
# The softmax distributes probability over the classes: exp(z_k) divided by the sum over all
# classes. With two classes it is the sigmoid of the difference of their scores.

scores = np.array([np.linspace(-4, 4, 201), np.zeros(201), np.full(201, 1.0)])
shares = np.exp(scores) / np.exp(scores).sum(axis=0)
fig, ax = plt.subplots()
names = ("first class: score z", "second class: score 0", "third class: score 1")
ax.stackplot(scores[0], shares, labels=names, colors=("C0", "C1", "C2"), alpha=0.75)
ax.set(xlabel="score z of the first class", ylabel="probability", xlim=(-4, 4), ylim=(0, 1))
ax.legend(loc="lower left", frameon=True)
plt.show()
