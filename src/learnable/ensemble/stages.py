"""What a fit in stages can prove of itself."""

from __future__ import annotations

from ..core import Trace
from ..engines.iterate import State


def certify_stages(trace: Trace, state: State, left: int) -> None:
    """State that no stage has raised the mean training loss, or, where one did, that all stages were done."""
    slack = 1e-9 * max(abs(state["first"]), abs(state["loss"]))
    now = f"the mean training loss went from {state['first']:.4g} to {state['loss']:.4g}"
    if state["rise"] <= slack and left == 0:
        sentence = f"no stage has raised the mean training loss by more than this; {now}"
        trace.certify("rise of the loss", max(state["rise"], 0.0), slack, sentence)
        return
    rise = f", and rose by up to {state['rise']:.3g} in a stage" if state["rise"] > slack else ""
    trace.certify("stages left", float(left), 0.0, f"so many stages are missing; {now}{rise}")
