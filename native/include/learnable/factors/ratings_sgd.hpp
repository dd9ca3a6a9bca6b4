// Stochastic gradient descent on ratings: one step for each rating, in an order that does not depend on threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/manifold/sampled_layout.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

struct Ratings {
  View<const std::int32_t> user, item;
  View<const double> value, weight;  // weight empty: one
};

struct RatingModel {
  double mean;
  View<double> user_bias, item_bias;
  Grid<double> user_factors, item_factors;
};

struct RatingSteps {
  double rate, bias_penalty, factor_penalty;
  bool biased;
};

namespace detail {

// Steps along the gradients of the ratings [begin, end); returns the weighted sum of squared errors before them.
inline double rating_steps(const Ratings& ratings, std::int64_t begin, std::int64_t end, const RatingSteps& how,
                           const RatingModel& model) {
  const index_t K = model.user_factors.columns;
  double squares = 0;
  for (std::int64_t r = begin; r < end; ++r) {
    const index_t u = ratings.user[r], i = ratings.item[r];
    double* p = model.user_factors.data + u * model.user_factors.stride;
    double* q = model.item_factors.data + i * model.item_factors.stride;
    const double weight = ratings.weight ? ratings.weight[r] : 1.0;
    const double error =
        ratings.value[r] - (model.mean + model.user_bias[u] + model.item_bias[i] + inner(p, q, K));
    squares += weight * error * error;
    const double step = how.rate * weight, shrink = step * how.factor_penalty;
    if (how.biased) {
      model.user_bias[u] += step * (error - how.bias_penalty * model.user_bias[u]);
      model.item_bias[i] += step * (error - how.bias_penalty * model.item_bias[i]);
    }
    Lanes along = {}, keep = {};
    along += step * error;
    keep += 1 - shrink;
    index_t k = 0;
    for (; k + lanes <= K; k += lanes) {
      const Lanes old_p = load(p + k), old_q = load(q + k);
      store(p + k, fused(along, old_q, keep * old_p));
      store(q + k, fused(along, old_p, keep * old_q));
    }
    for (; k < K; ++k) {
      const double old_p = p[k], old_q = q[k];
      p[k] = fused(step * error, old_q, (1 - shrink) * old_p);
      q[k] = fused(step * error, old_p, (1 - shrink) * old_q);
    }
  }
  return squares;
}

}  // namespace detail

// One step for each rating. Ratings lie in side x side tiles, `tile` holding where each begins: tiles of one round share
// neither users nor items, so that threads may take them in any order. Returns the sum of squared errors.
inline double ratings_epoch(const Ratings& ratings, View<const std::int64_t> tile, index_t side, index_t first,
                            const RatingSteps& how, const RatingModel& model) {
  double total = 0;
  std::vector<double> squares(static_cast<std::size_t>(side));
  for (index_t round = 0; round < side; ++round) {
    const index_t shift = (first + round) % side;
    parallel_for(side, [&](index_t block, int) {
      const index_t here = shift * side + block;
      squares[block] = detail::rating_steps(ratings, tile[here], tile[here + 1], how, model);
    });
    for (const double one : squares) total += one;
  }
  return total;
}

// An epoch of SVD++: ratings are by user, those of user u at [start[u], start[u + 1]); a user is described by p and the
// sum of the implicit factors of the items rated, over the root of their number. Returns the sum of squared errors.
inline double implicit_ratings_epoch(const Ratings& ratings, View<const std::int64_t> start,
                                     View<const std::int32_t> users, const RatingSteps& how, const RatingModel& model,
                                     Grid<double> implicit) {
  const index_t K = model.user_factors.columns;
  std::vector<double> sum(static_cast<std::size_t>(K)), whole(static_cast<std::size_t>(K)), push(static_cast<std::size_t>(K));
  double squares = 0;
  index_t done = 0;
  for (const std::int32_t u : users) {
    const std::int64_t begin = start[u], end = start[u + 1];
    if (begin == end) continue;
    if (++done % 64 == 0) poll_interrupt();
    const double norm = 1 / std::sqrt(double(end - begin));
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(push.begin(), push.end(), 0.0);
    for (std::int64_t r = begin; r < end; ++r)
      add_scaled(norm, implicit.data + ratings.item[r] * implicit.stride, sum.data(), K);
    double* p = model.user_factors.data + u * model.user_factors.stride;
    double& bias = model.user_bias[u];
    double shrink = 1;
    for (std::int64_t r = begin; r < end; ++r) {
      const index_t i = ratings.item[r];
      double* q = model.item_factors.data + i * model.item_factors.stride;
      for (index_t k = 0; k < K; ++k) whole[k] = p[k] + sum[k];
      const double weight = ratings.weight ? ratings.weight[r] : 1.0;
      const double error = ratings.value[r] - (model.mean + bias + model.item_bias[i] + inner(q, whole.data(), K));
      squares += weight * error * error;
      const double step = how.rate * weight;
      bias += step * (error - how.bias_penalty * bias);
      model.item_bias[i] += step * (error - how.bias_penalty * model.item_bias[i]);
      shrink *= 1 - step * how.factor_penalty;
      for (index_t k = 0; k < K; ++k) {
        push[k] += step * error * q[k];
        const double old = p[k];
        p[k] += step * (error * q[k] - how.factor_penalty * old);
        q[k] += step * (error * whole[k] - how.factor_penalty * q[k]);
      }
    }
    for (std::int64_t r = begin; r < end; ++r) {
      double* y = implicit.data + ratings.item[r] * implicit.stride;
      for (index_t k = 0; k < K; ++k) y[k] = shrink * y[k] + norm * push[k];
    }
  }
  return squares;
}

// Steps of Bayesian personalised ranking: for a random entry (u, i) and a random item j that u has not, up the gradient
// of log sigmoid(x_ui - x_uj), where x = bias + p.q. Returns how many of the pairs were in the right order.
inline index_t ranking_epoch(const SparseEntries& seen, View<const std::int32_t> row, std::uint64_t seed, index_t steps,
                             double rate, double penalty, const RatingModel& model) {
  const index_t K = model.user_factors.columns, items = model.item_factors.rows;
  const std::uint64_t entries = std::uint64_t(seen.index.size);
  std::vector<double> apart(static_cast<std::size_t>(K));
  index_t right = 0;
  for (index_t s = 0; s < steps; ++s) {
    if (s % 4096 == 0) poll_interrupt();
    std::uint64_t key = detail::mixed_bits(seed ^ detail::mixed_bits(std::uint64_t(s)));
    const index_t e = index_t((key >> 32) * entries >> 32);
    const index_t u = row[e], i = seen.index[e];
    const std::int32_t *from = seen.index.data + seen.start[u], *to = seen.index.data + seen.start[u + 1];
    if (to - from >= items) continue;
    index_t j;
    do {
      key = detail::mixed_bits(key);
      j = index_t((key >> 32) * std::uint64_t(items) >> 32);
    } while (std::binary_search(from, to, std::int32_t(j)));
    double* p = model.user_factors.data + u * model.user_factors.stride;
    double* qi = model.item_factors.data + i * model.item_factors.stride;
    double* qj = model.item_factors.data + j * model.item_factors.stride;
    for (index_t k = 0; k < K; ++k) apart[k] = qi[k] - qj[k];
    const double margin = model.item_bias[i] - model.item_bias[j] + inner(p, apart.data(), K);
    right += margin > 0;
    const double slack = rate / (1 + std::exp(margin));
    model.item_bias[i] += slack - rate * penalty * model.item_bias[i];
    model.item_bias[j] -= slack + rate * penalty * model.item_bias[j];
    for (index_t k = 0; k < K; ++k) {
      const double old = p[k];
      p[k] += slack * apart[k] - rate * penalty * old;
      qi[k] += slack * old - rate * penalty * qi[k];
      qj[k] -= slack * old + rate * penalty * qj[k];
    }
  }
  return right;
}

}  // namespace learnable
