from .dependence import partial_dependence as partial_dependence
from .permutation import permutation_importance as permutation_importance
from .shapley import ShapValues as ShapValues
from .shapley import shap_values as shap_values
