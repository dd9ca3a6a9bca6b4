"""
Recurrent networks: series and texts
====================================

A recurrent network reads a sequence step by step. Here one forecasts a series from windows of it,
and another writes words, character by character.
"""

# %%
# Forecasting
# -----------
# Rows are windows of 24 steps, targets the value that follows. Forecasts of many steps ahead feed
# each prediction back in. The first 400 steps train.

import matplotlib.pyplot as plt
import numpy as np

from learnable.neural_network import GRU, LSTM, SequenceGenerator, SequenceRegressor

draws = np.random.default_rng(0)
steps = np.arange(520)
series = np.sin(steps / 5) + 0.5 * np.sin(steps / 2.1) + 0.05 * draws.standard_normal(520)
windows = np.lib.stride_tricks.sliding_window_view(series[:400], 25)
model = SequenceRegressor(
    [GRU(32)], learning_rate_init=0.01, batch_size=16, max_iter=60, tol=0, random_state=0
)
model.fit(windows[:, :-1], windows[:, -1])

window = list(series[376:400])
for _ in range(120):
    window.append(model.predict([window[-24:]])[0])
fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.plot(steps[340:], series[340:], color="#6b7280", label="series")
ax.plot(steps[400:], window[24:], color="#e66101", label="forecast, fed back")
ax.axvline(400, color="black", linestyle=":", linewidth=1)
ax.set(xlabel="step", ylabel="value")
ax.legend(loc="upper left", ncols=2)
plt.show()

# %%
# Writing
# -------
# A language model gives a probability to each next character. The temperature says how boldly it
# is drawn from: near zero always the most probable one, above one also unlikely ones.

stems = ("an", "han", "susan", "arian", "jul", "amel", "cel", "corn", "del", "lyd", "syl", "mar")
names = [f"{stem}{end}" for stem in stems for end in ("a", "ia", "na", "ela")]
writer = SequenceGenerator(
    [LSTM(48)], embedding=16, context=16, max_iter=150, batch_size=16, random_state=0
)
writer.fit(names)
for temperature in (0.3, 0.8, 1.5):
    written = [writer.generate(12, temperature=temperature, random_state=seed) for seed in range(6)]
    print(f"temperature {temperature}: {', '.join(written)}")

# %%
# After each of these texts the next characters have these probabilities; an empty one is the end.

starts = ["", "a", "an", "ann", "anna"]
letters = ["", *writer.symbols_]
table = np.array([[writer.predict_proba(start)[one] for one in letters] for start in starts])
fig, ax = plt.subplots(figsize=(8, 2.6), layout="constrained")
image = ax.imshow(table, cmap="Purples", vmin=0, vmax=1, aspect="auto")
ax.set_xticks(range(len(letters)), ["end", *letters[1:]])
ax.set_yticks(range(len(starts)), [f'"{start}"' for start in starts])
ax.set(xlabel="next character", ylabel="text so far")
fig.colorbar(image, label="probability")
plt.show()
