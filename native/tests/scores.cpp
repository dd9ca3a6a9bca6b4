#include <algorithm>
#include <vector>

#include "check.hpp"
#include "learnable/stats/isotonic_regression.hpp"
#include "learnable/stats/log_loss.hpp"
#include "learnable/stats/ranking.hpp"

using namespace learnable;

namespace {

// Scores with many ties, both zeros, and both infinities; labels; weights some of which are zero.
struct Scored {
  std::vector<double> score, weight;
  std::vector<std::uint8_t> positive;

  explicit Scored(index_t n) {
    check::Draws draw{3};
    const double special[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e-310};
    for (index_t i = 0; i < n; ++i) {
      const double drawn = draw();
      score.push_back(i % 7 < 5 ? std::round(drawn * 20) / 20 : i % 7 == 5 ? special[i % 5] : drawn * 1e200);
      positive.push_back(draw() > 0.2);
      weight.push_back(i % 11 == 0 ? 0 : 1 + draw());
    }
  }
  index_t size() const { return index_t(score.size()); }
  View<const double> scores() const { return {score.data(), size()}; }
  View<const std::uint8_t> labels() const { return {positive.data(), size()}; }
  View<const double> weights() const { return {weight.data(), size()}; }
};

}  // namespace

TEST(keys_decrease_with_scores_and_are_invertible) {
  const double rising[] = {-HUGE_VAL, -1e300, -1, -1e-310, 0, 1e-310, 1, 1e300, HUGE_VAL};
  for (int i = 0; i < 9; ++i) {
    CHECK(score_of(descending_key(rising[i])) == rising[i]);
    if (i > 0) CHECK(descending_key(rising[i]) < descending_key(rising[i - 1]));
  }
  CHECK(descending_key(0.0) == descending_key(-0.0));
}

TEST(ranked_rows_are_those_of_a_stable_sort) {
  for (const index_t n : {1, 2, 25, 300, 200000}) {
    const Scored data(n);
    std::vector<index_t> order;
    for (index_t i = 0; i < n; ++i)
      if (data.weight[i] > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) { return data.score[a] > data.score[b]; });
    const std::vector<Ranked> sorted = ranked(data.scores(), data.labels(), data.weights());
    bool same = sorted.size() == order.size();
    for (std::size_t i = 0; same && i < order.size(); ++i) {
      const double signed_weight = data.positive[order[i]] ? data.weight[order[i]] : -data.weight[order[i]];
      same = score_of(sorted[i].key) == data.score[order[i]] && sorted[i].weight == signed_weight;
    }
    CHECK(same);
  }
  CHECK(ranked({}, {}, {}).empty());
}

TEST(area_is_the_weight_of_pairs_in_order) {
  const Scored data(400);
  double pairs = 0, positives = 0, negatives = 0;
  for (index_t i = 0; i < 400; ++i) {
    (data.positive[i] ? positives : negatives) += data.weight[i];
    for (index_t j = 0; j < 400; ++j)
      if (data.positive[i] && !data.positive[j]) {
        const double won = data.score[i] > data.score[j] ? 1 : data.score[i] == data.score[j] ? 0.5 : 0;
        pairs += won * data.weight[i] * data.weight[j];
      }
  }
  const RankedArea sum = ranked_area(ranked(data.scores(), data.labels(), data.weights()));
  CHECK(check::near(sum.area, pairs) && check::near(sum.positives, positives) && check::near(sum.negatives, negatives));
}

TEST(log_loss_is_the_sum_of_logarithms) {
  check::Draws draw{5};
  const index_t n = 5000;
  std::vector<double> P(2 * n), weight(n);
  std::vector<std::int64_t> codes(n);
  double plain = 0, weighted = 0;
  for (index_t i = 0; i < n; ++i) {
    P[2 * i + 1] = i == 7 ? 0 : (draw() + 1) / 2, P[2 * i] = 1 - P[2 * i + 1];
    codes[i] = i == 7 || draw() > 0, weight[i] = draw() + 1;
    const double clipped = std::clamp(P[2 * i + codes[i]], 1e-12, 1 - 1e-12);
    plain -= std::log(clipped), weighted -= weight[i] * std::log(clipped);
  }
  const View<const std::int64_t> truth{codes.data(), n};
  const LogLoss two = log_loss({P.data(), n, 2, 2}, truth, {}, 1e-12);
  CHECK(check::near(two.loss, plain) && two.max_sum_error < 1e-12 && two.lowest == 0 && two.highest == 1);
  CHECK(check::near(log_loss({P.data(), n, 2, 2}, truth, {weight.data(), n}, 1e-12).loss, weighted));
  CHECK(check::near(log_loss({P.data() + 1, n, 1, 2}, truth, {}, 1e-12).loss, plain));
  P[20] += 0.25;
  CHECK(check::near(log_loss({P.data(), n, 2, 2}, truth, {}, 1e-12).max_sum_error, 0.25));
}

TEST(pools_are_nondecreasing_and_keep_their_means) {
  check::Draws draw{9};
  const index_t n = 300;
  std::vector<double> y(n), weight(n), fitted(n);
  double sum = 0, kept = 0;
  for (index_t i = 0; i < n; ++i) y[i] = double(i) / n + 2 * draw(), weight[i] = 1.1 + draw();
  pool_adjacent_violators({y.data(), n}, {weight.data(), n}, {fitted.data(), n});
  // Optimal: pools are constant, their means fit, and no initial part of a pool lies above its mean.
  for (index_t i = 0, begin = 0; i < n; ++i) {
    if (i > 0) CHECK(fitted[i] >= fitted[i - 1]);
    if (i > 0 && fitted[i] != fitted[i - 1]) begin = i, sum = kept = 0;
    sum += weight[i] * y[i], kept += weight[i];
    CHECK(sum / kept >= fitted[i] - 1e-9);
    if (i + 1 == n || fitted[i + 1] != fitted[i]) CHECK(check::near(sum / kept, fitted[i], 1e-9) && begin <= i);
  }
}
