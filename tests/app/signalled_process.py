"""The command line as a program of its own that gets a signal at a certain moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ENDED = """
import os, signal, sys
import learnable.app.{module} as module
from learnable.__main__ import main
def ended(*inputs, **named):
    os.kill(os.getpid(), signal.{signal})
    while True: pass
module.{name} = ended
sys.argv[1:] = {arguments}
main()
"""


def ended(folder: Path, signal: str, place: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; the signal comes when the function `place`, such as "cli.app", is called."""
    module, _, name = place.rpartition(".")
    program = ENDED.format(module=module, signal=signal, name=name, arguments=arguments)
    return subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
