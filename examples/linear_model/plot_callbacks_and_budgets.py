"""
Callbacks, budgets, checkpoints and certificates
================================================

Estimators here have no ``verbose`` and no ``callbacks`` parameters. Context managers take their
place; they apply to every fit inside the block and work for every estimator. Every fit has a trace
and a certificate.
"""

# %%
# The trace
# ---------
# One row per iteration, with the objective, the time, and what else the method reports; and the
# reason why the fit stopped.

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import learnable
from learnable.datasets import make_regression

X, y = make_regression(400, 30, noise=20.0, random_state=0)
X *= np.geomspace(1, 6, 30)  # columns of different scales make gradient descent slow
model = learnable.GradientDescentRegressor(max_iter=3000).fit(X, y)
print(model.trace_)
print("columns:", ", ".join(model.trace_.rows[0]))

# %%
# The certificate
# ---------------
# Stopping is not the same as convergence to the optimum. The certificate contains a quantity that
# is zero at the exact solution, its value, and an explanation.

exact = learnable.LinearRegression().fit(X, y)
for fitted in (model, exact, learnable.Ridge(alpha=10).fit(X, y)):
    print(f"{type(fitted).__name__}: {fitted.certificate_}\n")

# %%
# Callbacks
# ---------
# ``watch`` calls a function at every iteration with an event: the estimator, the iteration, the
# objective, the seconds, and the row of the trace. Here it collects the objective, and stops the
# fit after 200 epochs by returning a true value.

seen = []


def look(event):
    seen.append(event.objective)
    return event.iteration >= 200


with warnings.catch_warnings(), learnable.watch(look):
    warnings.simplefilter("ignore", learnable.ConvergenceWarning)
    short = learnable.GradientDescentRegressor(max_iter=3000).fit(X, y)
print(f"stopped: {short.trace_.stopped} after {short.n_iter_} epochs")
print(f"certificate holds: {short.certificate_.holds}")

# %%
# ``progress()`` is a callback that draws a progress bar on standard error. ``TraceDisplay`` draws a
# trace.

floor = np.mean((y - exact.predict(X)) ** 2) / 2
fig, ax = plt.subplots()
ax.plot(model.trace_["objective"] - floor, label="until convergence")
ax.plot(np.array(seen) - floor, linewidth=4, alpha=0.5, label="stopped by the callback")
ax.set(yscale="log", xlabel="epoch", ylabel="objective above its minimum")
ax.legend()
plt.show()

# %%
# Budget
# ------
# A fit that runs out of time keeps its best solution so far and says so. Budgets nest, and cover
# everything inside the block together: a search over many models, for instance.

with warnings.catch_warnings(record=True) as caught, learnable.budget(seconds=0.2):
    warnings.simplefilter("always")
    hurried = learnable.GradientDescentRegressor(max_iter=10**7, tol=None).fit(X, y)
print(f"stopped: {hurried.trace_.stopped} after {hurried.n_iter_} epochs")
print(caught[-1].message)

# %%
# Checkpoint
# ----------
# The state of a fit is stored in a file. A fit that was killed (here: stopped by a callback)
# resumes from there when it is run again, and gives the same result bit for bit as one that was
# never stopped.

folder = Path(tempfile.mkdtemp())
slow = learnable.GradientDescentRegressor(
    max_iter=500, batch_size=50, learning_rate=1e-4, tol=None, random_state=0
)


def killed(event):
    if event.iteration == 250:
        raise KeyboardInterrupt


try:
    with learnable.checkpoint(folder / "fit.state"), learnable.watch(killed):
        slow.clone().fit(X, y)
except KeyboardInterrupt:
    print("killed after 250 epochs;", (folder / "fit.state").stat().st_size, "bytes stored")

first_seen = []
with (
    learnable.checkpoint(folder / "fit.state"),
    learnable.watch(lambda event: first_seen.append(event.iteration)),
):
    resumed = slow.clone().fit(X, y)
whole = slow.clone().fit(X, y)
print(f"resumed at epoch {first_seen[0]}; identical: {np.array_equal(resumed.coef_, whole.coef_)}")

# %%
# Model files and threads
# -----------------------
# A model file holds arrays and their description, never code: loading one cannot execute anything.
# The number of threads changes the time, not one bit of the result.

learnable.save(exact, folder / "model.learn")
again = learnable.load(folder / "model.learn")
print("same predictions after loading:", np.array_equal(again.predict(X), exact.predict(X)))
coefficients = []
for count in (1, 2, 4):
    with learnable.threads(count):
        coefficients.append(learnable.Ridge(alpha=1.0).fit(X, y).coef_)
print(
    "identical on 1, 2 and 4 threads:",
    all(np.array_equal(coefficients[0], other) for other in coefficients[1:]),
)
