"""Where scans read from: one module for each kind of source."""
