// The smooth part of the problem near w0, on a working set, in three forms. With e = -A (w - w0):
//
//   |e|^2 / 2 - c . (w - w0),     slope of block k:  c_k + a_k . e
//
// c is exact, so a rounded A changes the road and not the goal.
#pragma once

#include "learnable/linear/lasso/block_penalty.hpp"
#include "learnable/linear/lasso/column_cache.hpp"

namespace learnable::coordinate {

constexpr int memory = 5;  // iterates that an extrapolation looks back on

// A problem of k blocks: start and w are (k, width), slope is the exact negative gradient at start.
struct Subproblem {
  Indices set;
  Numbers start, w, slope, lambda, rho;
  double residual = 1;  // |r|^2 + sum rho |w|^2 at start
};

class Model {
 public:
  virtual ~Model() = default;
  // The negative gradient of block k, one number per target.
  virtual void slope(index_t k, double* out) const = 0;
  // w_k += step
  virtual void move(index_t k, const double* step) = 0;
  // A pass over blocks of one number, whose visits are too short for calls through a table.
  virtual double pass_of_one(const Absolute& prox, Subproblem& sub, bool all, double* scratch) = 0;
  // |e|^2 / 2, where change = w - w0
  virtual double energy(const Numbers& change) const = 0;
  // Remember e under an age; go to the mixture of remembered ones that gives `change`.
  virtual void keep(int age) = 0;
  virtual void mix(const double* share, const Numbers& change) = 0;
  // The model itself if it has the products of columns at hand.
  virtual class GramModel* products() { return nullptr; }
};

// One pass. Returns an estimate of the duality gap of the subproblem before it: with v_k the violation of block k when it
// is visited and m = max_k v_k / lambda_k,   sum_k |w_k| v_k + m sum_k lambda_k |w_k| + m^2 |r|^2 / 2,
// or with a squared penalty   sum_k v_k^2 / (2 rho_k)   if that is less.
// Blocks without an absolute penalty add what the visit gains at most, v_k^2. Blocks at zero are left out if not `all`.
template <class Form, class Kind>
double pass(Form& model, const Kind& prox, Subproblem& sub, bool all, double* scratch) {
  const index_t width = prox.width();
  double *slope = scratch, *target = scratch + width, *step = target + width;
  double active = 0, worst = 0, penalty = 0, square = 0;
  for (index_t k = 0; k < index_t(sub.set.size()); ++k) {
    double* w = &sub.w[k * width];
    const double lambda = sub.lambda[k], rho = sub.rho[k], size = prox.magnitude(w);
    if (!all && size == 0) continue;
    model.slope(k, slope);
    for (index_t t = 0; t < width; ++t) {
      target[t] = slope[t] + w[t];
      slope[t] -= rho * w[t];
    }
    const double wrong = prox.violation(slope, w, lambda);
    active += size * wrong;
    penalty += size * lambda;
    if (lambda > 0) worst = std::max(worst, wrong / lambda);
    else active += wrong * wrong;
    if (wrong == 0) continue;
    square += wrong * wrong / (2 * rho);
    prox.step(target, lambda, rho, step);
    bool moved = false;
    for (index_t t = 0; t < width; ++t) {
      const double goal = step[t];
      step[t] -= w[t];
      moved |= step[t] != 0;
      w[t] = goal;
    }
    if (moved) model.move(k, step);
  }
  return std::min(active + worst * penalty + worst * worst * sub.residual / 2, square);
}

inline double objective(const Model& model, const Prox& prox, const Subproblem& sub, const Numbers& w) {
  const index_t width = prox.width();
  Numbers change(w.size());
  double value = 0;
  for (index_t i = 0, k = 0, t = 0; i < index_t(w.size()); ++i) {
    change[i] = w[i] - sub.start[i];
    value += sub.rho[k] * w[i] * w[i] / 2 - sub.slope[i] * change[i];
    if (++t == width) ++k, t = 0;
  }
  for (index_t k = 0; k < index_t(sub.set.size()); ++k) value += sub.lambda[k] * prox.magnitude(&w[k * width]);
  return value + model.energy(change);
}

// Remembered states, each a run of numbers.
template <class Real>
class History {
 public:
  void keep(int age, const std::vector<Real>& state) { states_[age] = state; }
  void mix(const double* share, std::vector<Real>& state) const {
    std::fill(state.begin(), state.end(), Real(0));
    for (int age = 0; age < memory; ++age)
      if (share[age] != 0)
        add_multiple<Real>(Real(share[age]), states_[age].data(), index_t(state.size()), state.data());
  }

 private:
  std::vector<Real> states_[memory];
};

// Keeps every slope up to date through the matrix A'A: free to look at, a row of the matrix to move.
class GramModel final : public Model {
 public:
  GramModel(const GramStore& store, const Indices& set, index_t targets, const Numbers& c)
      : store_(store), targets_(targets), size_(store.size()), slots_(set.size()), c_(c), g_(size_ * targets) {
    for (std::size_t k = 0; k < set.size(); ++k) {
      slots_[k] = store.slot(set[k]);
      for (index_t t = 0; t < targets; ++t) g_[t * size_ + slots_[k]] = c[k * targets + t];
    }
  }
  void slope(index_t k, double* out) const override {
    for (index_t t = 0; t < targets_; ++t) out[t] = g_[t * size_ + slots_[k]];
  }
  GramModel* products() override { return this; }
  double product(index_t k, index_t q) const { return store_.row(slots_[k])[slots_[q]]; }
  void move(index_t k, const double* step) override {
    for (index_t t = 0; t < targets_; ++t)
      add_multiple<double>(-step[t], store_.row(slots_[k]), size_, &g_[t * size_]);
  }
  double pass_of_one(const Absolute& prox, Subproblem& sub, bool all, double* scratch) override {
    return pass(*this, prox, sub, all, scratch);
  }
  double energy(const Numbers& change) const override {
    double sum = 0;
    for (std::size_t k = 0; k < slots_.size(); ++k)
      for (index_t t = 0; t < targets_; ++t)
        sum += change[k * targets_ + t] * (c_[k * targets_ + t] - g_[t * size_ + slots_[k]]);
    return sum / 2;
  }
  void keep(int age) override { past_.keep(age, g_); }
  void mix(const double* share, const Numbers&) override { past_.mix(share, g_); }

 private:
  const GramStore& store_;
  index_t targets_, size_;
  Indices slots_;
  const Numbers& c_;
  Numbers g_;
  History<double> past_;
};

// Keeps e, and asks the packed columns.
template <class Real>
class PackedModel final : public Model {
 public:
  PackedModel(const PackedStore<Real>& store, const Indices& set, index_t targets, const Numbers& c)
      : targets_(targets), length_(store.length()), c_(c), columns_(set.size()), e_(length_ * targets) {
    for (std::size_t k = 0; k < set.size(); ++k) columns_[k] = store.column(set[k]);
  }
  void slope(index_t k, double* out) const override {
    for (index_t t = 0; t < targets_; ++t)
      out[t] = c_[k * targets_ + t] + double(fast_dot<Real>(columns_[k], &e_[t * length_], length_));
  }
  void move(index_t k, const double* step) override {
    for (index_t t = 0; t < targets_; ++t) add_multiple<Real>(Real(-step[t]), columns_[k], length_, &e_[t * length_]);
  }
  double pass_of_one(const Absolute& prox, Subproblem& sub, bool all, double* scratch) override {
    return pass(*this, prox, sub, all, scratch);
  }
  double energy(const Numbers&) const override { return fast_dot<double>(e_.data(), e_.data(), index_t(e_.size())) / 2; }
  void keep(int age) override { past_.keep(age, e_); }
  void mix(const double* share, const Numbers&) override { past_.mix(share, e_); }

 private:
  index_t targets_, length_;
  const Numbers& c_;
  std::vector<const Real*> columns_;
  std::vector<Real> e_;
  History<Real> past_;
};

// Keeps e as a sparse sum plus `shift` times the root of the weights, which is what centring comes to.
class SparseModel final : public Model {
 public:
  SparseModel(const SparseStore& store, const Indices& set, index_t targets, const Numbers& c)
      : store_(store), targets_(targets), rows_(store.rows()), c_(c), columns_(set.size()), e_(rows_ * targets),
        shift_(targets) {
    for (std::size_t k = 0; k < set.size(); ++k) columns_[k] = store.column(set[k]);
  }
  void slope(index_t k, double* out) const override {
    const auto& column = columns_[k];
    for (index_t t = 0; t < targets_; ++t) out[t] = c_[k * targets_ + t] + shift_[t] * column.offset;
    for (index_t q = 0; q < column.size; ++q)
      for (index_t t = 0; t < targets_; ++t) out[t] += column.value[q] * e_[column.index[q] * targets_ + t];
  }
  void move(index_t k, const double* step) override {
    const auto& column = columns_[k];
    for (index_t t = 0; t < targets_; ++t) shift_[t] += step[t] * column.offset;
    for (index_t q = 0; q < column.size; ++q)
      for (index_t t = 0; t < targets_; ++t) e_[column.index[q] * targets_ + t] -= step[t] * column.value[q];
  }
  double pass_of_one(const Absolute& prox, Subproblem& sub, bool all, double* scratch) override {
    return pass(*this, prox, sub, all, scratch);
  }
  double energy(const Numbers&) const override {
    double sum = 0;
    for (index_t i = 0; i < rows_; ++i)
      for (index_t t = 0; t < targets_; ++t) {
        const double entry = e_[i * targets_ + t] + shift_[t] * store_.root()[i];
        sum += entry * entry;
      }
    return sum / 2;
  }
  void keep(int) override {}
  // Cheaper to make anew than to remember: the columns of a working set have few entries.
  void mix(const double*, const Numbers& change) override {
    std::fill(e_.begin(), e_.end(), 0.0);
    std::fill(shift_.begin(), shift_.end(), 0.0);
    for (index_t k = 0; k < index_t(columns_.size()); ++k) move(k, &change[k * targets_]);
  }

 private:
  const SparseStore& store_;
  index_t targets_, rows_;
  const Numbers& c_;
  std::vector<SparseStore::Column> columns_;
  Numbers e_, shift_;
};

}  // namespace learnable::coordinate
