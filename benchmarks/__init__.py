"""Ours beside the peers: same data, same stopping quality, same threads, one run. See __main__.py."""
