// One epoch of online training of a linear-chain model: perceptron, passive-aggressive, AROW, stochastic gradient.
//
// Sentences are visited one after the other on one thread. The change that a sentence asks for is collected first, as
// its squared norm decides about the step.
#pragma once

#include "learnable/chain/best_paths.hpp"
#include "learnable/chain/label_weights.hpp"

namespace learnable {

enum class OnlineRule { perceptron, passive_aggressive, arow, gradient };

struct OnlineSettings {
  OnlineRule rule;
  int slack;             // passive-aggressive: 0 none, 1 bounds the step by `c`, 2 adds 1 / (2 c) to the squared norm
  bool error_sensitive;  // passive-aggressive: the margin is the root of the number of errors instead of 1
  double c, gamma;
  double lambda, first;  // stochastic gradient: step t has the size 1 / (lambda (first + t))
};

// Weights of the features, then of the K x K transitions; `second` has sums for averages, or variances (AROW).
struct OnlineState {
  View<double> weight, second;
  double step, scale;  // number of sentences so far; the weights are `scale` times what is stored
};

struct LabelledSentences {
  Incidence tokens;
  View<const std::int64_t> offset;
  View<const std::int32_t> label;
  View<const double> weight;  // of sentences; none: ones
};

class OnlineEpoch {
 public:
  OnlineEpoch(const LabelledSentences& data, const LabelTable& table, View<const std::uint8_t> transitions,
              const OnlineSettings& settings, OnlineState& state)
      : data_(data), table_(table), transitions_(transitions), settings_(settings), state_(state), K_(table.labels),
        features_(index_t(table.label.size)), change_(state.weight.size, 0.0), touched_(state.weight.size, 0),
        start_(K_, 0.0), pair_(K_ * K_) {}

  // Returns the loss: errors per token summed over sentences, or the negative log likelihood (stochastic gradient).
  double run(View<const std::int64_t> order) {
    double loss = 0;
    for (index_t n = 0; n < order.size; ++n) {
      const index_t s = index_t(order[n]);
      loss += visit(s, data_.weight ? data_.weight[s] : 1.0);
      if (n % 32 == 0) poll_interrupt();
    }
    return loss;
  }

 private:
  index_t length(index_t s) const { return index_t(data_.offset[s + 1] - data_.offset[s]); }
  std::int32_t label(index_t s, index_t t) const { return data_.label[data_.offset[s] + t]; }

  double visit(index_t s, double weight) {
    const index_t T = length(s);
    if (T == 0 || !(weight > 0)) return 0;
    score(s, T);
    const bool gradient = settings_.rule == OnlineRule::gradient;
    const double loss = gradient ? weight * collect_gradient(s, T, weight) : collect_errors(s, T);
    if (gradient) {
      const double rate = 1 / (settings_.lambda * (settings_.first + state_.step));
      state_.scale *= 1 - rate * settings_.lambda;
      apply(rate / state_.scale);
    } else if (!touched_list_.empty()) {
      apply(weight * step_size());
    }
    clear();
    state_.step += 1;
    if (gradient && state_.scale < 1e-9) rescale();
    return gradient ? loss : weight * loss;
  }

  void score(index_t s, index_t T) {
    node_.assign(T * K_, 0.0);
    const double* weight = state_.weight.data;
    for (index_t t = 0; t < T; ++t) {
      double* out = &node_[t * K_];
      const index_t token = index_t(data_.offset[s]) + t;
      for (std::int64_t e = data_.tokens.start[token]; e < data_.tokens.start[token + 1]; ++e) {
        const index_t a = data_.tokens.index[e];
        const double value = data_.tokens.at(e);
        for (std::int64_t f = table_.offset[a]; f < table_.offset[a + 1]; ++f) out[table_.label[f]] += value * weight[f];
      }
      for (index_t y = 0; y < K_; ++y) out[y] *= state_.scale;
    }
    for (index_t i = 0; i < K_ * K_; ++i) pair_[i] = weight[features_ + i] * state_.scale;
  }

  void add(index_t feature, double value) {
    if (!touched_[feature]) {
      touched_[feature] = 1;
      touched_list_.push_back(feature);
    }
    change_[feature] += value;
  }

  void add_token(index_t token, index_t y, double factor) {
    for (std::int64_t e = data_.tokens.start[token]; e < data_.tokens.start[token + 1]; ++e) {
      const index_t a = data_.tokens.index[e];
      const std::int32_t *from = &table_.label[0] + table_.offset[a], *to = &table_.label[0] + table_.offset[a + 1];
      const std::int32_t* found = std::lower_bound(from, to, std::int32_t(y));
      if (found != to && *found == y) add(found - &table_.label[0], factor * data_.tokens.at(e));
    }
  }

  void add_transition(index_t from, index_t to, double factor) {
    const index_t pair = from * K_ + to;
    if (transitions_[pair]) add(features_ + pair, factor);
  }

  // The features of the labels minus those of the best path; returns the fraction of tokens with an error.
  double collect_errors(index_t s, index_t T) {
    const std::int64_t bounds[2] = {0, T};
    const Lattice chain{{start_.data(), K_}, {pair_.data(), K_, K_, K_}, {node_.data(), T, K_, K_}, {bounds, 2}};
    path_.resize(T);
    viterbi(chain, 0, View<std::int64_t>{path_.data(), T});
    errors_ = 0;
    for (index_t t = 0; t < T; ++t) {
      const index_t y = label(s, t), found = index_t(path_[t]);
      if (y != found) {
        ++errors_;
        add_token(index_t(data_.offset[s]) + t, y, 1);
        add_token(index_t(data_.offset[s]) + t, found, -1);
      }
      if (t > 0 && (y != found || label(s, t - 1) != path_[t - 1])) {
        add_transition(label(s, t - 1), y, 1);
        add_transition(index_t(path_[t - 1]), found, -1);
      }
    }
    return double(errors_) / double(T);
  }

  double step_size() const {
    if (settings_.rule == OnlineRule::perceptron) return 1;
    const bool arow = settings_.rule == OnlineRule::arow;
    double norm = 0, margin = 0;
    for (const index_t f : touched_list_) {
      norm += change_[f] * change_[f] * (arow ? state_.second[f] : 1.0);
      margin += change_[f] * state_.weight[f];
    }
    if (!(norm > 0)) return 0;
    if (arow) return std::max(0.0, double(errors_) - margin) / (settings_.gamma + norm);
    const double cost = std::max(0.0, (settings_.error_sensitive ? std::sqrt(double(errors_)) : 1.0) - margin);
    if (settings_.slack == 2) return cost / (norm + 0.5 / settings_.c);
    return settings_.slack == 1 ? std::min(settings_.c, cost / norm) : cost / norm;
  }

  void apply(double step) {
    const bool arow = settings_.rule == OnlineRule::arow, average = !arow && bool(state_.second);
    for (const index_t f : touched_list_) {
      const double change = change_[f];
      if (arow) {
        state_.weight[f] += step * state_.second[f] * change;
        state_.second[f] = 1 / (1 / state_.second[f] + change * change / settings_.gamma);
        continue;
      }
      state_.weight[f] += step * change;
      if (average) state_.second[f] += state_.step * step * change;
    }
  }

  void clear() {
    for (const index_t f : touched_list_) {
      change_[f] = 0;
      touched_[f] = 0;
    }
    touched_list_.clear();
  }

  void rescale() {
    for (double& weight : state_.weight) weight *= state_.scale;
    state_.scale = 1;
  }

  // The gradient of the log likelihood of sentence s times its weight; returns the negative log likelihood.
  double collect_gradient(index_t s, index_t T, double weight) {
    alpha_.resize(T * K_);
    beta_.assign(T * K_, 0.0);
    std::vector<double> terms(K_);
    const View<const double> all{terms.data(), K_};
    for (index_t t = 0; t < T; ++t)
      for (index_t y = 0; y < K_; ++y) {
        if (t > 0)
          for (index_t x = 0; x < K_; ++x) terms[x] = alpha_[(t - 1) * K_ + x] + pair_[x * K_ + y];
        alpha_[t * K_ + y] = node_[t * K_ + y] + (t > 0 ? log_sum_exp(all) : 0.0);
      }
    for (index_t t = T - 2; t >= 0; --t)
      for (index_t x = 0; x < K_; ++x) {
        for (index_t y = 0; y < K_; ++y) terms[y] = pair_[x * K_ + y] + node_[(t + 1) * K_ + y] + beta_[(t + 1) * K_ + y];
        beta_[t * K_ + x] = log_sum_exp(all);
      }
    const double whole = log_sum_exp({&alpha_[(T - 1) * K_], K_});
    double path = 0;
    for (index_t t = 0; t < T; ++t) {
      const index_t token = index_t(data_.offset[s]) + t, y = label(s, t);
      path += node_[t * K_ + y] + (t > 0 ? pair_[label(s, t - 1) * K_ + y] : 0.0);
      for (index_t x = 0; x < K_; ++x)
        terms[x] = (x == y) - std::exp(alpha_[t * K_ + x] + beta_[t * K_ + x] - whole);
      for (std::int64_t e = data_.tokens.start[token]; e < data_.tokens.start[token + 1]; ++e) {
        const index_t a = data_.tokens.index[e];
        const double value = weight * data_.tokens.at(e);
        for (std::int64_t f = table_.offset[a]; f < table_.offset[a + 1]; ++f) add(f, value * terms[table_.label[f]]);
      }
      if (t == 0) continue;
      add_transition(label(s, t - 1), y, weight);
      for (index_t x = 0; x < K_; ++x)
        for (index_t z = 0; z < K_; ++z)
          add_transition(x, z, -weight * std::exp(alpha_[(t - 1) * K_ + x] + pair_[x * K_ + z] + node_[t * K_ + z] +
                                                  beta_[t * K_ + z] - whole));
    }
    return whole - path;
  }

  const LabelledSentences& data_;
  const LabelTable& table_;
  View<const std::uint8_t> transitions_;
  const OnlineSettings& settings_;
  OnlineState& state_;
  index_t K_, features_, errors_ = 0;
  std::vector<double> change_;
  std::vector<std::uint8_t> touched_;
  std::vector<index_t> touched_list_;
  std::vector<double> start_, pair_, node_, alpha_, beta_;
  std::vector<std::int64_t> path_;
};

}  // namespace learnable
