from .kernel_ridge import KernelRidge as KernelRidge
