// Software prefetch: the next rows of a design are fetched while the present ones are multiplied.
#pragma once

#include <algorithm>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// Walks over `segments` pieces of memory, `bytes` long and `stride` bytes apart, fetching some cache lines per call; or
// over the pieces `order` strides from `data`.
class ReadAhead {
 public:
  ReadAhead() = default;
  ReadAhead(const void* data, index_t bytes, index_t stride, index_t segments, index_t calls)
      : segment_(static_cast<const char*>(data)), bytes_(bytes), stride_(stride), left_(segments),
        lines_((bytes / line + 1) * segments / std::max<index_t>(calls, 1) + 1) {}
  ReadAhead(const void* data, index_t bytes, index_t stride, View<const index_t> order, index_t calls)
      : ReadAhead(data, bytes, stride, order.size, calls) {
    first_ = segment_;
    order_ = order.data;
    if (left_ > 0) segment_ = first_ + *order_ * stride_;
  }

  void operator()() {
    for (index_t fetched = 0; fetched < lines_ && left_ > 0; ++fetched) {
      __builtin_prefetch(segment_ + offset_, 0, 2);
      offset_ += line;
      if (offset_ < bytes_) continue;
      offset_ = 0;
      --left_;
      segment_ = !order_ ? segment_ + stride_ : left_ > 0 ? first_ + *++order_ * stride_ : nullptr;
    }
  }

 private:
  static constexpr index_t line = 64;
  const char *segment_ = nullptr, *first_ = nullptr;
  const index_t* order_ = nullptr;
  index_t bytes_ = 0, stride_ = 0, left_ = 0, offset_ = 0, lines_ = 0;
};

// Rows [begin, begin + count) of X, spread over about `calls` calls.

template <class T>
ReadAhead read_ahead(const RowMajor<T>& X, index_t begin, index_t count, index_t calls) {
  constexpr index_t size = sizeof(T);
  return {X.data + begin * X.stride, X.columns * size, X.stride * size, count, calls};
}

template <class T>
ReadAhead read_ahead(const ColumnMajor<T>& X, index_t begin, index_t count, index_t calls) {
  constexpr index_t size = sizeof(T);
  return {X.data + begin, count * size, X.stride * size, count > 0 ? X.columns : 0, calls};
}

template <class T>
ReadAhead read_ahead(const SparseRows<T>&, index_t, index_t, index_t) {
  return {};
}

}  // namespace learnable
