// parallel_for: the one way kernels use threads.
//
// Bits must not depend on threads: choose blocks from the sizes of the data alone, give each block its own result,
// and combine those in block order.
//
// Kernels of several levels may share a module. They live in a namespace for each level; the pool, the deadline and the
// interrupt are the same for all of them and live in learnable_threads.
#pragma once

#include <algorithm>
#include <type_traits>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"
#include "learnable/threads/thread_count.hpp"

namespace learnable_threads {

using learnable::index_t;

// The range [0, total) cut into `count` blocks of `size` (the last may be shorter).
struct Blocks {
  index_t total, size, count;

  Blocks(index_t total, index_t size)
      : total(total), size(std::max<index_t>(size, 1)), count((total + this->size - 1) / this->size) {}
  index_t begin(index_t block) const { return block * size; }
  index_t end(index_t block) const { return std::min(total, (block + 1) * size); }
};

// A loop over blocks with a type-erased body: a kernel is compiled once, not once for every way to run it.
struct Loop {
  index_t blocks;
  void (*call)(void* body, index_t block, int slot);
  void* body;

  template <class F>
  Loop(index_t blocks, F& f)
      : blocks(blocks), call([](void* body, index_t block, int slot) { (*static_cast<F*>(body))(block, slot); }),
        body(const_cast<std::remove_const_t<F>*>(&f)) {}
  void operator()(index_t block, int slot) const { call(body, block, slot); }
};

// Threads that parallel_for would use for this many blocks; slots are below it. Inside a block it is 1.
int threads_for(index_t blocks);
void run(const Loop& loop);
void run_alone(const Loop& loop);

// Calls f(block, slot) for every block < blocks, on up to threads_for(blocks) threads; f may throw. Between blocks the
// calling thread polls for interrupts and the deadline: a block should take less than 20 ms.
template <class F>
void parallel_for(index_t blocks, F&& f) {
  run(Loop(blocks, f));
}

// The same, on the calling thread alone if the work is too little for several.
template <class F>
void parallel_if(bool several_threads, index_t blocks, F&& f) {
  several_threads ? run(Loop(blocks, f)) : run_alone(Loop(blocks, f));
}

}  // namespace learnable_threads
