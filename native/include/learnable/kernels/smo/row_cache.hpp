// Rows of a kernel matrix kept in memory: as many as are allowed, those used last.
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

// Memory in chunks of one size that come when they are needed; caches use it one after the other.
class RowMemory {
 public:
  explicit RowMemory(index_t chunk) : chunk_(chunk) {}
  index_t chunk() const { return chunk_; }  // bytes

  std::byte* at(index_t which) {
    while (index_t(chunks_.size()) <= which) chunks_.emplace_back(chunk_);
    return chunks_[which].memory;
  }

 private:
  static constexpr index_t page = 1 << 21;  // a large one: there are fewer to fetch, and to find again

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

  // Room for `bytes`, but for at least `least` rows.
  RowCache(const KernelSource& source, bool narrow, index_t bytes, index_t least, Memory memory)
      : source_(source), narrow_(narrow), stride_(KernelSource::stride(source.size()) * KernelSource::bytes(narrow)),
        room_(std::clamp<index_t>(bytes / stride_, std::min(least, source.size()), source.size())),
        slot_(source.size(), -1), memory_(std::move(memory)) {
    if (!memory_) memory_ = std::make_shared<RowMemory>(std::min(rows_of_a_chunk, room_) * stride_);
    rows_of_chunk_ = memory_->chunk() / stride_;
  }

  // rows[k] = the row which[k], for different rows that are at most as many as `room`. Missing ones are computed together.
  void get(View<const std::int32_t> which, std::vector<const void*>& rows) {
    rows.resize(which.size);
    if (which.size > 0 && source_.lying(which[0], narrow_)) {
      for (index_t k = 0; k < which.size; ++k) rows[k] = source_.lying(which[k], narrow_);
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
    for (std::size_t k = 0; k < missing.size(); ++k) out[k] = place(slot_[missing[k]]);
    try {
      for (std::size_t k = 0; k < missing.size(); k += 64) {
        const index_t count = std::min<index_t>(64, index_t(missing.size() - k));
        source_.fill({missing.data() + k, count}, narrow_, out.data() + k);
        look_up();
      }
    } catch (...) {  // what was not computed is not there
      for (const std::int32_t row : missing) owner_[slot_[row]] = -1, used_[slot_[row]] = 0, slot_[row] = -1;
      throw;
    }
    computed_ += index_t(missing.size());
    for (index_t k = 0; k < which.size; ++k) rows[k] = place(slot_[which[k]]);
  }

  // Others have used the memory.
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

  void* place(index_t slot) { return memory_->at(slot / rows_of_chunk_) + slot % rows_of_chunk_ * stride_; }

  // Gives each missing row a slot: a new one while there is room, else that of the row used longest ago.
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
  bool narrow_;
  index_t stride_, room_, rows_of_chunk_ = 0;  // the stride in bytes
  std::vector<std::int32_t> slot_, owner_;
  std::vector<std::int64_t> used_;
  Memory memory_;
  std::int64_t now_ = 0;
  index_t computed_ = 0;
};

}  // namespace learnable
