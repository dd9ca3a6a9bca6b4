// Binned columns for histograms.
//
// Bins are stored twice: by rows, in panels of a few columns, for histograms; and by columns, for partitioning rows by
// one column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "learnable/matrix/radix_sort.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/column_ranks.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

// A column of the data: its bins are those of a stored column from `first` on. A column that is bundled with others has
// a `fallback`, the bin of rows that are stored as one of the others, which is omitted there.
struct BinnedFeature {
  index_t column = 0, first = 0, values = 0;  // bins of values are 0 .. values - 1, that of missing values is `values`
  index_t fallback = -1;
  bool categorical = false, has_missing = false;

  index_t bins() const { return values + 1; }
  index_t stored(index_t bin) const { return fallback < 0 ? bin : first + bin - (bin > fallback); }
};

namespace detail {

// Uninitialised memory.
template <class T>
struct Plain {
  std::unique_ptr<T[]> data;
  explicit Plain(index_t size = 0) : data(new T[std::size_t(std::max<index_t>(size, 1))]) {}
};

// The largest T that is not above an edge: values of type T compare the same with both.
template <class T>
T rounded_down(double edge) {
  const T near = T(edge);
  return double(near) > edge ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

// Branchless binary search: the number of sorted edges below each of eight values, all at once; branches would be
// unpredictable.
template <class T>
void edges_below_eight(const T* edges, std::int32_t count, const T* values, std::int32_t* counts) {
  std::int32_t below[8] = {};
  for (std::int32_t length = count; length > 0;) {
    const std::int32_t half = (length + 1) / 2;
#pragma GCC unroll 8
    for (int lane = 0; lane < 8; ++lane)
      below[lane] += half & -std::int32_t(edges[below[lane] + half - 1] < values[lane]);
    length -= half;
  }
  for (int lane = 0; lane < 8; ++lane) counts[lane] = below[lane];
}

}  // namespace detail

// The sorted distinct values of a column with their weights; those of weight zero are omitted.
struct Tally {
  std::vector<double> value, weight;
};

// Edges of at most `max_bins` bins: midpoints between neighbours if there are that few values, else quantiles of the
// weight; the midpoint with the next value if a quantile is exact.
inline std::vector<double> bin_edges(const Tally& tally, index_t max_bins) {
  const index_t count = index_t(tally.value.size());
  std::vector<double> edges;
  if (count <= max_bins) {
    for (index_t k = 0; k + 1 < count; ++k) edges.push_back(between(tally.value[k], tally.value[k + 1]));
    return edges;
  }
  double total = 0;
  for (const double weight : tally.weight) total += weight;
  double reached = 0;
  index_t k = 0;
  for (index_t bin = 1; bin < max_bins; ++bin) {
    const double target = total * (double(bin) / double(max_bins)), slack = 1e-12 * total;
    while (k + 1 < count && reached + tally.weight[k] < target - slack) reached += tally.weight[k++];
    const bool ends = std::abs(reached + tally.weight[k] - target) <= slack && k + 1 < count;
    const double edge = ends ? between(tally.value[k], tally.value[k + 1]) : tally.value[k];
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  if (!edges.empty() && edges.back() >= tally.value[count - 1]) edges.pop_back();
  return edges;
}

// Items sorted by their keys, those of equal keys merged with the sum of their weights.
template <class Item, class Key, class Weight>
Tally tally_items(std::vector<Item>& items, Key key, Weight weight) {
  {
    std::vector<Item> spare(items.size());
    radix_sort(items.data(), spare.data(), index_t(items.size()), key);
  }
  std::size_t different = 0;
  for (std::size_t k = 0; k < items.size(); ++k) different += k == 0 || key(items[k]) != key(items[k - 1]);
  Tally tally;
  tally.value.reserve(different);
  tally.weight.reserve(different);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (k > 0 && key(items[k]) == key(items[k - 1])) {
      tally.weight.back() += weight(items[k]);
    } else {
      tally.value.push_back(detail::number_of(key(items[k])));
      tally.weight.push_back(weight(items[k]));
    }
  }
  return tally;
}

// A matrix with readable columns, of any storage.
struct ReadableColumns {
  index_t rows, columns;

  ReadableColumns(index_t rows, index_t columns) : rows(rows), columns(columns) {}
  // The values of some rows of a column.
  virtual void pick(index_t column, View<const std::uint32_t> rows, double* out) const = 0;

 protected:
  ~ReadableColumns() = default;
};

// The same for values of type T.
template <class T>
struct ReadableColumnsOf : ReadableColumns {
  using ReadableColumns::ReadableColumns;
  // Those of the rows begin .. end.
  virtual void read(index_t column, index_t begin, index_t end, T* out) const = 0;

 protected:
  ~ReadableColumnsOf() = default;
};

inline Tally tally_column(const ReadableColumns& X, index_t column, View<const std::uint32_t> rows,
                          View<const double> weight) {
  std::vector<double> numbers(rows.size);
  X.pick(column, rows, numbers.data());
  std::vector<std::uint64_t> keys;
  std::vector<detail::KeyedRow> placed;
  weight ? placed.reserve(rows.size) : keys.reserve(rows.size);
  for (index_t k = 0; k < rows.size; ++k) {
    const std::uint32_t row = rows[k];
    if (std::isnan(numbers[k]) || (weight && !(weight[row] > 0))) continue;
    const std::uint64_t key = detail::ordered_key(numbers[k]);
    weight ? placed.push_back({key, row}) : keys.push_back(key);
  }
  if (!weight) return tally_items(keys, [](std::uint64_t key) { return key; }, [](std::uint64_t) { return 1.0; });
  return tally_items(placed, [](const detail::KeyedRow& one) { return one.key; },
                     [&](const detail::KeyedRow& one) { return weight[one.row]; });
}

// The edges of every column, by the values in some of the rows.
inline std::vector<std::vector<double>> find_edges(const ReadableColumns& X, View<const std::uint32_t> rows,
                                                   View<const double> weight, index_t max_bins) {
  std::vector<std::vector<double>> edges(X.columns);
  parallel_if(rows.size * X.columns > 20'000, X.columns,
              [&](index_t j, int) { edges[j] = bin_edges(tally_column(X, j, rows, weight), max_bins); });
  return edges;
}

// Layout of a table of bins of any type, in panels of a fixed number of columns.
class TableShape {
 public:
  TableShape(index_t rows, std::vector<BinnedFeature> features, std::vector<index_t> bins, index_t panel_columns)
      : rows_(rows), panel_columns_(panel_columns), features_(std::move(features)), bins_(std::move(bins)), start_{0},
        slot_{0} {
    for (index_t panel = 0; panel < panels(); ++panel) {
      index_t stride = 4;
      while (stride < panel_size(panel)) stride *= 2;
      stride_.push_back(stride);
      start_.push_back(start_.back() + rows * stride);
    }
    for (const index_t count : bins_) slot_.push_back(slot_.back() + count);
  }

  index_t rows() const { return rows_; }
  index_t columns() const { return index_t(bins_.size()); }
  index_t bins(index_t column) const { return bins_[column]; }
  index_t panels() const { return (columns() + panel_columns_ - 1) / panel_columns_; }
  index_t panel_size(index_t panel) const { return std::min(panel_columns_, columns() - panel * panel_columns_); }
  index_t stride(index_t panel) const { return stride_[panel]; }
  // The bins of column c are the slots from slot(c) to slot(c + 1) of a histogram, those of panel p from its first on.
  index_t slot(index_t column) const { return slot_[column]; }
  index_t first_slot(index_t panel) const { return slot_[std::min(panel * panel_columns_, columns())]; }
  index_t slots() const { return slot_.back(); }
  const std::vector<BinnedFeature>& features() const { return features_; }
  std::vector<BinnedFeature>& features() { return features_; }

 protected:
  index_t rows_, panel_columns_;
  std::vector<BinnedFeature> features_;
  std::vector<index_t> bins_, stride_, start_, slot_;
};

// The bins of a table, `Bin` of one or four bytes.
template <class Bin>
class BinnedTable : public TableShape {
 public:
  static constexpr index_t panel_columns = 32 / index_t(sizeof(Bin));

  BinnedTable(index_t rows, std::vector<BinnedFeature> features, std::vector<index_t> bins)
      : TableShape(rows, std::move(features), std::move(bins), panel_columns), by_row_(start_.back()),
        by_column_(rows * columns()) {}

  const Bin* panel(index_t panel) const { return by_row_.data.get() + start_[panel]; }
  const Bin* column(index_t column) const { return by_column_.data.get() + column * rows_; }
  Bin* column(index_t column) { return by_column_.data.get() + column * rows_; }

  // Once the columns are written: the same bins by rows.
  void lay_rows() {
    const Blocks blocks(rows_, 1024);
    parallel_if(rows_ * columns() > 20'000, blocks.count, [&](index_t block, int) {
      for (index_t panel = 0; panel < panels(); ++panel) {
        Bin* out = by_row_.data.get() + start_[panel];
        const index_t stride = stride_[panel], size = panel_size(panel);
        std::fill(out + blocks.begin(block) * stride, out + blocks.end(block) * stride, Bin(0));
        for (index_t j = 0; j < size; ++j) {
          const Bin* from = column(panel * panel_columns + j);
          for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) out[i * stride + j] = from[i];
        }
      }
    });
  }

 private:
  detail::Plain<Bin> by_row_, by_column_;
};

// The bin of each of `count` entries of a column, a multiple of eight: the number of edges below it, or its category;
// missing values and unknown categories are in the bin after the last.
template <class T>
void find_bins(const T* entries, index_t count, const BinnedFeature& feature, const std::vector<T>& edges,
               std::int32_t* bins) {
  const auto missing = std::int32_t(feature.values);
  if (feature.categorical) {
    for (index_t k = 0; k < count; ++k)
      bins[k] = entries[k] >= 0 && double(entries[k]) < double(missing) ? std::int32_t(entries[k]) : missing;
    return;
  }
  const auto number = std::int32_t(edges.size());
  for (index_t k = 0; k < count; k += 8) detail::edges_below_eight(edges.data(), number, entries + k, bins + k);
  for (index_t k = 0; k < count; ++k) bins[k] = entries[k] == entries[k] ? bins[k] : missing;
}

// Writes the bins of rows begin .. end of one column of X, at most `bin_rows`; true if some are missing.
constexpr index_t bin_rows = 1024;

template <class T, class Bin>
bool write_bins(const ReadableColumnsOf<T>& X, index_t j, const BinnedFeature& feature, const std::vector<T>& edges,
                index_t begin, index_t end, Bin* out) {
  T entries[bin_rows];
  std::int32_t bins[bin_rows];
  const index_t count = end - begin, filled = (count + 7) / 8 * 8;
  X.read(j, begin, end, entries);
  std::fill(entries + count, entries + filled, T(0));
  find_bins(entries, filled, feature, edges, bins);
  if (feature.fallback < 0)
    for (index_t k = 0; k < count; ++k) out[begin + k] = Bin(bins[k]);
  else
    for (index_t k = 0; k < count; ++k)
      if (index_t(bins[k]) != feature.fallback) out[begin + k] = Bin(feature.stored(bins[k]));
  return std::find(bins, bins + count, std::int32_t(feature.values)) != bins + count;
}

// Edges in the precision of the values.
template <class T>
std::vector<std::vector<T>> rounded_edges(const std::vector<std::vector<double>>& edges) {
  std::vector<std::vector<T>> rounded(edges.size());
  for (std::size_t j = 0; j < edges.size(); ++j)
    for (const double edge : edges[j]) rounded[j].push_back(detail::rounded_down<T>(edge));
  return rounded;
}

// bins(j, i) becomes the bin of X(i, j).
template <class T, class Bin>
void bin_columns(const ReadableColumnsOf<T>& X, const std::vector<BinnedFeature>& features,
                 const std::vector<std::vector<double>>& edges, Grid<Bin> bins) {
  const std::vector<std::vector<T>> rounded = rounded_edges<T>(edges);
  const Blocks blocks(X.rows, bin_rows);
  parallel_if(X.rows * X.columns > 20'000, blocks.count, [&](index_t block, int) {
    for (index_t j = 0; j < X.columns; ++j)
      write_bins(X, j, features[j], rounded[j], blocks.begin(block), blocks.end(block), bins.row(j).data);
  });
}

template <class T, class Bin>
void fill_bins(const ReadableColumnsOf<T>& X, const std::vector<std::vector<double>>& edges, BinnedTable<Bin>& table) {
  auto& features = table.features();
  const std::vector<std::vector<T>> rounded = rounded_edges<T>(edges);
  const Blocks blocks(table.rows(), bin_rows);
  std::vector<std::vector<std::uint8_t>> missing(blocks.count, std::vector<std::uint8_t>(features.size(), 0));
  parallel_if(X.rows * X.columns > 20'000, blocks.count, [&](index_t block, int) {
    for (index_t j = 0; j < index_t(features.size()); ++j) {
      const BinnedFeature& feature = features[j];
      Bin* out = table.column(feature.column);
      const index_t begin = blocks.begin(block), end = blocks.end(block);
      if (feature.fallback >= 0 && feature.first == 1) std::fill(out + begin, out + end, Bin(0));
      missing[block][j] = write_bins(X, j, feature, rounded[j], begin, end, out);
    }
  });
  for (index_t j = 0; j < index_t(features.size()); ++j)
    for (const auto& of_block : missing) features[j].has_missing |= of_block[j] != 0;
  table.lay_rows();
}

}  // namespace learnable
