// How often each term occurs in each of many texts.
//
// Every thread counts into a table of its own, texts in any order; terms are numbered at the end by their order as
// byte strings, which is that of their characters, so nothing depends on threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "learnable/text/analyzer.hpp"
#include "learnable/text/murmur_hash.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The counts of one thread: a table of terms, and (term, count) pairs, text by text.
struct TermCounter {
  TermTable table;
  std::vector<std::uint32_t> ids, counts;

  void count(Tokenizer& tokenizer, std::string_view text, std::uint32_t mark) {
    const std::size_t begin = ids.size();
    tokenizer.tokenize(text, [&](std::string_view term) {
      TermTable::Entry& entry = table.at(term);
      if (entry.mark == mark) {
        ++counts[begin + entry.where];
      } else {
        entry.mark = mark;
        entry.where = std::uint32_t(ids.size() - begin);
        ids.push_back(entry.id);
        counts.push_back(1);
      }
    });
  }
};

// Texts gathered into blocks of about the same number of bytes.
inline std::vector<index_t> text_blocks(const std::vector<std::string_view>& texts, index_t bytes) {
  std::vector<index_t> ends{0};
  index_t gathered = 0;
  for (index_t i = 0; i < index_t(texts.size()); ++i) {
    gathered += index_t(texts[i].size()) + 64;
    if (gathered >= bytes || i + 1 == index_t(texts.size())) ends.push_back(i + 1), gathered = 0;
  }
  return ends;
}

class TermCounts {
 public:
  TermCounts(const std::vector<std::string_view>& texts, const Analysis& how) : rows_(texts.size()) {
    if (texts.size() >= std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("too many texts");
    const std::vector<index_t> ends = text_blocks(texts, 1 << 17);
    const index_t blocks = index_t(ends.size()) - 1;
    counters_.resize(std::size_t(threads_for(blocks)));
    std::vector<Tokenizer> cutters(counters_.size(), Tokenizer(how));
    parallel_for(blocks, [&](index_t block, int slot) {
      TermCounter& counter = counters_[slot];
      for (index_t i = ends[block]; i < ends[block + 1]; ++i) {
        const index_t begin = index_t(counter.ids.size());
        counter.count(cutters[slot], texts[i], std::uint32_t(i + 1));
        rows_[i] = {slot, begin, index_t(counter.ids.size()) - begin};
      }
    });
    join();
  }

  index_t texts() const { return index_t(rows_.size()); }
  index_t terms() const { return index_t(order_.size()); }
  std::string_view term(index_t rank) const { return counters_[0].table.term(order_[rank]); }

  // Where the entries of each text begin when none is left out, and the end of all.
  std::vector<index_t> begins() const {
    std::vector<index_t> begins(rows_.size() + 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) begins[i + 1] = begins[i] + rows_[i].length;
    return begins;
  }

  // Writes the entries of each text from its position in `begins` on, by column: columns[rank] is the column of a term
  // (-1: none) and signs[rank] its factor. Entries of the same column are added. length[i] is the number of remaining
  // entries.
  template <class T>
  void write(const std::vector<index_t>& begins, View<const std::int32_t> columns, View<const std::int8_t> signs,
             View<std::int32_t> index, View<T> value, View<index_t> length) const {
    const Blocks blocks(texts(), 256);
    parallel_for(blocks.count, [&](index_t block, int) {
      std::vector<std::uint64_t> packed;
      for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        pack(rows_[i], columns, signs, packed);
        length[i] = unpack(packed, index.data + begins[i], value.data + begins[i]);
      }
    });
  }

 private:
  struct Row {
    int slot;
    index_t begin, length;
  };

  // One table for all, and the rank of each term in the order of their bytes.
  void join() {
    TermTable& all = counters_[0].table;
    numbers_.resize(counters_.size());
    for (std::size_t k = 0; k < counters_.size(); ++k) {
      const TermTable& own = counters_[k].table;
      numbers_[k].resize(std::size_t(own.size()));
      for (index_t id = 0; id < own.size(); ++id)
        numbers_[k][id] = k == 0 ? std::uint32_t(id) : all.at(own.term(id)).id;
    }
    if (all.size() > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("too many terms");
    sort(all);
    std::vector<std::uint32_t> rank(order_.size());
    for (std::size_t position = 0; position < order_.size(); ++position) rank[order_[position]] = std::uint32_t(position);
    for (auto& numbers : numbers_)
      for (std::uint32_t& number : numbers) number = rank[number];
  }

  void sort(const TermTable& all) {
    struct Start {
      std::uint64_t bytes;  // the first eight, so that their order as a number is that of the term
      std::uint32_t id;
    };
    std::vector<Start> starts(std::size_t(all.size()));
    for (index_t id = 0; id < all.size(); ++id) {
      std::uint64_t bytes = 0;
      const std::string_view term = all.term(id);
      for (std::size_t i = 0; i < 8; ++i)
        bytes = bytes << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : 0u);
      starts[id] = {bytes, std::uint32_t(id)};
    }
    std::sort(starts.begin(), starts.end(), [&](const Start& a, const Start& b) {
      return a.bytes != b.bytes ? a.bytes < b.bytes : all.term(a.id) < all.term(b.id);
    });
    order_.resize(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) order_[i] = starts[i].id;
  }

  // The entries of a text as numbers whose order is that of their columns: column, then a signed count.
  void pack(const Row& row, View<const std::int32_t> columns, View<const std::int8_t> signs,
            std::vector<std::uint64_t>& packed) const {
    const TermCounter& counter = counters_[row.slot];
    packed.clear();
    for (index_t j = row.begin; j < row.begin + row.length; ++j) {
      const std::uint32_t rank = numbers_[row.slot][counter.ids[j]];
      const std::int64_t column = columns ? columns[rank] : std::int64_t(rank);
      if (column < 0) continue;
      const std::int32_t count = std::int32_t(counter.counts[j]) * (signs ? signs[rank] : 1);
      packed.push_back(std::uint64_t(column) << 32 | std::uint32_t(count));
    }
    std::sort(packed.begin(), packed.end());
  }

  template <class T>
  static index_t unpack(const std::vector<std::uint64_t>& packed, std::int32_t* index, T* value) {
    index_t kept = 0;
    for (const std::uint64_t entry : packed) {
      const std::int32_t column = std::int32_t(entry >> 32);
      const T count = T(std::int32_t(std::uint32_t(entry)));
      if (kept && index[kept - 1] == column) {
        value[kept - 1] += count;
      } else {
        index[kept] = column;
        value[kept++] = count;
      }
    }
    return kept;
  }

  std::vector<TermCounter> counters_;                // one per thread
  std::vector<Row> rows_;                            // where the counts of each text are
  std::vector<std::vector<std::uint32_t>> numbers_;  // per thread: its number of a term -> rank
  std::vector<std::uint32_t> order_;                 // rank -> number of the term in the joined table
};

// Compacts a matrix after entries of its rows were left out; returns the number of entries.
template <class T>
index_t compact_rows(const std::vector<index_t>& begins, View<const index_t> length, View<std::int32_t> index,
                   View<T> value, View<std::int64_t> start) {
  index_t end = 0;
  for (index_t i = 0; i < length.size; ++i) {
    if (end != begins[i]) {
      std::copy_n(index.data + begins[i], length[i], index.data + end);
      std::copy_n(value.data + begins[i], length[i], value.data + end);
    }
    start[i] = end;
    end += length[i];
  }
  start[length.size] = end;
  return end;
}

}  // namespace learnable
