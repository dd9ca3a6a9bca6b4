// The number of threads of a kernel: as requested by the calling thread, or the processors available to the process.
#pragma once

namespace learnable_threads {

constexpr int max_threads = 256;

// Smallest of: processors this process may run on, the quota of its control group, OMP_NUM_THREADS.
int default_threads();

// Requested by the calling thread; 0 means the default.
inline thread_local int requested_threads = 0;

inline int allowed_threads() { return requested_threads > 0 ? requested_threads : default_threads(); }

}  // namespace learnable_threads

namespace learnable {
using namespace learnable_threads;
}
