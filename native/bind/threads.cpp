// Threads, deadlines and interrupts.
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#include "learnable/threads/parallel.hpp"

namespace nb = nanobind;

namespace learnable::bind {

// Runs Python's signal handlers; what they raise ends the kernel.
static void check_signals() {
  nb::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

static void translate_out_of_time(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const OutOfTime& late) {
    const nb::object type = nb::module_::import_("learnable.core.errors").attr("BudgetError");
    PyErr_SetString(type.ptr(), late.what());
  }
}

static int set_threads(int threads) {
  if (threads < 0) throw nb::value_error("threads must be 0 (the default) or more");
  return std::exchange(requested_threads, std::min(threads, max_threads));
}

static double set_deadline(double seconds) { return std::exchange(deadline, seconds); }

static int rest(index_t blocks, double seconds) {
  nb::gil_scoped_release release;
  std::atomic<int> max_slots{0};
  parallel_for(blocks, [&](index_t, int slot) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    for (int seen = max_slots.load(); seen <= slot && !max_slots.compare_exchange_weak(seen, slot + 1);) {}
  });
  return max_slots.load();
}

}  // namespace learnable::bind

void bind_threads(nb::module_& m) {
  using namespace nb::literals;
  using namespace learnable;
  interrupt_hook.store(&bind::check_signals);
  nb::register_exception_translator(&bind::translate_out_of_time);
  m.def("set_threads", &bind::set_threads, "threads"_a,
        "set_threads(n) -> the previous setting. Kernels called by this thread use up to n threads; 0: the default.");
  m.def("get_threads", &allowed_threads, "get_threads() -> how many threads kernels called by this thread may use.");
  m.def("default_threads", &default_threads,
        "default_threads() -> smallest of processor affinity, control-group share and OMP_NUM_THREADS.");
  m.def("set_deadline", &bind::set_deadline, "seconds"_a,
        "set_deadline(t) -> the deadline before. Kernels called by this thread raise BudgetError once time.monotonic() "
        "is past t.");
  m.def("sleep_in_blocks", &bind::rest, "blocks"_a, "seconds"_a,
        "sleep_in_blocks(blocks, seconds) -> number of threads that took part. Sleeps in each block, for tests of interrupts.");
}
