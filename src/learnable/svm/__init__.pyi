from .advice import SolverAdvice as SolverAdvice
from .advice import primal_or_dual as primal_or_dual
from .nu_svc import NuSVC as NuSVC
from .nu_svr import NuSVR as NuSVR
from .one_class_svm import OneClassSVM as OneClassSVM
from .report import KktReport as KktReport
from .svc import SVC as SVC
from .svr import SVR as SVR
