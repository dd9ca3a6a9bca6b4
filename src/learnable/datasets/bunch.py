"""What a data set loader returns."""

from ..core.bunch import Bunch as Bunch
