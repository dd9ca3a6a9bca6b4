from .dependence import partial_dependence as partial_dependence
from .importance_table import ImportanceTable as ImportanceTable
from .importance_table import importances as importances
from .permutation import permutation_importance as permutation_importance
from .shapley import ShapValues as ShapValues
from .shapley import shap_values as shap_values
