"""
Significance by trying often enough
===================================

A test at the level of 5 % is wrong once in twenty times where nothing is to be found. A study that
tries many columns, subgroups or models and reports the best p value finds something in any noise.
"""

# %%
# Twenty columns of noise
# -----------------------
# The target is noise too. In most tables at least one of twenty columns has p < 0.05, and the more
# columns are tried the smaller is the smallest p value.

import matplotlib.pyplot as plt
import numpy as np

from learnable.inference import benjamini_hochberg, bonferroni, holm, two_sample_t_test

rng = np.random.default_rng(0)


def p_values(columns, rows=60):
    group = np.arange(rows) % 2 == 0
    table = rng.normal(size=(rows, columns))
    return np.array([two_sample_t_test(x[group], x[~group]).p_value for x in table.T])


tried = [1, 2, 5, 10, 20, 50]
found = {"smallest p value": [], "Holm": [], "Benjamini-Hochberg": []}
for columns in tried:
    draws = [p_values(columns) for _ in range(100)]
    found["smallest p value"].append(np.mean([p.min() < 0.05 for p in draws]))
    found["Holm"].append(np.mean([holm(p, 0.05).rejected.any() for p in draws]))
    found["Benjamini-Hochberg"].append(
        np.mean([benjamini_hochberg(p, 0.05).rejected.any() for p in draws])
    )
fig, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for name, share in found.items():
    ax.plot(tried, share, "o-", label=name)
ax.plot(tried, 1 - 0.95 ** np.array(tried), ":", color="black", label="1 - 0.95$^k$")
ax.axhline(0.05, color="#6b7280", linewidth=0.8)
ax.set(xlabel="columns tried", ylabel="tables of noise with a finding", xscale="log", ylim=(0, 1))
ax.set_xticks(tried, tried)
ax.legend(frameon=False)
plt.show()

# %%
# Collecting rows until it is significant
# ---------------------------------------
# Computing the p value after every ten rows and stopping at the first one below 0.05 does the same
# within a single comparison.

sizes = np.arange(20, 410, 10)
stopped = np.zeros(len(sizes))
for _ in range(150):
    a, b = rng.normal(size=(2, 400))
    p = np.array([two_sample_t_test(a[:n], b[:n]).p_value for n in sizes])
    stopped += np.cumsum(p < 0.05) > 0
fig, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
ax.plot(sizes, stopped / 150, color="#d9730d")
ax.axhline(0.05, color="#6b7280", linewidth=0.8)
ax.set(xlabel="rows per group when stopped at the latest", ylabel="wrong findings", ylim=(0, 0.5))
plt.show()

# %%
# What helps: to name the hypothesis, the number of rows and the test before the data are seen, to
# correct for all comparisons that were made, and to confirm a finding on rows of its own.

noise = p_values(20)
print("smallest of twenty p values:", noise.min().round(4))
print("rejected without correction:", int((noise < 0.05).sum()))
print("rejected by Bonferroni:", int(bonferroni(noise, 0.05).rejected.sum()))
# sphinx_gallery_thumbnail_number = 1
