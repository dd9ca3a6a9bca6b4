// Lasso and elastic net, one target or several, to a given duality gap. In standardised terms:
//
//   minimise over w   |z - A w|^2 / 2  +  sum_j  lambda_j |w_j| + rho_j |w_j|^2 / 2,      |z| = 1, |a_j| = 1
//
// Working sets: solve on a few columns, evaluate all columns once, add those that violate the optimality conditions,
// repeat. Every state is computed from w alone. [Massias, Gramfort and Salmon, 2018]
#pragma once

#include <cstdint>

#include "learnable/linear/lasso/coordinate_descent.hpp"
#include "learnable/linear/lasso/duality_gap.hpp"

namespace learnable::coordinate {

// Arithmetic of the model on a working set: packed columns in single precision; products of columns, if they are
// affordable and many passes are needed; packed columns in double precision, if single precision stalls.
enum class Precision { f32, gram, f64 };

// Stopping rule of a round: a gap of `tolerance` or `limit` passes. A nonzero seed makes the order of columns random.
struct Options {
  double tolerance;
  index_t limit;
  Precision precision = Precision::f32;
  std::uint64_t seed = 0;
};

struct Round {
  Gap gap;
  index_t passes = 0, size = 0;
};

class Solver {
 public:
  Solver(std::unique_ptr<Columns> columns, const Prox& prox)
      : A_(std::move(columns)), prox_(prox), width_(prox.width()), gram_(*A_),
        dense_(dynamic_cast<DenseColumns*>(A_.get())) {
    if (dense_) {
      f32_ = std::make_unique<PackedCache<float>>(*dense_);
      f64_ = std::make_unique<PackedCache<double>>(*dense_);
    } else {
      sparse_ = std::make_unique<SparseCache>(static_cast<const SparseBase&>(*A_));
    }
  }

  const Columns& columns() const { return *A_; }
  const Prox& prox() const { return prox_; }
  const Target& target() const { return target_; }
  // Computes all products of columns, or takes them from the caller: evaluations are then nearly free.
  void compute_products() {
    Indices all(A_->count);
    std::iota(all.begin(), all.end(), 0);
    gram_.admit(all);
    has_products_ = true;
  }
  void adopt(Grid<const double> products) {
    gram_.adopt(products);
    has_products_ = true;
  }
  // Whether that pays for this number of evaluations: the products may cost at most 16 passes over the data each.
  bool products_pay(index_t evaluations) const {
    const index_t n = A_->rows, p = A_->count;
    return n >= 2 * p && p <= 1024 && p * p * n <= 16 * evaluations * A_->entries();
  }
  bool has_products() const { return has_products_; }

  void set_target(Grid<const double> y) {
    target_.set(*A_, y);
    here_ = {}, origin_.clear();
    if (!has_products_ && products_pay(4)) compute_products();
  }

  Penalty penalty(double l1, double l2) const { return {target_.norm > 0 ? l1 / target_.norm : 0, l2}; }

  // The smallest l1 at which all coefficients are zero.
  double alpha_max() {
    evaluate_at(Numbers(width_ * A_->count));
    Numbers c(width_);
    double largest = 0;
    for (index_t j = 0; j < A_->count; ++j) {
      if (A_->inverse_norm[j] == 0) continue;
      for (index_t t = 0; t < width_; ++t) c[t] = here_.correlation[t * A_->count + j];
      largest = std::max(largest, prox_.size(c.data()) / A_->inverse_norm[j]);
    }
    return largest * target_.norm;
  }

  // Residual and correlations at w (count, targets); the last state is cached.
  const ResidualState& evaluate_at(const Numbers& w) {
    if (w != here_.w) {
      here_.w = w;
      evaluate(here_);
    }
    return here_;
  }
  void evaluate(ResidualState& state) {
    if (!has_products_) return compute_states({{A_.get(), &target_, &state}});
    if (origin_.empty()) {
      ResidualState zero{Numbers(width_ * A_->count), {}, {}};
      compute_states({{A_.get(), &target_, &zero}});
      origin_ = zero.correlation, energy_ = zero.square;
    }
    evaluate_by_products(state);
  }
  Gap measure(const ResidualState& state, Penalty penalty) const { return gap(*A_, prox_, penalty, state); }

  // One round: choose a working set, descend on it, evaluate all columns.
  Round improve(Numbers& w, Penalty penalty, const Options& options) {
    const Gap before = measure(evaluate_at(w), penalty);
    if (before.value <= options.tolerance) return {before, 0, 0};
    auto [found, passes, size] = propose(here_, {penalty}, options);
    w = std::move(found[0]);
    return {measure(evaluate_at(w), penalty), passes[0], size};
  }

  struct Proposal {
    std::vector<Numbers> w;  // coefficients for each penalty
    Indices passes;
    index_t size;  // of the working set
  };

  // Solves for each penalty in turn on one working set, chosen by the state for the last of them.
  Proposal propose(const ResidualState& from, const std::vector<Penalty>& penalties, const Options& options) {
    Subproblem sub = choose(from, penalties.back(), options.seed);
    const Gap before = measure(from, penalties.front());
    sub.residual = before.residual;
    const double tolerance = std::max(options.tolerance, 1e-4 * before.value);
    const std::unique_ptr<Model> model = model_of(sub, options.precision);
    return descend_all(*model, sub, from, penalties, tolerance, options.limit);
  }

 private:
  // Products pay when the columns are few, or few compared with the rows, or many passes are needed; else the columns
  // themselves are smaller.
  std::unique_ptr<Model> model_of(const Subproblem& sub, Precision precision) {
    const index_t size = index_t(sub.set.size());
    const bool few = dense_ ? size <= 256 || 16 * size <= A_->rows : size * size * A_->rows <= 1 << 22;
    const bool hard = precision != Precision::f32 && size <= max_face && size * size <= (index_t(1) << 32) / A_->rows;
    const auto model = [&]<class Form>(auto& store, std::type_identity<Form>) -> std::unique_ptr<Model> {
      store.admit(sub.set);
      return std::make_unique<Form>(store, sub.set, width_, sub.correlation);
    };
    if (few || hard || has_products_) return model(gram_, std::type_identity<GramModel>{});
    if (!dense_) return model(*sparse_, std::type_identity<SparseModel>{});
    if (precision == Precision::f64) return model(*f64_, std::type_identity<PackedModel<double>>{});
    return model(*f32_, std::type_identity<PackedModel<float>>{});
  }

  Proposal descend_all(Model& model, Subproblem& sub, const ResidualState& from, const std::vector<Penalty>& penalties,
                       double tolerance, index_t limit) {
    Proposal result{{}, {}, index_t(sub.set.size())};
    for (const Penalty& penalty : penalties) {
      for (index_t k = 0; k < result.size; ++k) {
        sub.lambda[k] = penalty.lambda(*A_, sub.set[k]);
        sub.rho[k] = penalty.rho(*A_, sub.set[k]);
      }
      result.passes.push_back(descend(model, prox_, sub, tolerance, limit));
      result.w.push_back(from.w);
      for (index_t k = 0; k < result.size; ++k)
        std::copy_n(&sub.w[k * width_], width_, &result.w.back()[sub.set[k] * width_]);
    }
    return result;
  }

  // With c the correlations at zero:  correlation = c - A'A w,   |z - A w|^2 = |z|^2 - w . (c + correlation).
  void evaluate_by_products(ResidualState& state) const {
    state.correlation = origin_;
    state.square = energy_;
    for (const index_t j : support_of(state.w, width_))
      for (index_t t = 0; t < width_; ++t)
        gram_.subtract_row(j, state.w[j * width_ + t], &state.correlation[t * A_->count]);
    for (const index_t j : support_of(state.w, width_))
      for (index_t t = 0; t < width_; ++t)
        state.square -= state.w[j * width_ + t] * (origin_[t * A_->count + j] + state.correlation[t * A_->count + j]);
    state.square = std::max(state.square, 0.0);
  }

  // The support, and of the blocks at zero those with the largest (near-)violations: at most twice as many.
  Subproblem choose(const ResidualState& state, Penalty penalty, std::uint64_t seed) const {
    Subproblem sub;
    std::vector<std::pair<double, index_t>> candidates;
    Numbers h(width_);
    for (index_t j = 0; j < A_->count; ++j) {
      if (A_->inverse_norm[j] == 0) continue;
      const double lambda = penalty.lambda(*A_, j);
      for (index_t t = 0; t < width_; ++t) h[t] = state.correlation[t * A_->count + j];
      if (lambda == 0 || prox_.magnitude(&state.w[j * width_]) > 0) sub.set.push_back(j);
      else if (prox_.size(h.data()) > 0.95 * lambda) candidates.emplace_back(-prox_.size(h.data()) / lambda, j);
    }
    const std::size_t max_added = std::max<std::size_t>({std::size_t(A_->rows / 4), 64, 2 * sub.set.size()});
    if (candidates.size() > max_added) {
      std::nth_element(candidates.begin(), candidates.begin() + max_added, candidates.end());
      candidates.resize(max_added);
    }
    for (const auto& [score, j] : candidates) sub.set.push_back(j);
    std::sort(sub.set.begin(), sub.set.end());
    if (seed != 0) shuffle(sub.set, seed);
    for (const index_t j : sub.set)
      for (index_t t = 0; t < width_; ++t) {
        sub.start.push_back(state.w[j * width_ + t]);
        sub.correlation.push_back(state.correlation[t * A_->count + j]);
      }
    sub.lambda.resize(sub.set.size());
    sub.rho.resize(sub.set.size());
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

  std::unique_ptr<Columns> A_;
  Prox prox_;
  index_t width_;
  Target target_;
  ResidualState here_;
  Numbers origin_;  // correlations at zero, if products are available
  double energy_ = 0;
  bool has_products_ = false;
  GramCache gram_;
  DenseColumns* dense_;
  std::unique_ptr<PackedCache<float>> f32_;
  std::unique_ptr<PackedCache<double>> f64_;
  std::unique_ptr<SparseCache> sparse_;
};

}  // namespace learnable::coordinate
