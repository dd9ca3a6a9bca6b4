"""
Inside a neural network
=======================

The units of a network and their weights, its activation functions, the filters of a convolution and
what they find in an image, the pixels that a prediction depends on.
"""

# %%
# Units and weights
# -----------------
# A network with one hidden layer for the exclusive or. Blue weights are positive, orange ones
# negative, and wide lines large: each hidden unit draws a line, and the output combines them.

import matplotlib.pyplot as plt
import numpy as np

from learnable import load_digits, plot
from learnable.neural_network import Conv, Dense, Flatten, MaxPool, MLPClassifier, NetworkClassifier

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
model = MLPClassifier((3,), activation="tanh", solver="lbfgs", random_state=1).fit(X, [0, 1, 1, 0])
plot.NetworkDisplay.from_estimator(model)
plt.show()

# %%
# Activation functions
# --------------------
# Each function with its derivative. Where the derivative is zero, nothing is learned: logistic and
# tanh units saturate at both ends, ReLU units on the left.

plot.ActivationDisplay.from_names()
plt.show()

# %%
# Training, and when to stop
# --------------------------
# A convolutional network for digits. Its weights are those of the epoch with the best score on the
# validation set.

images, digits = load_digits(return_X_y=True)
images = images / 16
layers = [
    Conv(8, 3, "relu", padding="same"),
    MaxPool(2),
    Conv(16, 3, "relu", padding="same"),
    Flatten(),
]
network = NetworkClassifier(
    [*layers, Dense(32, "relu")], (8, 8, 1), learning_rate_init=0.005, max_iter=15,
    schedule="cosine", early_stopping=True, random_state=0,
).fit(images[:1400], digits[:1400])  # fmt: skip
plot.TrainingDisplay.from_estimator(network)
plt.show()

# %%
# From edges to parts
# -------------------
# The windows of the first layer respond to strokes and edges; the maps after the second convolution
# respond to parts of digits, which is what the dense layers need.

plot.FilterDisplay.from_estimator(network, 0)
plot.FeatureMapDisplay.from_estimator(network, images[0], 0)
plot.FeatureMapDisplay.from_estimator(network, images[0], 2)
plt.show()

# %%
# What a prediction depends on
# ----------------------------
# The gradient of the score of the predicted class by each pixel.

plot.SaliencyDisplay.from_estimator(network, images[0])
plt.show()

# %%
# How gradients flow
# ------------------
# Ten logistic layers: the gradient of the first is a tiny fraction of that of the last, so that it
# hardly learns. With ReLU the gradients are of one size.

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, activation in zip(axes, ("logistic", "relu"), strict=True):
    deep = NetworkClassifier(
        [Dense(20, activation)] * 10, initialiser="he_uniform", max_iter=2, schedule="cosine",
        random_state=0,
    ).fit(images, digits)  # fmt: skip
    plot.GradientFlowDisplay.from_estimator(deep, images, digits, ax=ax)
    ax.set_title(activation)
plt.show()
