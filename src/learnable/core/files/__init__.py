"""Model files: encoding, atomic writes and fingerprints of values."""
