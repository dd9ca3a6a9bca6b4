from .running import on as on
from .scans import Scan as Scan
from .scans import scan as scan
