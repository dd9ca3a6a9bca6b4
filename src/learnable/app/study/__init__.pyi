from .door import study as study
