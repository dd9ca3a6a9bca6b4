from .nu_svc import NuSVC as NuSVC
from .nu_svr import NuSVR as NuSVR
from .one_class_svm import OneClassSVM as OneClassSVM
from .svc import SVC as SVC
from .svr import SVR as SVR
