// Lasso and elastic net, one target or several, to a proven duality gap. In standardised terms:
//
//   minimise over w   |z - A w|^2 / 2  +  sum_j  lambda_j |w_j| + rho_j |w_j|^2 / 2,      |z| = 1, |a_j| = 1
//
// Working sets: solve on the few columns that matter, look at all columns once, add those that violate the optimality
// conditions, repeat. Every look is computed from w alone. [Massias, Gramfort and Salmon, 2018]
#pragma once

#include <cstdint>

#include "learnable/linear/lasso/coordinate_descent.hpp"
#include "learnable/linear/lasso/duality_gap.hpp"

namespace learnable::coordinate {

// How much care a problem needs: products of columns if it takes many passes and they can be had; columns in double
// precision if single does not get on.
enum class Care { little, more, most };

// How far a round goes: until the gap is `tolerance` or `limit` passes are done. A seed makes the order of columns random.
struct Effort {
  double tolerance;
  index_t limit;
  Care care = Care::little;
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
      narrow_ = std::make_unique<PackedStore<float>>(*dense_);
      wide_ = std::make_unique<PackedStore<double>>(*dense_);
    } else {
      sparse_ = std::make_unique<SparseStore>(static_cast<const SparseBase&>(*A_));
    }
  }

  const Columns& columns() const { return *A_; }
  const Prox& prox() const { return prox_; }
  const Target& target() const { return target_; }
  // Computes all products of columns, or takes them from the caller: looks then cost next to nothing.
  void know_products() {
    Indices all(A_->count);
    std::iota(all.begin(), all.end(), 0);
    gram_.admit(all);
    known_ = true;
  }
  void adopt(Grid<const double> products) {
    gram_.adopt(products);
    known_ = true;
  }
  // Whether that pays for so many looks: what the products cost is to be no more than 16 readings of the data a look.
  bool products_pay(index_t looks) const {
    const index_t n = A_->rows, p = A_->count;
    return n >= 2 * p && p <= 1024 && p * p * n <= 16 * looks * A_->entries();
  }
  bool known() const { return known_; }

  void aim(Grid<const double> y) {
    target_.aim(*A_, y);
    here_ = {}, origin_.clear();
    if (!known_ && products_pay(4)) know_products();
  }

  Penalty penalty(double l1, double l2) const { return {target_.norm > 0 ? l1 / target_.norm : 0, l2}; }

  // The smallest l1 at which all coefficients are zero.
  double strongest() {
    look_at(Numbers(width_ * A_->count));
    Numbers c(width_);
    double most = 0;
    for (index_t j = 0; j < A_->count; ++j) {
      if (A_->inverse_norm[j] == 0) continue;
      for (index_t t = 0; t < width_; ++t) c[t] = here_.slope[t * A_->count + j];
      most = std::max(most, prox_.size(c.data()) / A_->inverse_norm[j]);
    }
    return most * target_.norm;
  }

  // Residual and slopes at w (count, targets); what was seen last is remembered.
  const Look& look_at(const Numbers& w) {
    if (w != here_.w) {
      here_.w = w;
      see(here_);
    }
    return here_;
  }
  void see(Look& look) {
    if (!known_) return take_looks({{A_.get(), &target_, &look}});
    if (origin_.empty()) {
      Look zero{Numbers(width_ * A_->count), {}, {}};
      take_looks({{A_.get(), &target_, &zero}});
      origin_ = zero.slope, energy_ = zero.square;
    }
    see_by_products(look);
  }
  Gap measure(const Look& look, Penalty penalty) const { return gap(*A_, prox_, penalty, look); }

  // One round: choose a working set, descend on it, look at all columns.
  Round improve(Numbers& w, Penalty penalty, const Effort& effort) {
    const Gap before = measure(look_at(w), penalty);
    if (before.value <= effort.tolerance) return {before, 0, 0};
    auto [found, passes, size] = propose(here_, {penalty}, effort);
    w = std::move(found[0]);
    return {measure(look_at(w), penalty), passes[0], size};
  }

  struct Proposal {
    std::vector<Numbers> w;  // coefficients for each strength
    Indices passes;
    index_t size;  // of the working set
  };

  // Solves for each strength in turn on one working set, chosen from a look for the last of them.
  Proposal propose(const Look& from, const std::vector<Penalty>& strengths, const Effort& effort) {
    Subproblem sub = choose(from, strengths.back(), effort.seed);
    const Gap before = measure(from, strengths.front());
    sub.residual = before.residual;
    const double tolerance = std::max(effort.tolerance, 1e-4 * before.value);
    const std::unique_ptr<Model> model = model_of(sub, effort.care);
    return descend_all(*model, sub, from, strengths, tolerance, effort.limit);
  }

 private:
  // Products pay when the columns are few, or few beside the rows, or passes over them are many; else the columns
  // themselves are smaller.
  std::unique_ptr<Model> model_of(const Subproblem& sub, Care care) {
    const index_t size = index_t(sub.set.size());
    const bool few = dense_ ? size <= 256 || 16 * size <= A_->rows : size * size * A_->rows <= 1 << 22;
    const bool hard = care != Care::little && size <= widest_face && size * size <= (index_t(1) << 32) / A_->rows;
    const auto model = [&]<class Form>(auto& store, std::type_identity<Form>) -> std::unique_ptr<Model> {
      store.admit(sub.set);
      return std::make_unique<Form>(store, sub.set, width_, sub.slope);
    };
    if (few || hard || known_) return model(gram_, std::type_identity<GramModel>{});
    if (!dense_) return model(*sparse_, std::type_identity<SparseModel>{});
    if (care == Care::most) return model(*wide_, std::type_identity<PackedModel<double>>{});
    return model(*narrow_, std::type_identity<PackedModel<float>>{});
  }

  Proposal descend_all(Model& model, Subproblem& sub, const Look& from, const std::vector<Penalty>& strengths,
                       double tolerance, index_t limit) {
    Proposal result{{}, {}, index_t(sub.set.size())};
    for (const Penalty& penalty : strengths) {
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

  // With c the slopes at zero:  slope = c - A'A w,   |z - A w|^2 = |z|^2 - w . (c + slope).
  void see_by_products(Look& look) const {
    look.slope = origin_;
    look.square = energy_;
    for (const index_t j : support_of(look.w, width_))
      for (index_t t = 0; t < width_; ++t)
        gram_.subtract_row(j, look.w[j * width_ + t], &look.slope[t * A_->count]);
    for (const index_t j : support_of(look.w, width_))
      for (index_t t = 0; t < width_; ++t)
        look.square -= look.w[j * width_ + t] * (origin_[t * A_->count + j] + look.slope[t * A_->count + j]);
    look.square = std::max(look.square, 0.0);
  }

  // The support, and of the blocks at zero those that most want to leave it or nearly do: at most twice as many.
  Subproblem choose(const Look& look, Penalty penalty, std::uint64_t seed) const {
    Subproblem sub;
    std::vector<std::pair<double, index_t>> wanting;
    Numbers h(width_);
    for (index_t j = 0; j < A_->count; ++j) {
      if (A_->inverse_norm[j] == 0) continue;
      const double lambda = penalty.lambda(*A_, j);
      for (index_t t = 0; t < width_; ++t) h[t] = look.slope[t * A_->count + j];
      if (lambda == 0 || prox_.magnitude(&look.w[j * width_]) > 0) sub.set.push_back(j);
      else if (prox_.size(h.data()) > 0.95 * lambda) wanting.emplace_back(-prox_.size(h.data()) / lambda, j);
    }
    const std::size_t most = std::max<std::size_t>({std::size_t(A_->rows / 4), 64, 2 * sub.set.size()});
    if (wanting.size() > most) {
      std::nth_element(wanting.begin(), wanting.begin() + most, wanting.end());
      wanting.resize(most);
    }
    for (const auto& [score, j] : wanting) sub.set.push_back(j);
    std::sort(sub.set.begin(), sub.set.end());
    if (seed != 0) shuffle(sub.set, seed);
    for (const index_t j : sub.set)
      for (index_t t = 0; t < width_; ++t) {
        sub.start.push_back(look.w[j * width_ + t]);
        sub.slope.push_back(look.slope[t * A_->count + j]);
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
  Look here_;
  Numbers origin_;  // slopes at zero, where products are known
  double energy_ = 0;
  bool known_ = false;
  GramStore gram_;
  DenseColumns* dense_;
  std::unique_ptr<PackedStore<float>> narrow_;
  std::unique_ptr<PackedStore<double>> wide_;
  std::unique_ptr<SparseStore> sparse_;
};

}  // namespace learnable::coordinate
