// The smooth part of the problem near w0, on a working set, in three forms. With e = -A (w - w0):
//
//   |e|^2 / 2 - c . (w - w0),     correlation of block k:  c_k + a_k . e
//
// c is exact, so a rounded A changes the iterates and not the solution.
#pragma once

#include "learnable/linear/lasso/block_penalty.hpp"
#include "learnable/linear/lasso/column_cache.hpp"

namespace learnable::coordinate {

constexpr int memory = 5;  // iterates of an extrapolation

// A problem of k blocks: start and w are (k, width), correlation is the exact negative gradient at start.
struct Subproblem {
  Indices set;
  Numbers start, w, correlation, lambda, rho;
  double residual = 1;  // |r|^2 + sum rho |w|^2 at start
};

class Model {
 public:
  virtual ~Model() = default;
  // The negative gradient of block k, one number per target.
  virtual void correlation(index_t k, double* out) const = 0;
  // w_k += step
  virtual void move(index_t k, const double* step) = 0;
  // A pass over blocks of one coefficient, whose updates are too short for virtual calls.
  virtual double pass_of_one(const Absolute& prox, Subproblem& sub, bool all, double* scratch) = 0;
  // |e|^2 / 2, where change = w - w0
  virtual double energy(const Numbers& change) const = 0;
  // Stores e under an age; sets e to the combination of stored ones that belongs to `change`.
  virtual void keep(int age) = 0;
  virtual void mix(const double* weight, const Numbers& change) = 0;
  // The model itself if it has the products of columns.
  virtual class GramModel* products() { return nullptr; }
};

// One pass. Returns an estimate of the duality gap of the subproblem before it: with v_k the violation of block k when
// it is visited and m = max_k v_k / lambda_k,   sum_k |w_k| v_k + m sum_k lambda_k |w_k| + m^2 |r|^2 / 2, or with a
// squared penalty   sum_k v_k^2 / (2 rho_k)   if that is less. Blocks without an absolute penalty add a bound of the
// decrease, v_k^2. Blocks at zero are skipped if not `all`.
template <class Form, class Kind>
double pass(Form& model, const Kind& prox, Subproblem& sub, bool all, double* scratch) {
  const index_t width = prox.width();
  double *gradient = scratch, *target = scratch + width, *step = target + width;
  double active = 0, worst = 0, penalty = 0, square = 0;
  for (index_t k = 0; k < index_t(sub.set.size()); ++k) {
    double* w = &sub.w[k * width];
    const double lambda = sub.lambda[k], rho = sub.rho[k], size = prox.magnitude(w);
    if (!all && size == 0) continue;
    model.correlation(k, gradient);
    for (index_t t = 0; t < width; ++t) {
      target[t] = gradient[t] + w[t];
      gradient[t] -= rho * w[t];
    }
    const double violation = prox.violation(gradient, w, lambda);
    active += size * violation;
    penalty += size * lambda;
    if (lambda > 0) worst = std::max(worst, violation / lambda);
    else active += violation * violation;
    if (violation == 0) continue;
    square += violation * violation / (2 * rho);
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
    value += sub.rho[k] * w[i] * w[i] / 2 - sub.correlation[i] * change[i];
    if (++t == width) ++k, t = 0;
  }
  for (index_t k = 0; k < index_t(sub.set.size()); ++k) value += sub.lambda[k] * prox.magnitude(&w[k * width]);
  return value + model.energy(change);
}

// Stored states of the last iterates.
template <class Real>
class History {
 public:
  void keep(int age, const std::vector<Real>& state) { states_[age] = state; }
  void mix(const double* weight, std::vector<Real>& state) const {
    std::fill(state.begin(), state.end(), Real(0));
    for (int age = 0; age < memory; ++age)
      if (weight[age] != 0)
        add_multiple<Real>(Real(weight[age]), states_[age].data(), index_t(state.size()), state.data());
  }

 private:
  std::vector<Real> states_[memory];
};

// Updates all correlations through the matrix A'A: reading one is free, a move costs a row of the matrix.
class GramModel final : public Model {
 public:
  GramModel(const GramCache& cache, const Indices& set, index_t targets, const Numbers& c)
      : cache_(cache), targets_(targets), size_(cache.size()), slots_(set.size()), c_(c), g_(size_ * targets) {
    for (std::size_t k = 0; k < set.size(); ++k) {
      slots_[k] = cache.slot(set[k]);
      for (index_t t = 0; t < targets; ++t) g_[t * size_ + slots_[k]] = c[k * targets + t];
    }
  }
  void correlation(index_t k, double* out) const override {
    for (index_t t = 0; t < targets_; ++t) out[t] = g_[t * size_ + slots_[k]];
  }
  GramModel* products() override { return this; }
  double product(index_t k, index_t q) const { return cache_.row(slots_[k])[slots_[q]]; }
  void move(index_t k, const double* step) override {
    for (index_t t = 0; t < targets_; ++t)
      add_multiple<double>(-step[t], cache_.row(slots_[k]), size_, &g_[t * size_]);
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
  void mix(const double* weight, const Numbers&) override { past_.mix(weight, g_); }

 private:
  const GramCache& cache_;
  index_t targets_, size_;
  Indices slots_;
  const Numbers& c_;
  Numbers g_;
  History<double> past_;
};

// Updates e; correlations are products with the packed columns.
template <class Real>
class PackedModel final : public Model {
 public:
  PackedModel(const PackedCache<Real>& cache, const Indices& set, index_t targets, const Numbers& c)
      : targets_(targets), length_(cache.length()), c_(c), columns_(set.size()), e_(length_ * targets) {
    for (std::size_t k = 0; k < set.size(); ++k) columns_[k] = cache.column(set[k]);
  }
  void correlation(index_t k, double* out) const override {
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
  void mix(const double* weight, const Numbers&) override { past_.mix(weight, e_); }

 private:
  index_t targets_, length_;
  const Numbers& c_;
  std::vector<const Real*> columns_;
  std::vector<Real> e_;
  History<Real> past_;
};

// Updates e as a sparse sum plus `shift` times the root of the weights, which represents the centring.
class SparseModel final : public Model {
 public:
  SparseModel(const SparseCache& cache, const Indices& set, index_t targets, const Numbers& c)
      : cache_(cache), targets_(targets), rows_(cache.rows()), c_(c), columns_(set.size()), e_(rows_ * targets),
        shift_(targets) {
    for (std::size_t k = 0; k < set.size(); ++k) columns_[k] = cache.column(set[k]);
  }
  void correlation(index_t k, double* out) const override {
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
        const double entry = e_[i * targets_ + t] + shift_[t] * cache_.root()[i];
        sum += entry * entry;
      }
    return sum / 2;
  }
  void keep(int) override {}
  // Cheaper to recompute than to store: the columns of a working set have few entries.
  void mix(const double*, const Numbers& change) override {
    std::fill(e_.begin(), e_.end(), 0.0);
    std::fill(shift_.begin(), shift_.end(), 0.0);
    for (index_t k = 0; k < index_t(columns_.size()); ++k) move(k, &change[k * targets_]);
  }

 private:
  const SparseCache& cache_;
  index_t targets_, rows_;
  const Numbers& c_;
  std::vector<SparseCache::Column> columns_;
  Numbers e_, shift_;
};

}  // namespace learnable::coordinate
