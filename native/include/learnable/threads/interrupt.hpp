// How a long kernel is stopped: the thread that called it looks up from its work every 50 ms, those that help it see
// whether it was given up.
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

// Thrown in a thread that helps with a job which has been given up; the pool catches it.
struct GivenUp {};

// In a thread that helps with another's job: whether that job was given up. In all others there is none.
inline thread_local const std::atomic<bool>* given_up = nullptr;

// Called by the calling thread at every look; throws to stop the kernel. The binding layer installs one that runs
// Python's signal handlers, so Ctrl-C arrives as the exception the handler raises.
using InterruptHook = void (*)();
inline std::atomic<InterruptHook> interrupt_hook{nullptr};

// Seconds of the monotonic clock (Python's time.monotonic) at which kernels called by this thread give up.
inline thread_local double deadline = std::numeric_limits<double>::infinity();

inline double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Looks up if this thread has not done so for 50 ms; costs one reading of the clock. Throws what ends the kernel.
inline void look_up() {
  if (given_up) {
    if (given_up->load(std::memory_order_relaxed)) throw GivenUp();
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
