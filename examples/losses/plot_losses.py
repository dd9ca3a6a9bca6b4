"""
Loss functions
==============

A loss measures how wrong one prediction is. These are the usual losses for regression and
classification; they differ in how they treat large errors and correct predictions.
"""

# %%
# Regression losses
# -----------------
# The squared error grows quadratically with the residual, so a single outlier can outweigh many
# other rows. The absolute error grows linearly. Huber's loss is quadratic up to δ and linear
# beyond; log-cosh is a smooth version of it, close to r² / 2 for small residuals and to \|r\| - log
# 2 for large ones.

import matplotlib.pyplot as plt
import numpy as np

from learnable.parts.losses import (
    Absolute,
    BinomialDeviance,
    Exponential,
    Hinge,
    Huber,
    LogCosh,
    ModifiedHuber,
    PerceptronLoss,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from learnable.plot import LossDisplay

losses = [Squared(), Absolute(), Huber(0.1), Huber(1.0), Huber(3.0), LogCosh()]
fig, ax = plt.subplots(figsize=(7.4, 4.6))
LossDisplay.from_losses(losses, reach=5.0, ax=ax)
ax.set(ylim=(0, 6), title="regression losses")
ax.lines[0].set(linewidth=4, alpha=0.5)
ax.legend(ax.lines, ["squared, r²/2", "absolute, |r|", "Huber, δ = 0.1", "Huber, δ = 1",
                     "Huber, δ = 3", "log-cosh"], loc="upper center")  # fmt: skip
plt.show()
for loss in losses[2:5]:
    print(loss, "of a residual of 2:", loss.value(np.array([2.0]), np.zeros(1)).round(3)[0])

# %%
# Classification losses
# ---------------------
# With classes -1 and 1 and a score f, the product m = y f is the margin: positive if the sign is
# correct. The error rate corresponds to the zero-one loss, a step function whose gradient is zero
# almost everywhere. All other losses are surrogates: they are upper bounds of it (where they are
# scaled to pass through 1 at m = 0), decrease with the margin, and differ in their tails.

margin = np.linspace(-3, 3, 601)
ones = np.ones_like(margin)


def logistic(m):
    """log(1 + exp(-m)), which is the binomial deviance of half the margin."""
    return BinomialDeviance().value(np.ones_like(m), m / 2)


of_margin = {
    "zero-one": ZeroOne().value(ones, margin),
    "hinge, max(0, 1 - m)": Hinge().value(ones, margin),
    "squared hinge, max(0, 1 - m)²": SquaredHinge().value(ones, margin),
    "modified Huber": ModifiedHuber().value(ones, margin),
    "perceptron, max(0, -m)": PerceptronLoss().value(ones, margin),
    "logistic, log₂(1 + exp(-m))": logistic(margin) / np.log(2),
    "exponential, exp(-m)": Exponential().value(ones, margin),
    "binomial deviance, log(1 + exp(-2m))": BinomialDeviance().value(ones, margin),
}
fig, ax = plt.subplots(figsize=(7.4, 4.8))
styles = ("-", "-", "--", "-.", "-", "-", "--", ":")
colours = ("black", "C0", "C5", "C6", "C2", "C1", "C3", "C4")
for (name, values), style, colour in zip(of_margin.items(), styles, colours, strict=True):
    ax.plot(margin, values, style, color=colour, label=name, linewidth=1.8)
ax.axvspan(-3, 0, color="#b3261e", alpha=0.05, linewidth=0)
ax.text(-2.9, 0.3, "misclassified", fontsize=9, color="#b3261e")
ax.text(2.9, 0.3, "correct", fontsize=9, color="#6b7280", ha="right")
ax.set(xlabel="margin m = y f", ylabel="loss", ylim=(0, 6), xlim=(-3, 3))
ax.set_title("classification losses")
ax.legend(loc="upper right", bbox_to_anchor=(1.0, 0.93))
plt.show()

# %%
# For a misclassified row with a large negative margin the exponential loss grows exponentially, the
# squared hinge quadratically, hinge, logistic, deviance and perceptron linearly: the first two are
# sensitive to outliers. For correct rows hinge and squared hinge are zero from m = 1 on, which is
# why only support vectors matter; the logistic loss never becomes zero, but decays.
#
# Logistic regression, perceptron, support vector machine
# -------------------------------------------------------
# The three minimise the same kind of sum with similar losses. The perceptron's loss is zero for any
# correct prediction. The hinge demands a margin of one. The logistic loss always rewards a larger
# margin, less and less.

fig, ax = plt.subplots(figsize=(6.6, 4.2))
ax.plot(margin, logistic(margin), label="logistic, log(1 + exp(-m))")
ax.plot(margin, of_margin["perceptron, max(0, -m)"], label="perceptron, max(0, -m)", color="C2")
ax.plot(margin, of_margin["hinge, max(0, 1 - m)"], label="hinge, max(0, 1 - m)", color="C3")
ax.axvline(0, color="#6b7280", linewidth=0.8, linestyle=":")
ax.axvline(1, color="#6b7280", linewidth=0.8, linestyle=":")
ax.annotate("margin 1:\nthe hinge is zero", (1, 0.02), (1.4, 1.3), fontsize=8,
            arrowprops={"arrowstyle": "->"})  # fmt: skip
ax.set(xlabel="margin m = y f", ylabel="loss", xlim=(-3, 3), ylim=(-0.05, 4))
ax.legend()
plt.show()

# %%
# Why not the squared error of probabilities?
# -------------------------------------------
# A sigmoid makes a probability p of the score w x. Its squared error (p - y)² is not convex in w:
# for confidently wrong predictions it is flat, so gradient descent hardly moves. The cross-entropy
# of the same probability is convex, and has a large gradient there.

w = np.linspace(-6, 6, 400)
x, y = np.array([1.0, 2.0, -1.5]), np.array([1.0, 1.0, 0.0])
p = 1 / (1 + np.exp(-np.outer(w, x)))
squared = ((p - y) ** 2).mean(axis=1)
entropy = -(y * np.log(p) + (1 - y) * np.log1p(-p)).mean(axis=1)
fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.8))
axes[0].plot(w, squared, label="squared error of the probability")
axes[0].plot(w, entropy / entropy.max(), color="C1", label="cross-entropy, scaled")
axes[0].set(title="the objective", xlabel="weight w", ylabel="mean loss")
curvature = np.gradient(np.gradient(squared, w), w)[2:-2]
axes[1].plot(w[2:-2], curvature, label="squared error of the probability")
axes[1].plot(w[2:-2], np.gradient(np.gradient(entropy, w), w)[2:-2], label="cross-entropy")
axes[1].fill_between(w[2:-2], curvature, 0, where=curvature < 0, color="C3", alpha=0.3,
                     label="negative: not convex")  # fmt: skip
axes[1].axhline(0, color="black", linewidth=0.8)
axes[1].set(title="its second derivative", xlabel="weight w")
axes[0].set_ylim(top=1.3)
axes[0].legend(loc="upper right")
axes[1].set_ylim(top=1.0)
axes[1].legend(loc="upper right")
plt.show()
# sphinx_gallery_thumbnail_number = 2
