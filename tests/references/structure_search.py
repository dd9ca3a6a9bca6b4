"""BIC of the structures that pyAgrum 3.3.1 finds on rows drawn from the alarm network: run by hand, with pyagrum."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas

from learnable.graphical import BayesianNetwork, read_network

DATA = Path(__file__).parents[1] / "graphical" / "data"


def main() -> None:
    import pyagrum

    alarm = read_network(DATA / "alarm.bif")
    X = pandas.DataFrame(alarm.sample(2000, random_state=1), columns=alarm.nodes_)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "alarm.csv")
        X.to_csv(path, index=False)
        for search, options in (("useGreedyHillClimbing", ()), ("useLocalSearchWithTabuList", (50, 2))):
            learner: Any = pyagrum.BNLearner(path, ["?"])
            learner.useScoreBIC()
            learner.useNoPrior()
            getattr(learner, search)(*options)
            arcs = [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()]
            print(search, repr(BayesianNetwork(arcs).fit(X).bic(X)))


if __name__ == "__main__":
    main()
