"""
Federated learning and unlearning
=================================

Ten parties learn one model and keep their rows. Models of sums over rows need a single exchange of
summaries and lose nothing; models that learn by steps average their parameters over many rounds.
"""

# %%
# Sums over rows: no difference to all rows in one place
# ------------------------------------------------------
# Each party summarises its rows exactly; the summaries add. The model has the bits of the one that
# is fitted to all rows, whatever the parties hold, and one party can be removed again.

import matplotlib.pyplot as plt
import numpy as np

from learnable import LogisticRegression, Ridge, SGDClassifier, scale

rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 5))
score = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.3
amount = score + rng.normal(size=4000)
parties = np.array_split(np.argsort(amount), 10)  # parties that differ as much as they can
summaries = [scale.summary(Ridge(), X[rows], amount[rows]) for rows in parties]
together = summaries[0]
for summary in summaries[1:]:
    together = together + summary
pooled = scale.summary(Ridge(), X, amount)
print("fingerprint of the sum   ", together.fingerprint[:16])
print("fingerprint of all rows  ", pooled.fingerprint[:16])
without = Ridge.from_summary(together - summaries[3])
print("coefficients without party 3:", without.coef_.round(3))

# %%
# Federated averaging: as good as the parties are alike
# -----------------------------------------------------
# The log loss above that of the model of all rows, by rounds. Half of the
# parties take part in each. With random samples it nearly vanishes; where every party holds a
# single class, it does not.

alpha, y = 1e-3, (rng.random(4000) < 1 / (1 + np.exp(-score))).astype(int)


def objective(model):
    """The penalised log loss on the rows of all parties."""
    margin = np.where(y == 1, 1, -1) * (X @ model.coef_.ravel() + model.intercept_[0])
    return np.logaddexp(0, -margin).mean() + alpha / 2 * np.sum(model.coef_**2)


best = objective(LogisticRegression(C=1 / (alpha * len(y))).fit(X, y))
orders = {"random samples": rng.permutation(4000), "one class each": np.argsort(y, kind="stable")}
rounds = [1, 2, 4, 8, 16, 32, 64]
fig, ax = plt.subplots()
for name, order in orders.items():
    clients = [scale.LocalClient(X[rows], y[rows]) for rows in np.array_split(order, 10)]
    for epochs, style in ((1, "-"), (5, "--")):
        excess = []
        for n_rounds in rounds:
            averaging = scale.FederatedAveraging(
                SGDClassifier(loss="log_loss", alpha=alpha),
                n_rounds=n_rounds,
                client_fraction=0.5,
                local_epochs=epochs,
            )
            excess.append(objective(averaging.fit(clients, classes=[0, 1]).model_) - best)
        colour = "C0" if name == "random samples" else "C1"
        ax.plot(
            rounds,
            excess,
            style,
            color=colour,
            marker="o",
            label=f"{name}, {epochs} local epoch(s)",
        )
ax.set(xlabel="rounds", ylabel="log loss above the pooled optimum", xscale="log", yscale="log")
ax.set_xticks(rounds, rounds)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()

# %%
# Unlearning with a certificate
# -----------------------------
# A model with exact sums forgets rows without the others. An auditor who has the remaining rows
# fits them and compares the bits.

with scale.on(exact=True):
    model, audit = Ridge().fit(X, amount), Ridge().fit(X[100:], amount[100:])
rest, certificate = scale.unlearn(model, X[:100], amount[:100])
print(certificate)
print("the audit agrees bit for bit:", certificate.holds_for(audit))
