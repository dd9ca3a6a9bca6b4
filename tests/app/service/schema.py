"""`python -m tests.app.service.schema`: schemathesis sends a service requests that its schema allows or forbids.

Any reply that the schema does not describe, and any 500, ends with exit code 1. A schema cannot describe which text/csv
bodies are valid, so that bodies it allows may be refused. What the schema forbids must be refused; too many rows are
refused with 413, which schemathesis must be configured to expect.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.app.saved_models import classifier, regressor, saved
from tests.app.service.service_process import service

SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 413, 415, 421, 422]
"""


def main(examples: str = "200") -> int:
    """Probe a service of classes and one of numbers; the worse of both exit codes."""
    codes = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "schemathesis.toml"
        settings.write_text(SETTINGS, encoding="utf-8")
        for name, model in (("buys", classifier()), ("spends", regressor())):
            with service(saved(model, Path(folder) / name)) as running:
                address = f"http://127.0.0.1:{running.port}/openapi.json"
                command = ["--config-file", str(settings), "run", address, "--max-examples", examples]
                command += ["--phases", "examples,coverage,fuzzing", "--exclude-checks", "positive_data_acceptance"]
                program = "from schemathesis.cli import schemathesis; schemathesis()"
                codes.append(subprocess.run([sys.executable, "-c", program, *command], check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
