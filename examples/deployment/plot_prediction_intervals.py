"""
Prediction intervals of a deployed model
========================================

A saved model contains the residuals of rows that it had not seen. They give conformal prediction
intervals: their coverage holds without an assumption about the noise, if new rows come from the
same distribution.
"""

# %%
# Intervals for new patients
# --------------------------
# A quick study of 300 diabetes patients, and the 90 % intervals for 142 others. About nine of ten
# true values lie inside.

import matplotlib.pyplot as plt
import numpy as np

from learnable.app.study import study
from learnable.datasets import load_diabetes

patients = load_diabetes(as_frame=True, scaled=False).frame
patients = patients.sample(frac=1, random_state=0, ignore_index=True)
found = study(patients[:300], "target", effort="quick", models=["ridge regression"])
model, new = found.deployed, patients[300:].drop(columns="target")

truth = patients["target"][300:].to_numpy()
prediction, (low, high) = model.predict(new), model.interval(new, 0.9).T
covered = (low <= truth) & (truth <= high)
print(f"coverage of the 90 % intervals: {covered.mean():.0%}")

order = np.argsort(prediction)
fig, ax = plt.subplots(figsize=(7.4, 3.8))
rank = np.arange(len(new))
ax.fill_between(rank, low[order], high[order], alpha=0.2, label="90 % prediction interval")
ax.plot(rank, prediction[order], linewidth=1.2, label="prediction")
inside = covered[order]
ax.plot(rank[inside], truth[order][inside], ".", color="0.4", markersize=4, label="true value")
ax.plot(rank[~inside], truth[order][~inside], "x", color="C3", markersize=5, label="not covered")
ax.set(xlabel="new patients, ordered by prediction", ylabel="disease progression")
ax.legend(ncols=2)
plt.show()

# %%
# Values outside the training range
# ---------------------------------
# The model also knows the range of every feature. A new row with values beyond it is flagged.

unusual = new.iloc[:3].copy()
unusual.loc[unusual.index[1], "bmi"] = 90.0
print(model.strange(unusual))
