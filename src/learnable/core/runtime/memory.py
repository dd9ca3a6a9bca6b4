"""Memory of the machine and of this process."""

from __future__ import annotations

import os
from pathlib import Path


def memory_of_machine() -> int:
    """Bytes of memory that the machine has; as many as can be addressed where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 47


def memory_to_be_had() -> int:
    """Bytes that this process may still take: what the machine has, or what a limit (`ulimit -v`) leaves."""
    left = memory_of_machine() - resident_bytes()
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return left
    return left if limit == resource.RLIM_INFINITY else min(left, limit - taken)


def resident_bytes() -> int:
    """Memory of this process that is in use now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")
