// Least-recently-used cache of rows of a kernel matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "learnable/kernels/kernel_row_sources.hpp"

namespace learnable {

// Memory in chunks of one size, allocated on demand; caches use it one after the other.
class RowMemory {
 public:
  explicit RowMemory(index_t chunk) : chunk_(chunk) {}
  index_t chunk() const { return chunk_; }  // bytes

  std::byte* at(index_t which) {
    while (index_t(chunks_.size()) <= which) chunks_.emplace_back(chunk_);
    return chunks_[which].memory;
  }

 private:
  static constexpr index_t page = 1 << 21;  // a huge page: fewer page faults and TLB misses

  struct Chunk {
    explicit Chunk(index_t bytes) : line(std::align_val_t(bytes >= page ? page : 64)) {
      memory = static_cast<std::byte*>(::operator new(std::size_t(bytes), line));
#if defined(MADV_HUGEPAGE)
      if (line == std::align_val_t(page)) madvise(memory, std::size_t(bytes), MADV_HUGEPAGE);
#endif
    }
    Chunk(Chunk&& other) noexcept : line(other.line), memory(other.memory) { other.memory = nullptr; }
    ~Chunk() { ::operator delete(memory, line); }
    std::align_val_t line;
    std::byte* memory;
  };

  index_t chunk_;
  std::vector<Chunk> chunks_;
};

class RowCache {
 public:
  using Memory = std::shared_ptr<RowMemory>;

  // Room for `bytes`, but for at least `min_rows` rows.
  RowCache(const KernelSource& source, bool f32, index_t bytes, index_t min_rows, Memory memory)
      : source_(source), f32_(f32), stride_(KernelSource::stride(source.size()) * KernelSource::bytes(f32)),
        room_(std::clamp<index_t>(bytes / stride_, std::min(min_rows, source.size()), source.size())),
        slot_(source.size(), -1), memory_(std::move(memory)) {
    if (!memory_) memory_ = std::make_shared<RowMemory>(std::min(rows_of_a_chunk, room_) * stride_);
    rows_of_chunk_ = memory_->chunk() / stride_;
  }

  // rows[k] = row which[k], for at most `room` distinct rows. Missing ones are computed together.
  void get(View<const std::int32_t> which, std::vector<const void*>& rows) {
    rows.resize(which.size);
    if (which.size > 0 && source_.stored(which[0], f32_)) {
      for (index_t k = 0; k < which.size; ++k) rows[k] = source_.stored(which[k], f32_);
      return;
    }
    ++now_;
    std::vector<std::int32_t> missing;
    for (const std::int32_t row : which) {
      if (slot_[row] >= 0)
        used_[slot_[row]] = now_;
      else
        missing.push_back(row);
    }
    make_room(missing);
    std::vector<void*> out(missing.size());
    for (std::size_t k = 0; k < missing.size(); ++k) out[k] = memory_of(slot_[missing[k]]);
    try {
      for (std::size_t k = 0; k < missing.size(); k += 64) {
        const index_t count = std::min<index_t>(64, index_t(missing.size() - k));
        source_.fill({missing.data() + k, count}, f32_, out.data() + k);
        poll_interrupt();
      }
    } catch (...) {  // rows that were not computed are not in the cache
      for (const std::int32_t row : missing) owner_[slot_[row]] = -1, used_[slot_[row]] = 0, slot_[row] = -1;
      throw;
    }
    computed_ += index_t(missing.size());
    for (index_t k = 0; k < which.size; ++k) rows[k] = memory_of(slot_[which[k]]);
  }

  // Invalidates all rows: other caches have used the memory.
  void forget() {
    std::fill(slot_.begin(), slot_.end(), -1);
    owner_.clear();
    used_.clear();
  }

  const Memory& memory() const { return memory_; }
  index_t room() const { return room_; }
  index_t computed() const { return computed_; }

 private:
  static constexpr index_t rows_of_a_chunk = 64;

  void* memory_of(index_t slot) { return memory_->at(slot / rows_of_chunk_) + slot % rows_of_chunk_ * stride_; }

  // Assigns a slot to each missing row: a new one while there is room, else that of the least recently used row.
  void make_room(const std::vector<std::int32_t>& missing) {
    std::vector<std::int32_t> old;
    const index_t fresh = std::min<index_t>(room_ - index_t(owner_.size()), index_t(missing.size()));
    const index_t evicted = index_t(missing.size()) - fresh;
    if (evicted > 0) {
      for (index_t slot = 0; slot < index_t(owner_.size()); ++slot)
        if (used_[slot] < now_) old.push_back(std::int32_t(slot));
      std::nth_element(old.begin(), old.begin() + evicted - 1, old.end(), [&](std::int32_t a, std::int32_t b) {
        return used_[a] != used_[b] ? used_[a] < used_[b] : a < b;
      });
    }
    for (index_t k = 0; k < index_t(missing.size()); ++k) {
      index_t slot;
      if (k < fresh) {
        slot = index_t(owner_.size());
        owner_.push_back(-1);
        used_.push_back(0);
      } else {
        slot = old[k - fresh];
        if (owner_[slot] >= 0) slot_[owner_[slot]] = -1;
      }
      owner_[slot] = missing[k];
      used_[slot] = now_;
      slot_[missing[k]] = std::int32_t(slot);
    }
  }

  const KernelSource& source_;
  bool f32_;
  index_t stride_, room_, rows_of_chunk_ = 0;  // the stride in bytes
  std::vector<std::int32_t> slot_, owner_;
  std::vector<std::int64_t> used_;
  Memory memory_;
  std::int64_t now_ = 0;
  index_t computed_ = 0;
};

}  // namespace learnable
