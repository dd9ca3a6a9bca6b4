// Interruption of long kernels: the calling thread polls for interrupts every 50 ms, helper threads check whether the
// job was aborted.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>

namespace learnable_threads {

// Thrown when the deadline of the calling thread has passed.
struct OutOfTime : std::runtime_error {
  OutOfTime() : std::runtime_error("the time budget is used up") {}
};

// Thrown in a helper thread of an aborted job; the pool catches it.
struct JobAborted {};

// In a helper thread: whether its job was aborted. Null in all other threads.
inline thread_local const std::atomic<bool>* job_aborted = nullptr;

// Called by the calling thread at every poll; throws to stop the kernel. The binding layer installs one that runs
// Python's signal handlers, so that Ctrl-C becomes the exception of the handler.
using InterruptHook = void (*)();
inline std::atomic<InterruptHook> interrupt_hook{nullptr};

// Seconds of the monotonic clock (Python's time.monotonic) at which kernels called by this thread stop.
inline thread_local double deadline = std::numeric_limits<double>::infinity();

inline double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Polls for interrupts and the deadline if 50 ms have passed; costs one reading of the clock. Throws to end the kernel.
inline void poll_interrupt() {
  if (job_aborted) {
    if (job_aborted->load(std::memory_order_relaxed)) throw JobAborted();
    return;
  }
  static thread_local double next = 0;
  const double now = monotonic_seconds();
  if (now < next) return;
  next = now + 0.05;
  if (const auto hook = interrupt_hook.load(std::memory_order_relaxed)) hook();
  if (now > deadline) throw OutOfTime();
}

}  // namespace learnable_threads

namespace learnable {
using namespace learnable_threads;
}
