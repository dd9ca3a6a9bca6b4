"""
Backpropagation by hand
=======================

Reverse-mode differentiation on a graph that is small enough to follow with a pencil: forward the
values, backward the gradients.
"""

# %%
# Values forward, gradients backward
# ----------------------------------
# f(x, y, z) = (x + y) z. Blue numbers are the values, computed from left to right. Green ones are
# the gradients of the output, from right to left: the output has gradient 1, a sum hands its
# gradient on to both parents, and a product multiplies it by the *other* factor.

import matplotlib.pyplot as plt
import numpy as np

from learnable.plot import GraphDisplay
from learnable.tape import Graph, Tensor, check_gradient

x, y, z = Tensor(-2.0), Tensor(5.0), Tensor(-4.0)
names = {"x": x, "y": y, "z": z}
output = (x + y) * z
GraphDisplay.from_tensor(output, names)
plt.show()
print(Graph(output, names))

# %%
# A neuron
# --------
# The same for a logistic neuron with two inputs and the squared error. A weight gets a gradient in
# proportion to its input.

w, v, b = Tensor(2.0), Tensor(-3.0), Tensor(-3.0)
activation = (w * -1.0 + v * -2.0 + b).logistic()
loss = (activation - 1.0) ** 2
GraphDisplay.from_tensor(loss, {"w1": w, "w2": v, "b": b})
plt.show()

# %%
# Is the gradient right?
# ----------------------
# Finite differences check it, entry by entry: the loss a little above and a little below each
# weight. After a plain step of gradient descent, the difference of the weights divided by the
# learning rate must be the gradient as well.


rows, targets = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([0.5, -0.5])


def squared_error(weights):
    return ((np.tanh(rows @ weights) - targets) ** 2).sum()


print(check_gradient(squared_error, np.array([0.3, -0.2])))

# %%
# How large may the step of a difference be?
# ------------------------------------------
# A large step sees the curvature, a small one sees rounding. The error of central differences is
# smallest near the cube root of the machine precision.

steps = 10.0 ** np.arange(-14, 0.5, 0.25)
point = 0.7
true = 1 - np.tanh(point) ** 2
central = [(np.tanh(point + h) - np.tanh(point - h)) / (2 * h) for h in steps]
forward = [(np.tanh(point + h) - np.tanh(point)) / h for h in steps]
fig, ax = plt.subplots()
ax.loglog(steps, np.abs(np.array(forward) - true), label="one-sided difference")
ax.loglog(steps, np.abs(np.array(central) - true), label="central difference")
best = np.cbrt(np.finfo(float).eps)
ax.axvline(best, color="#6b7280", linestyle=":", label="cube root of the precision")
ax.set(xlabel="step", ylabel="error of the derivative of tanh")
ax.legend()
plt.show()
