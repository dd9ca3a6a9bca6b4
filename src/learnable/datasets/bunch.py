"""What a data set loader returns."""

from ..core.sklearn_api.bunch import Bunch as Bunch
