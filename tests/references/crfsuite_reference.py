"""Reference values of CRFsuite (python-crfsuite 0.9.12, sklearn-crfsuite 0.5.0) for tests/sequence/test_crf.py.

Run with both installed: python tests/references/crfsuite_reference.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.sequence.tagging_data import random_sentences

CASES = {"l2": {"c1": 0.0, "c2": 0.5}, "l1": {"c1": 0.7, "c2": 0.0}, "elastic": {"c1": 0.3, "c2": 0.1}}


def main() -> None:
    """Write the loss and the weights of each case beside this file."""
    import sklearn_crfsuite

    X, y = random_sentences()
    found = {}
    for name, penalties in CASES.items():
        tight = {"epsilon": 1e-9, "delta": 1e-14, "max_iterations": 3000, "period": 10}
        model = sklearn_crfsuite.CRF(algorithm="lbfgs", all_possible_transitions=True, **penalties, **tight)
        model.fit(X, y)
        last = model.training_log_.last_iteration
        found[name] = {
            "loss": last["loss"],
            "transitions": {"".join(pair): weight for pair, weight in sorted(model.transition_features_.items())},
            "states": {
                f"{attribute}|{label}": weight for (attribute, label), weight in sorted(model.state_features_.items())
            },
        }
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
