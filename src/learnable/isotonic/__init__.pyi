from .curve import IsotonicRegression as IsotonicRegression
from .increasing import check_increasing as check_increasing
from .sequence import isotonic_regression as isotonic_regression
