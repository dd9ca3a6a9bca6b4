// Rows of a kernel matrix kept in memory: as many as are allowed, those used last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/kernel_sources.hpp"

namespace learnable {

template <class T>
class RowCache {
 public:
  // Room for `bytes`, but for at least `least` rows.
  RowCache(const KernelSource& source, index_t bytes, index_t least)
      : source_(source), stride_(KernelSource::stride(source.size())),
        room_(std::clamp<index_t>(bytes / (stride_ * index_t(sizeof(T))), std::min(least, source.size()), source.size())),
        slot_(source.size(), -1) {}

  // rows[k] = the row which[k], for different rows that are at most as many as `least`. Missing ones are computed together.
  void get(View<const std::int32_t> which, std::vector<const T*>& rows) {
    rows.resize(which.size);
    if (which.size > 0 && source_.lying(which[0], T())) {
      for (index_t k = 0; k < which.size; ++k) rows[k] = source_.lying(which[k], T());
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
    std::vector<T*> out(missing.size());
    for (std::size_t k = 0; k < missing.size(); ++k) out[k] = place(slot_[missing[k]]);
    try {
      for (std::size_t k = 0; k < missing.size(); k += 64) {
        const index_t count = std::min<index_t>(64, index_t(missing.size() - k));
        source_.fill({missing.data() + k, count}, out.data() + k);
        look_up();
      }
    } catch (...) {  // what was not computed is not there
      for (const std::int32_t row : missing) owner_[slot_[row]] = -1, used_[slot_[row]] = 0, slot_[row] = -1;
      throw;
    }
    computed_ += index_t(missing.size());
    for (index_t k = 0; k < which.size; ++k) rows[k] = place(slot_[which[k]]);
  }

  index_t room() const { return room_; }
  index_t computed() const { return computed_; }

 private:
  static constexpr index_t rows_of_a_chunk = 64;  // memory comes in pieces, as it is needed

  T* place(index_t slot) { return chunks_[slot / rows_of_a_chunk].data() + slot % rows_of_a_chunk * stride_; }

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
        if (slot % rows_of_a_chunk == 0)
          chunks_.emplace_back(std::size_t(std::min(rows_of_a_chunk, room_ - slot) * stride_));
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

  // Memory that is not written before it is needed.
  struct Chunk {
    explicit Chunk(std::size_t size) : memory(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t(64)))) {}
    Chunk(Chunk&& other) noexcept : memory(other.memory) { other.memory = nullptr; }
    ~Chunk() { ::operator delete(memory, std::align_val_t(64)); }
    T* data() const { return memory; }
    T* memory;
  };

  const KernelSource& source_;
  index_t stride_, room_;
  std::vector<std::int32_t> slot_, owner_;
  std::vector<std::int64_t> used_;
  std::vector<Chunk> chunks_;
  std::int64_t now_ = 0;
  index_t computed_ = 0;
};

}  // namespace learnable
