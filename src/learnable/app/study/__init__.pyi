from .api import study as study
