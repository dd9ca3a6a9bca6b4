from .bayesian_network import BayesianNetwork as BayesianNetwork
from .factor import Factor as Factor
from .linear_gaussian_cpd import LinearGaussianCPD as LinearGaussianCPD
from .network_files import read_network as read_network
from .network_files import write_network as write_network
from .tabular_cpd import TabularCPD as TabularCPD
