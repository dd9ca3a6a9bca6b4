// The module `_cpu`: the instruction-set level of this processor. It is built for the baseline with the C interface of
// Python alone.
#include <Python.h>

#include "learnable/cpu_level.hpp"

static PyObject* best_level(PyObject*, PyObject*) { return PyUnicode_FromString(learnable::best_level()); }

static PyMethodDef methods[] = {
    {"best_level", best_level, METH_NOARGS, "best_level() -> 'base', 'v3' or 'v4': what this processor can run."},
    {nullptr, nullptr, 0, nullptr}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

PyMODINIT_FUNC PyInit__cpu() { return PyModuleDef_Init(&definition); }
