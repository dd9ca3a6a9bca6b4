"""Settings of the whole suite."""

from hypothesis import settings

# Speed is judged in benchmarks: an example that is slow on a busy machine is no failure.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
