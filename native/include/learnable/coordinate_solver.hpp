// Lasso and elastic net, one target or several, to a proven duality gap. In standardised terms:
//
//   minimise over w   |z - A w|^2 / 2  +  sum_j  lambda_j |w_j| + rho_j |w_j|^2 / 2,      |z| = 1, |a_j| = 1
//
// Working sets: solve on the few columns that matter, look at all columns once, add those that violate the optimality
// conditions, repeat. Every look recomputes residual and slopes from w alone. [Massias, Gramfort and Salmon, 2018]
#pragma once

#include <cstdint>

#include "learnable/coordinate_descend.hpp"
#include "learnable/coordinate_gap.hpp"

namespace learnable::coordinate {

// How far a round goes: until the gap is `tolerance` or `limit` passes are done. `precise` is for problems that have
// shown to be hard: exact products, or at least columns in double precision. A seed makes the order of columns random.
struct Effort {
  double tolerance;
  index_t limit;
  bool precise = false;
  std::uint64_t seed = 0;
};

struct Round {
  Gap gap;
  index_t passes = 0, size = 0;
};

template <class Prox>
class Solver {
 public:
  Solver(std::unique_ptr<Columns> columns, const Prox& prox)
      : A_(std::move(columns)), prox_(prox), width_(prox.width()), z_(width_ * A_->rows), r_(z_.size()),
        slope_(width_ * A_->count), gram_(*A_), dense_(dynamic_cast<DenseColumns*>(A_.get())) {
    if (dense_) {
      narrow_ = std::make_unique<PackedStore<float>>(*dense_);
      wide_ = std::make_unique<PackedStore<double>>(*dense_);
    } else {
      sparse_ = std::make_unique<SparseStore>(static_cast<const SparseBase&>(*A_));
    }
  }

  const Columns& columns() const { return *A_; }
  index_t width() const { return width_; }
  double norm() const { return norm_; }
  GramStore& gram() { return gram_; }

  // Sets the target: y is (targets, rows), with its weighted mean already taken away where there is an intercept.
  void aim(Grid<const double> y) {
    std::fill(z_.begin(), z_.end(), 0.0);
    seen_.clear();
    norm_ = 0;
    double largest = 0, square = 0;
    for (index_t t = 0; t < y.rows; ++t)
      for (index_t i = 0; i < y.columns; ++i) largest = std::max(largest, std::abs(y(t, i)) * (A_->root[i] > 0));
    if (largest == 0) return;
    for (index_t t = 0; t < y.rows; ++t)
      for (index_t i = 0; i < y.columns; ++i) {
        double& entry = z_[t * y.columns + i] = y(t, i) / largest * A_->root[i];
        square += entry * entry;
      }
    for (double& entry : z_) entry /= std::sqrt(square);
    norm_ = largest * std::sqrt(square);
  }

  Penalty penalty(double l1, double l2) const { return {norm_ > 0 ? l1 / norm_ : 0, l2}; }

  // The smallest l1 at which all coefficients are zero.
  double strongest() {
    look_at(Numbers(width_ * A_->count));
    Numbers c(width_);
    double most = 0;
    for (index_t j = 0; j < A_->count; ++j) {
      if (A_->inverse_norm[j] == 0) continue;
      for (index_t t = 0; t < width_; ++t) c[t] = slope_[t * A_->count + j];
      most = std::max(most, prox_.size(c.data()) / A_->inverse_norm[j]);
    }
    return most * norm_;
  }

  // Objective and duality gap at w (count, targets), in units of |z|^2.
  Gap measure(const Numbers& w, Penalty penalty) {
    look_at(w);
    return gap(*A_, prox_, penalty, w, r_, slope_);
  }

  // One round: choose a working set, descend on it, look at all columns.
  Round improve(Numbers& w, Penalty penalty, const Effort& effort) {
    const Gap before = measure(w, penalty);
    if (before.value <= effort.tolerance) return {before, 0, 0};
    Subproblem sub = choose(w, penalty, effort.seed);
    sub.residual = before.residual;
    const index_t size = index_t(sub.set.size());
    const index_t passes = solve(sub, std::max(0.3 * effort.tolerance, 1e-4 * before.value), effort);
    for (index_t k = 0; k < size; ++k) std::copy_n(&sub.w[k * width_], width_, &w[sub.set[k] * width_]);
    return {measure(w, penalty), passes, size};
  }

 private:
  // Residual and slopes at w, unless they are there already.
  void look_at(const Numbers& w) {
    if (w == seen_) return;
    Indices support;
    for (index_t j = 0; j < A_->count; ++j)
      if (std::any_of(&w[j * width_], &w[j * width_] + width_, [](double entry) { return entry != 0; }))
        support.push_back(j);
    Numbers packed(width_ * support.size());
    for (index_t t = 0; t < width_; ++t)
      for (std::size_t k = 0; k < support.size(); ++k) packed[t * support.size() + k] = w[support[k] * width_ + t];
    const Grid<double> fit{r_.data(), width_, A_->rows, A_->rows};
    A_->combine(support, {packed.data(), width_, index_t(support.size()), index_t(support.size())}, fit);
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = z_[i] - r_[i];
    A_->correlate(fit, {slope_.data(), width_, A_->count, A_->count});
    seen_ = w;
  }

  // The support, and of the blocks at zero those that most want to leave it or nearly do: at most twice as many.
  Subproblem choose(const Numbers& w, Penalty penalty, std::uint64_t seed) const {
    Subproblem sub;
    std::vector<std::pair<double, index_t>> wanting;
    Numbers h(width_);
    for (index_t j = 0; j < A_->count; ++j) {
      if (A_->inverse_norm[j] == 0) continue;
      const double lambda = penalty.lambda(*A_, j);
      for (index_t t = 0; t < width_; ++t) h[t] = slope_[t * A_->count + j];
      if (lambda == 0 || prox_.magnitude(&w[j * width_]) > 0) sub.set.push_back(j);
      else if (prox_.size(h.data()) > 0.9 * lambda) wanting.emplace_back(-prox_.size(h.data()) / lambda, j);
    }
    const std::size_t most = std::max<std::size_t>({std::size_t(A_->rows / 4), 64, 2 * sub.set.size()});
    if (wanting.size() > most) {
      std::nth_element(wanting.begin(), wanting.begin() + most, wanting.end());
      wanting.resize(most);
    }
    for (const auto& [score, j] : wanting) sub.set.push_back(j);
    std::sort(sub.set.begin(), sub.set.end());
    if (seed != 0) shuffle(sub.set, seed);
    for (const index_t j : sub.set) {
      sub.lambda.push_back(penalty.lambda(*A_, j));
      sub.rho.push_back(penalty.rho(*A_, j));
      for (index_t t = 0; t < width_; ++t) {
        sub.start.push_back(w[j * width_ + t]);
        sub.slope.push_back(slope_[t * A_->count + j]);
      }
    }
    sub.w = sub.start;
    return sub;
  }

  static void shuffle(Indices& set, std::uint64_t state) {
    for (std::size_t k = set.size(); k > 1; --k) {
      std::uint64_t draw = state += 0x9e3779b97f4a7c15;  // splitmix64
      draw = (draw ^ (draw >> 30)) * 0xbf58476d1ce4e5b9;
      draw = (draw ^ (draw >> 27)) * 0x94d049bb133111eb;
      std::swap(set[k - 1], set[(draw ^ (draw >> 31)) % k]);
    }
  }

  // Products pay when the columns are few, or few beside the rows, or passes over them are many; else the columns
  // themselves are smaller.
  index_t solve(Subproblem& sub, double tolerance, const Effort& effort) {
    const index_t size = index_t(sub.set.size()), limit = effort.limit;
    const bool few = dense_ ? size <= 256 || 16 * size <= A_->rows : size * size * A_->rows <= 1 << 22;
    const bool hard = effort.precise && size <= widest_face && size * size <= (index_t(1) << 32) / A_->rows;
    if (few || hard || gram_.size() == A_->count) return run<GramModel>(gram_, sub, tolerance, limit);
    if (!dense_) return run<SparseModel>(*sparse_, sub, tolerance, limit);
    if (effort.precise) return run<PackedModel<double>>(*wide_, sub, tolerance, limit);
    return run<PackedModel<float>>(*narrow_, sub, tolerance, limit);
  }
  template <class Model, class Store>
  index_t run(Store& store, Subproblem& sub, double tolerance, index_t limit) {
    store.admit(sub.set);
    Model model(store, sub.set, width_, sub.slope);
    return descend(model, prox_, sub, tolerance, limit);
  }

  std::unique_ptr<Columns> A_;
  Prox prox_;
  index_t width_;
  Numbers z_, r_, slope_, seen_;  // r_ and slope_ belong to the coefficients seen_
  double norm_ = 0;
  GramStore gram_;
  DenseColumns* dense_;
  std::unique_ptr<PackedStore<float>> narrow_;
  std::unique_ptr<PackedStore<double>> wide_;
  std::unique_ptr<SparseStore> sparse_;
};

}  // namespace learnable::coordinate
