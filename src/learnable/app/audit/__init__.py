"""The audit of a table: alarms with stable codes, evidence and a remedy."""

from .alarm import Alarm
from .catalogue import CATALOGUE
from .run_audit import audit, interrupted_audit

__all__ = ["CATALOGUE", "Alarm", "audit", "interrupted_audit"]
