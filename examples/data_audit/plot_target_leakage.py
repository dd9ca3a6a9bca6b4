"""
Target leakage
==============

A feature that is recorded after the target, or computed from it, makes every model look excellent
and be useless. Cross-validation cannot detect it, because the feature is present in the test folds
too; an audit of the table can.
"""

# %%
# A score that is too good
# ------------------------
# Credit risk depends on income and debt. The column ``reminders`` counts letters that were sent
# after a customer stopped paying: it is known in the historical table, and zero for every new
# customer. The dotted line is random guessing.

import matplotlib.pyplot as plt
import numpy as np

from learnable import Dataset, LogisticRegression, StandardScaler, cross_val_score, make_pipeline
from learnable.app.audit import audit
from learnable.app.task import ask
from learnable.metrics import balanced_accuracy_score

rng = np.random.default_rng(0)


def customers(n):
    """Features that are known in advance, and the target."""
    known = rng.normal(size=(n, 2))
    risk = known[:, 1] - known[:, 0] + rng.logistic(size=n)
    return known, (risk > 1.5).astype(int)


known, default = customers(1000)
reminders = default * rng.integers(1, 4, size=1000)
with_leak = np.column_stack([known, reminders])

model = make_pipeline(StandardScaler(), LogisticRegression())
new, truth = customers(1000)
scores = {}
for name, table, rows in (
    ("with the leaking feature", with_leak, np.column_stack([new, np.zeros(1000)])),
    ("without it", known, new),
):
    folds = cross_val_score(model, table, default, scoring="balanced_accuracy", cv=5).mean()
    deployed = balanced_accuracy_score(truth, model.fit(table, default).predict(rows))
    scores[name] = (folds, deployed)

fig, ax = plt.subplots(figsize=(6.4, 3.4))
for index, (label, offset) in enumerate((("cross-validation", -0.2), ("new customers", 0.2))):
    ax.bar(np.arange(2) + offset, [pair[index] for pair in scores.values()], 0.38, label=label)
ax.axhline(0.5, color="0.4", linestyle=":", linewidth=1)
ax.set(xticks=[0, 1], xticklabels=list(scores), ylabel="balanced accuracy", ylim=(0.4, 1.12))
ax.legend(ncols=2, loc="upper center")
plt.show()

# %%
# What the audit says
# -------------------
# The alarm names the column and the evidence. Whether it is leakage, a person has to decide.

names = ("income", "debt", "reminders", "default")
history = Dataset.of(dict(zip(names, np.column_stack([with_leak, default]).T, strict=True)))
for alarm in audit(ask(history, "default")):
    print(alarm.level, alarm)
