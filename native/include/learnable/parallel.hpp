// parallel_for: the one way kernels use threads.
//
// Bits must not depend on threads: choose blocks from the sizes of the data alone, give each block its own result,
// and combine those in block order.
#pragma once

#include <algorithm>
#include <type_traits>

#include "learnable/pool.hpp"
#include "learnable/threads.hpp"
#include "learnable/view.hpp"

namespace learnable {

// The range [0, total) cut into `count` blocks of `size` (the last may be shorter).
struct Blocks {
  index_t total, size, count;

  Blocks(index_t total, index_t size)
      : total(total), size(std::max<index_t>(size, 1)), count((total + this->size - 1) / this->size) {}
  index_t begin(index_t block) const { return block * size; }
  index_t end(index_t block) const { return std::min(total, (block + 1) * size); }
};

// Threads that parallel_for would use for this many blocks; slots are below it. Inside a block it is 1.
inline int threads_for(index_t blocks) {
  return Pool::inside_block() ? 1 : int(std::min<index_t>(allowed_threads(), std::max<index_t>(blocks, 1)));
}

// Calls f(block, slot) for every block < blocks, on up to threads_for(blocks) threads; f may throw. Between blocks the
// calling thread looks out for interrupts and the deadline: a block should take less than 20 ms.
template <class F>
void parallel_for(index_t blocks, F&& f) {
  if (blocks == 1) return void(f(index_t(0), 0));
  if (Pool::inside_block()) {
    for (index_t block = 0; block < blocks; ++block) f(block, 0);
    return;
  }
  const int threads = threads_for(blocks);
  if (threads == 1) {
    for (index_t block = 0; block < blocks; ++block, look_up()) f(block, 0);
    return;
  }
  using Body = std::remove_reference_t<F>;
  Job job{[](void* body, index_t block, int slot) { (*static_cast<Body*>(body))(block, slot); },
          const_cast<std::remove_const_t<Body>*>(&f), blocks, threads};
  Pool::instance().run(job);
}

// The same, but on the calling thread alone when the whole is too little work to wake anybody.
template <class F>
void parallel_if(bool worth_it, index_t blocks, F&& f) {
  if (worth_it) return parallel_for(blocks, f);
  for (index_t block = 0; block < blocks; ++block) f(block, 0);
}

}  // namespace learnable
