// A set of byte strings with numbers 0, 1, ... in order of arrival: open addressing, one cache line per look-up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

constexpr index_t term_padding = 16;  // readable bytes behind a term, of any content

// The key of a term: the first 8 bytes, the next 8 (or a hash of the rest), the length.
struct TermKey {
  std::uint64_t head, tail;
  std::uint32_t length;

  explicit TermKey(std::string_view term) : length(std::uint32_t(term.size())) {
    head = word(term.data(), length);
    tail = length <= 8 ? 0 : length <= 16 ? word(term.data() + 8, length - 8) : rest(term.substr(8));
  }
  TermKey(std::uint64_t head, std::uint64_t tail, std::uint32_t length) : head(head), tail(tail), length(length) {}
  bool is_whole() const { return length <= 16; }
  std::uint64_t hash() const { return mixed(head ^ 0xa0761d6478bd642full, tail ^ length ^ 0xe7037ed1a0b428dbull); }

 private:
  static std::uint64_t word(const char* at, std::uint32_t length) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, 8);
    return length >= 8 ? bytes : bytes & ((std::uint64_t(1) << (8 * length)) - 1);
  }
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
  }
  static std::uint64_t rest(std::string_view text) {
    std::uint64_t sum = text.size();
    for (std::size_t at = 0; at < text.size(); at += 8)
      sum = mixed(sum ^ 0x8ebc6af09c88c6e3ull,
                  word(text.data() + at, std::uint32_t(text.size() - at)) ^ 0x589965cc75374cc3ull);
    return sum;
  }
};

class TermTable {
 public:
  // An entry; `mark` and `where` are for the caller, to store its last use of the term.
  struct Entry {
    std::uint64_t head = 0, tail = 0;
    std::uint32_t length = 0, id = 0, mark = 0, where = 0;
  };

  TermTable() : entries_(1024), shift_(54) {}

  index_t size() const { return index_t(begins_.size()) - 1; }
  // With padding behind it; valid until the next term is added.
  std::string_view term(index_t id) const {
    return {bytes_.data() + begins_[id], std::size_t(begins_[id + 1] - begins_[id])};
  }
  // The entry of a term, added if it is new. The term is not empty and has `term_padding` readable bytes behind it.
  Entry& at(std::string_view term) {
    const TermKey key(term);
    Entry& entry = entries_[slot(key, term)];
    return entry.length ? entry : added(key, term);
  }
  bool holds(std::string_view term) const {
    return size() > 0 && entries_[slot(TermKey(term), term)].length != 0;
  }

 private:
  std::size_t slot(const TermKey& key, std::string_view term) const {
    std::size_t at = key.hash() >> shift_;
    for (;; at = (at + 1) & (entries_.size() - 1)) {
      const Entry& entry = entries_[at];
      if (entry.length == 0) return at;
      if (entry.head == key.head && entry.tail == key.tail && entry.length == key.length &&
          (key.is_whole() || this->term(entry.id) == term))
        return at;
    }
  }

  Entry& added(const TermKey& key, std::string_view term) {
    if (2 * std::size_t(size() + 1) > entries_.size()) grow();
    const std::uint32_t id = std::uint32_t(size());
    const index_t begin = begins_.back(), end = begin + index_t(term.size());
    bytes_.resize(std::size_t(end + term_padding));
    std::copy(term.begin(), term.end(), bytes_.begin() + begin);
    begins_.push_back(end);
    Entry& entry = entries_[slot(key, term)];
    entry = {key.head, key.tail, key.length, id, 0, 0};
    return entry;
  }

  void grow() {
    std::vector<Entry> before(2 * entries_.size());
    before.swap(entries_);
    --shift_;
    for (const Entry& entry : before) {
      if (entry.length == 0) continue;
      std::size_t at = TermKey(entry.head, entry.tail, entry.length).hash() >> shift_;
      while (entries_[at].length) at = (at + 1) & (entries_.size() - 1);
      entries_[at] = entry;
    }
  }

  std::vector<Entry> entries_;
  int shift_;
  std::vector<char> bytes_;
  std::vector<index_t> begins_{0};
};

}  // namespace learnable
