// The negative log likelihood of a conditional random field and its gradient, some sentences at a time.
//
// Scores, posteriors and residuals of about tokens_at_once tokens stay in the cache. An attribute with weights for many
// labels is a whole row of labels; the others are numbered by falling frequency, so that frequent ones share cache
// lines. For the gradient attributes are dealt out to a fixed number of parts, each of which adds up its own in the
// order of the tokens: bits depend neither on threads nor on the number of parts.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "learnable/chain/forward_backward.hpp"
#include "learnable/chain/label_weights.hpp"

namespace learnable {

constexpr index_t tokens_at_once = 8192;

// Calls f with the first entry and the number of vectors of four of parts of a row, which is known when it is compiled.
template <int V = 8, class F>
void by_vectors(index_t width, F&& f, index_t from = 0) {
  for (; width - from >= 4 * V; from += 4 * V) f.template operator()<V>(from);
  if constexpr (V > 1)
    if (from < width) by_vectors<V - 1>(width, f, from);
}

// The attributes of tokens in segments: of each token those that are whole rows, part by part, then the others.
class SegmentedTokens {
 public:
  static constexpr int parts = 4, segments = 2 * parts;

  SegmentedTokens(const Incidence& tokens, const LabelTable& table) : begin_(tokens.rows() * segments + 1) {
    number_attributes(tokens, table);
    entry_.resize(tokens.index.size);
    if (tokens.value) value_.resize(tokens.index.size);
    std::int32_t filled = 0;
    for (index_t t = 0; t < tokens.rows(); ++t) {
      std::array<std::int32_t, segments + 1> at{};
      for (std::int64_t e = tokens.start[t]; e < tokens.start[t + 1]; ++e) ++at[segment(tokens.index[e]) + 1];
      at[0] = filled;
      for (int s = 0; s < segments; ++s) at[s + 1] += at[s];
      for (int s = 0; s < segments; ++s) begin_[t * segments + s] = at[s];
      for (std::int64_t e = tokens.start[t]; e < tokens.start[t + 1]; ++e) {
        const index_t a = tokens.index[e];
        const std::int32_t to = at[segment(a)]++;
        entry_[to] = code_[a];
        if (!value_.empty()) value_[to] = tokens.value[e];
      }
      filled += std::int32_t(tokens.start[t + 1] - tokens.start[t]);
    }
    begin_.back() = filled;
  }

  // Entries begin(t, s) to begin(t, s + 1) of token t are in segment s.
  std::int32_t begin(index_t token, int segment) const { return begin_[token * segments + segment]; }
  std::int32_t code(index_t entry) const { return entry_[entry]; }
  double value(index_t entry) const { return value_.empty() ? 1.0 : value_[entry]; }
  index_t entries() const { return index_t(entry_.size()); }

  std::vector<std::int32_t> whole, scattered;  // attributes of the codes of rows, and of the other codes

 private:
  int segment(index_t attribute) const { return segment_[attribute]; }

  void number_attributes(const Incidence& tokens, const LabelTable& table) {
    std::vector<std::int64_t> count(table.attributes());
    for (const std::int32_t a : tokens.index) ++count[a];
    for (index_t a = 0; a < table.attributes(); ++a)
      if (const index_t filled = table.entries(a); filled > 0)
        (6 * filled > table.labels ? whole : scattered).push_back(std::int32_t(a));
    for (std::vector<std::int32_t>* group : {&whole, &scattered})
      std::stable_sort(group->begin(), group->end(), [&](std::int32_t a, std::int32_t b) { return count[a] > count[b]; });
    code_.assign(table.attributes(), std::int32_t(scattered.size()));  // of attributes without features
    segment_.assign(table.attributes(), segments - 1);
    deal(whole, count, 0);
    deal(scattered, count, parts);
  }

  // Consecutive attributes with about the same number of occurrences form a part.
  void deal(const std::vector<std::int32_t>& attributes, const std::vector<std::int64_t>& count, int first) {
    std::int64_t all = 0, passed = 0;
    for (const std::int32_t a : attributes) all += count[a];
    for (std::size_t code = 0; code < attributes.size(); ++code) {
      const std::int32_t a = attributes[code];
      code_[a] = std::int32_t(code);
      segment_[a] = std::uint8_t(first + std::min<std::int64_t>(parts - 1, parts * passed / std::max<std::int64_t>(all, 1)));
      passed += count[a];
    }
  }

  std::vector<std::int32_t> begin_, entry_, code_;
  std::vector<std::uint8_t> segment_;
  std::vector<double> value_;
};

class ChainObjective {
 public:
  ChainObjective(const Incidence& tokens, const LabelTable& table, View<const std::int64_t> sentences,
                 View<const std::int32_t> label, View<const double> weight)
      : labels_(table.labels), width_(round_up(labels_, 4)), features_(table.label.size), tokens_(tokens, table),
        sentence_(sentences.begin(), sentences.end()), observed_(label.begin(), label.end()),
        heavy_(weight.begin(), weight.end()), last_row_(index_t(tokens_.whole.size()) - 1),
        row_(tokens_.whole.size() * width_), row_sum_(row_.size()) {
    first_.reserve(tokens_.scattered.size() + 2);
    for (const std::int32_t a : tokens_.scattered) {
      first_.push_back(std::int32_t(label_.size()));
      for (std::int64_t f = table.offset[a]; f < table.offset[a + 1]; ++f) {
        label_.push_back(table.label[f]);
        feature_.push_back(std::int32_t(f));
      }
    }
    first_.insert(first_.end(), 2, std::int32_t(label_.size()));  // attributes without features
    scattered_.resize(label_.size());
    scattered_sum_.resize(label_.size());
    for (std::size_t row = 0; row < tokens_.whole.size(); ++row) {
      const std::int32_t a = tokens_.whole[row];
      for (std::int64_t f = table.offset[a]; f < table.offset[a + 1]; ++f) {
        row_entry_.push_back(std::int64_t(row) * width_ + table.label[f]);
        row_feature_.push_back(std::int32_t(f));
      }
    }
  }

  // The number of weights.
  index_t size() const { return features_ + labels_ * labels_; }

  // The negative log likelihood at weights of features and transitions, and its gradient.
  double evaluate(View<const double> weight, View<double> gradient) {
    for (std::size_t i = 0; i < feature_.size(); ++i) scattered_[i] = weight[feature_[i]];
    for (std::size_t i = 0; i < row_feature_.size(); ++i) row_[row_entry_[i]] = weight[row_feature_[i]];
    std::fill(row_sum_.begin(), row_sum_.end(), 0.0);
    std::fill(scattered_sum_.begin(), scattered_sum_.end(), 0.0);
    const View<double> moved = gradient.part(features_, labels_ * labels_);
    std::fill(moved.begin(), moved.end(), 0.0);
    const Grid<const double> transition{weight.data + features_, labels_, labels_, labels_};
    double loss = 0;
    const index_t sentences = index_t(heavy_.size());
    for (index_t from = 0, to = 0; from < sentences; from = to) {
      for (to = from + 1; to < sentences && sentence_[to] - sentence_[from] < tokens_at_once;) ++to;
      loss += some_sentences(from, to, transition, moved);
    }
    for (std::size_t i = 0; i < feature_.size(); ++i) gradient[feature_[i]] = scattered_sum_[i];
    for (std::size_t i = 0; i < row_feature_.size(); ++i) gradient[row_feature_[i]] = row_sum_[row_entry_[i]];
    return loss;
  }

 private:
  // Adds what sentences from `from` to before `to` contribute; returns their negative log likelihood.
  double some_sentences(index_t from, index_t to, Grid<const double> transition, View<double> moved) {
    const index_t first = sentence_[from], count = sentence_[to] - first;
    const auto table = [&](std::vector<double>& memory) {
      if (index_t(memory.size()) < count * width_) memory.resize(count * width_);
      return Grid<double>{memory.data(), count, labels_, width_};
    };
    const Grid<double> node = table(node_), residual = table(residual_);
    score(first, node);
    std::vector<std::int64_t> offset(sentence_.begin() + from, sentence_.begin() + to + 1);
    for (std::int64_t& each : offset) each -= first;
    const std::vector<double> start(labels_);
    const Lattice chain{{start.data(), labels_}, transition, node, {offset.data(), index_t(offset.size())}};
    const View<const double> heavy{heavy_.data() + from, to - from};
    double loss = posterior(chain, heavy, residual, moved, 1.0);
    const std::int32_t* label = observed_.data() + first;
    if (std::all_of(label, label + count, [](std::int32_t y) { return y >= 0; }))
      loss -= subtract_observed(chain, heavy, label, residual, moved);
    else
      loss -= subtract_expected(chain, heavy, label, residual, moved);
    for (index_t s = 0; s < heavy.size; ++s)
      if (heavy[s] != 1)
        for (index_t t = offset[s]; t < offset[s + 1]; ++t)
          for (double& each : residual.row(t)) each *= heavy[s];
    parallel_for(SegmentedTokens::parts, [&](index_t part, int) { add_part(int(part), first, residual); });
    return loss;
  }

  // Posteriors of the states; adds `sign` times the expected transitions, and returns the log likelihood.
  double posterior(const Lattice& chain, View<const double> heavy, Grid<double> states, View<double> moved, double sign) {
    std::vector<double> log_likelihood(heavy.size), transitions(labels_ * labels_);
    forward_backward(chain, heavy, {log_likelihood.data(), heavy.size}, states,
                     {transitions.data(), labels_, labels_, labels_});
    for (index_t i = 0; i < labels_ * labels_; ++i) moved[i] += sign * transitions[i];
    double sum = 0;
    for (index_t s = 0; s < heavy.size; ++s) sum += heavy[s] * log_likelihood[s];
    return sum;
  }

  // Subtracts the labels; returns their score.
  double subtract_observed(const Lattice& chain, View<const double> heavy, const std::int32_t* label,
                           Grid<double> residual, View<double> moved) const {
    double sum = 0;
    for (index_t s = 0; s < heavy.size; ++s) {
      double own = 0;
      for (index_t t = chain.offset[s]; t < chain.offset[s + 1]; ++t) {
        own += chain.node(t, label[t]);
        residual(t, label[t]) -= 1;
        if (t == chain.offset[s]) continue;
        own += chain.transition(label[t - 1], label[t]);
        moved[label[t - 1] * labels_ + label[t]] -= heavy[s];
      }
      sum += heavy[s] * own;
    }
    return sum;
  }

  // Subtracts the posteriors of labellings that agree with the known labels; returns their log likelihood.
  double subtract_expected(const Lattice& chain, View<const double> heavy, const std::int32_t* label,
                           Grid<double> residual, View<double> moved) {
    std::vector<double> clamped(chain.node.data, chain.node.data + chain.steps() * width_), states(clamped.size());
    for (index_t t = 0; t < chain.steps(); ++t)
      for (index_t y = 0; y < labels_ && label[t] >= 0; ++y)
        if (y != label[t]) clamped[t * width_ + y] = impossible;
    const Lattice bound{chain.start, chain.transition, {clamped.data(), chain.steps(), labels_, width_}, chain.offset};
    const double sum = posterior(bound, heavy, {states.data(), chain.steps(), labels_, width_}, moved, -1.0);
    for (std::size_t i = 0; i < states.size(); ++i) residual.data[i] -= states[i];
    return sum;
  }

  // score(t, y) = sum of value * weight over the attributes of token first + t.
  void score(index_t first, Grid<double> node) const {
    const Blocks blocks(node.rows, tokens_per_block);
    parallel_for(blocks.count, [&](index_t block, int) {
      for (index_t t = blocks.begin(block); t < blocks.end(block); ++t) {
        double* out = &node(t, 0);
        const std::int32_t middle = tokens_.begin(first + t, SegmentedTokens::parts);
        add_rows(tokens_.begin(first + t, 0), middle, out);
        for (std::int32_t e = middle; e < tokens_.begin(first + t + 1, 0); ++e) {
          fetch_ahead(e, scattered_.data());
          const double value = tokens_.value(e);
          const std::int32_t a = tokens_.code(e);
          for (std::int32_t f = first_[a]; f < first_[a + 1]; ++f) out[label_[f]] += value * scattered_[f];
        }
      }
    });
  }

  // Adds the residuals of tokens from `first` on to the sums of the attributes of a part.
  void add_part(int part, index_t first, Grid<const double> residual) {
    for (index_t t = 0; t < residual.rows; ++t) {
      const double* own = &residual(t, 0);
      const int other = part + SegmentedTokens::parts;
      add_to_rows(tokens_.begin(first + t, part), tokens_.begin(first + t, part + 1), own);
      const std::int32_t end = tokens_.begin(first + t + (other + 1) / SegmentedTokens::segments,
                                             (other + 1) % SegmentedTokens::segments);
      for (std::int32_t e = tokens_.begin(first + t, other); e < end; ++e) {
        fetch_ahead(e, scattered_sum_.data());
        const double value = tokens_.value(e);
        const std::int32_t a = tokens_.code(e);
        for (std::int32_t f = first_[a]; f < first_[a + 1]; ++f) scattered_sum_[f] += value * own[label_[f]];
      }
    }
  }

  // out = the sum of the rows of some entries.
  void add_rows(std::int32_t from, std::int32_t to, double* out) const {
    by_vectors(width_, [&]<int V>(index_t shift) {
      Quad sum[V];
      for (int v = 0; v < V; ++v) sum[v] = spread(0.0);
      for (std::int32_t e = from; e < to; ++e) {
        const Quad value = spread(tokens_.value(e));
        fetch_row(e, row_.data());
        const double* row = &row_[tokens_.code(e) * width_ + shift];
        for (int v = 0; v < V; ++v) sum[v] = fused(value, load_quad(row + 4 * v), sum[v]);
      }
      for (int v = 0; v < V; ++v) store_quad(out + shift + 4 * v, sum[v]);
    });
  }

  // Adds a row to the sums of the rows of some entries.
  void add_to_rows(std::int32_t from, std::int32_t to, const double* own) {
    by_vectors(width_, [&]<int V>(index_t shift) {
      Quad row[V];
      for (int v = 0; v < V; ++v) row[v] = load_quad(own + shift + 4 * v);
      for (std::int32_t e = from; e < to; ++e) {
        const Quad value = spread(tokens_.value(e));
        fetch_row(e, row_sum_.data());
        double* sum = &row_sum_[tokens_.code(e) * width_ + shift];
        for (int v = 0; v < V; ++v) store_quad(sum + 4 * v, fused(value, row[v], load_quad(sum + 4 * v)));
      }
    });
  }

  // Fetches what later entries need; some of these are codes of rows, for which nothing is lost.
  void fetch_ahead(index_t entry, const double* table) const {
    constexpr index_t near = 12, far = 32;
    const index_t last = tokens_.entries() - 1, known = index_t(first_.size()) - 1;
    __builtin_prefetch(&first_[std::min<index_t>(tokens_.code(std::min(entry + far, last)), known)]);
    const std::int32_t f = first_[std::min<index_t>(tokens_.code(std::min(entry + near, last)), known)];
    __builtin_prefetch(label_.data() + f);
    __builtin_prefetch(table + f);
  }

  void fetch_row(index_t entry, const double* rows) const {
    const index_t code = std::min<index_t>(tokens_.code(std::min(entry + 6, tokens_.entries() - 1)), last_row_);
    for (index_t y = 0; y < width_; y += 8) __builtin_prefetch(rows + code * width_ + y);
  }

  index_t labels_, width_, features_;  // labels, also filled up to whole vectors
  SegmentedTokens tokens_;
  std::vector<std::int64_t> sentence_;
  std::vector<std::int32_t> observed_;
  std::vector<double> heavy_;
  std::vector<std::int32_t> first_, label_, feature_;  // scattered attributes: their first entry, labels, features
  std::vector<double> scattered_, scattered_sum_;
  std::vector<std::int64_t> row_entry_;
  std::vector<std::int32_t> row_feature_;
  index_t last_row_;
  std::vector<double> row_, row_sum_, node_, residual_;
};

}  // namespace learnable
