from .deployed_model import DeployedModel as DeployedModel
from .expected_column import ExpectedColumn as ExpectedColumn
