// How many threads a kernel may use: what the calling thread asked for, or what this process may have of the machine.
#pragma once

namespace learnable_threads {

constexpr int most_threads = 256;

// Smallest of: processors this process may run on, its control group's share, OMP_NUM_THREADS.
int default_threads();

// What the calling thread asked for; 0 means the default.
inline thread_local int asked_threads = 0;

inline int allowed_threads() { return asked_threads > 0 ? asked_threads : default_threads(); }

}  // namespace learnable_threads

namespace learnable {
using namespace learnable_threads;
}
