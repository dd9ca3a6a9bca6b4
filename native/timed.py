"""Run a compiler and note the processor seconds that it took: `make build-times` puts this before every compilation."""

import resource
import subprocess
import sys
from pathlib import Path

status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
made = Path(sys.argv[sys.argv.index("-o") + 1]) if "-o" in sys.argv else Path("nothing")
with Path("seconds.txt").open("a") as log:
    log.write(f"{used.ru_utime + used.ru_stime:6.1f}  {made}\n")
sys.exit(status)
