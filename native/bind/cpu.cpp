// The module `_cpu`: says which instruction-set level this processor can run. It must itself run on any processor,
// so it is built for the baseline and uses nothing but the C interface of Python.
#include <Python.h>

static PyObject* best_level(PyObject*, PyObject*) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") &&
                  __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return PyUnicode_FromString(v4 ? "v4" : v3 ? "v3" : "base");
#else
  return PyUnicode_FromString("base");
#endif
}

static PyMethodDef methods[] = {
    {"best_level", best_level, METH_NOARGS, "best_level() -> 'base', 'v3' or 'v4': what this processor can run."},
    {nullptr, nullptr, 0, nullptr}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

PyMODINIT_FUNC PyInit__cpu() { return PyModuleDef_Init(&definition); }
