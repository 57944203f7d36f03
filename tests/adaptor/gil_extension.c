/* A C extension of Python with a loop that calls a Python function on all threads: the example of docs/c.md. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <blitz/c.h>

/* On any thread: holds the GIL during the call. */
static int call_python(void* function, size_t first, size_t last) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* result = PyObject_CallFunction(function, "nn", (Py_ssize_t)first, (Py_ssize_t)last);
  if (result == NULL) PyErr_WriteUnraisable(function);
  int end = result == NULL; /* ends the loop */
  Py_XDECREF(result);
  PyGILState_Release(state);
  return end;
}

/* for_blocks(count, grain, function) */
static PyObject* for_blocks(PyObject* module, PyObject* arguments) {
  Py_ssize_t count, grain;
  PyObject* function;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "nnO", &count, &grain, &function)) return NULL;
  blitz_status status;
  /* Releases the GIL until the call has returned. */
  Py_BEGIN_ALLOW_THREADS
  status = blitz_parallel_for(NULL, (size_t)count, (size_t)grain, call_python, function);
  Py_END_ALLOW_THREADS
  if (status != BLITZ_OK) {
    PyErr_SetString(status == BLITZ_NO_MEMORY ? PyExc_MemoryError : PyExc_RuntimeError, blitz_last_error());
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"for_blocks", for_blocks, METH_VARARGS, "Calls function(first, last) for blocks."},
                                  {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "gil_extension", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_gil_extension(void) { return PyModule_Create(&module); }
