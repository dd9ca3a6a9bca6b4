"""Computes `arviz_reference.json`: diagnostics of fixed chains by ArviZ 0.23 (`pip install arviz==0.23.4`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

PLACE = Path(__file__).with_suffix(".json")
Chains = dict[str, np.ndarray]


def reference_chains() -> Chains:
    """Chains of several kinds: independent, autocorrelated, alternating, heavy-tailed, discrete, apart, only two."""
    random = np.random.Generator(np.random.PCG64(20))
    noise = random.standard_normal((4, 301))
    slow, alternating = noise.copy(), noise.copy()
    for t in range(1, noise.shape[1]):
        slow[:, t] += 0.9 * slow[:, t - 1]
        alternating[:, t] -= 0.7 * alternating[:, t - 1]
    return {
        "independent": noise, "slow": slow, "alternating": alternating, "cauchy": random.standard_cauchy((3, 250)),
        "discrete": np.round(random.standard_normal((2, 200))), "apart": noise + np.arange(4)[:, None],
        "walk": np.cumsum(noise[:, :120], axis=1), "pair": slow[:2], "spreads": noise * np.array([[1, 1, 1, 4]]).T,
    }  # fmt: skip


def main() -> None:
    import arviz

    found = {
        name: {
            "r_hat": float(arviz.rhat(chains)), "bulk": float(arviz.ess(chains)),
            "tail": float(arviz.ess(chains, method="tail")), "mean": float(arviz.ess(chains, method="mean")),
            "mcse_mean": float(arviz.mcse(chains)), "mcse_sd": float(arviz.mcse(chains, method="sd")),
        }
        for name, chains in reference_chains().items()
    }  # fmt: skip
    PLACE.write_text(json.dumps({"arviz": arviz.__version__, "chains": found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
