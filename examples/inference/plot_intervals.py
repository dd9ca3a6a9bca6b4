"""
Confidence intervals for an error rate
======================================

A classifier misclassifies 11 of 50 test rows. Its test error is 22 %, but how far may the true
error rate be from that?
"""

# %%
# The Wald interval
# -----------------
# The textbook's interval, :math:`e \pm 1.96 \sqrt{e(1 - e)/n}`, clipped to [0, 1]:

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom

from learnable.inference import error_interval

low, high = error_interval(0.22, 50)
print(f"22 % of 50 rows: {low:.4f} to {high:.4f}")

# %%
# The width decreases with the square root of the number of rows: four times the rows halve it.

sizes = np.unique(np.geomspace(30, 10_000, 60).astype(int))
fig, ax = plt.subplots()
for error in (0.05, 0.22, 0.5):
    ends = np.array([error_interval(error, int(n), method="wilson") for n in sizes])
    ax.fill_between(sizes, *ends.T, alpha=0.25, label=f"error {error:.0%}")
    ax.axhline(error, linewidth=0.8, color="#6b7280")
ax.set(xscale="log", xlabel="test rows", ylabel="95 % confidence interval", ylim=(0, 0.75))
ax.legend()
plt.show()

# %%
# Coverage
# --------
# A 95 % interval should contain the true error rate in 95 of 100 samples. With 50 rows the Wald
# interval does not if errors are rare: it has width zero if no error was observed. Wilson's
# interval does. The coverage is jagged because the number of errors is an integer.


def coverage(method, n, error):
    """The exact chance that the interval holds the true error: a sum over all outcomes."""
    wrong = np.arange(n + 1)
    ends = np.array([limits(k / n, n, method) for k in wrong])
    inside = (ends[:, 0] <= error) & (error <= ends[:, 1])
    return binom.pmf(wrong, n, error)[inside].sum()


def limits(share, n, method):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the textbook's interval warns where it is poor
        return error_interval(share, n, method=method)


errors = np.linspace(0.01, 0.5, 120)
fig, ax = plt.subplots()
for method, style in {"wald": "--", "wilson": "-"}.items():
    covered = [coverage(method, 50, error) for error in errors]
    ax.plot(errors, covered, style, label=method)
ax.axhline(0.95, color="#6b7280", linestyle=":")
ax.set(xlabel="true error", ylabel="coverage", ylim=(0.35, 1.01))
ax.legend(loc="lower right")
plt.show()
# sphinx_gallery_thumbnail_number = 2
