// Factors of matrices: nonnegative ones, sparse codes, ratings, topics and word vectors.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "learnable/factors/best_columns.hpp"
#include "learnable/factors/corated_similarity.hpp"
#include "learnable/factors/normal_rows.hpp"
#include "learnable/factors/ratings_sgd.hpp"
#include "learnable/factors/sparse_codes.hpp"
#include "learnable/factors/topics.hpp"
#include "learnable/factors/word_vectors.hpp"

namespace learnable::bind {

using Starts = Vector<std::int64_t>;
using Indices = Vector<std::int32_t>;
using Reals = Vector<double>;
using Factors = RowsOut<double>;

static index_t count(const auto& array, int axis = 0) { return index_t(array.shape(axis)); }

static void check_starts(const Starts& start, index_t entries) {
  const View<const std::int64_t> from = view(start);
  require(from.size >= 1 && from[0] == 0 && from[from.size - 1] == entries, "start must begin at 0 and end at the entries");
  for (index_t i = 0; i + 1 < from.size; ++i) require(from[i] <= from[i + 1], "start must not decrease");
}

static void check_indices(const Indices& index, index_t below) {
  for (const std::int32_t i : view(index)) require(i >= 0 && i < below, "an index is out of range");
}

static SparseEntries entries_of(const Starts& start, const Indices& index, const Reals& value, index_t columns) {
  require(count(index) == count(value), "index and value need an entry each");
  check_starts(start, count(index));
  check_indices(index, columns);
  return {view(start), view(index), view(value)};
}

static Grid<const double> square_of(const Rows<double>& G, index_t size) {
  require(count(G) == size && count(G, 1) == size, "the matrix must be square, with a row for each factor");
  return view(G);
}

static void check_same(const auto& one, const auto& other, const char* rule) {
  require(one.shape(0) == other.shape(0) && one.shape(1) == other.shape(1), rule);
}

static double bound_nonnegative_sweep(const Rows<double>& G, const Rows<double>& B, const Indices& order, int sweeps,
                                      double ratio, bool exact, const Factors& W) {
  const Grid<const double> gram = square_of(G, count(W, 1));
  check_same(B, W, "B must have the shape of W");
  check_indices(order, count(W, 1));
  nb::gil_scoped_release release;
  return nonnegative_sweep(gram, view(B), view(order), sweeps, ratio, exact, view(W));
}

static void bound_entry_products(const Starts& start, const Indices& index, const Rows<double>& W, const Rows<double>& H,
                                 const VectorOut<double>& out) {
  require(count(start) == count(W) + 1 && count(out) == count(index) && W.shape(1) == H.shape(1),
          "start needs a row of W each, out an entry each, and H the columns of W");
  check_starts(start, count(index));
  check_indices(index, count(H));
  nb::gil_scoped_release release;
  entry_products(view(start), view(index), view(W), view(H), view(out));
}

static void bound_solve_rows(const Starts& start, const Indices& index, const Reals& value, const Reals& weight,
                             const Rows<double>& base, double per_entry, const Rows<double>& V, const std::string& solver,
                             int steps, const Factors& U) {
  const SparseEntries entries = entries_of(start, index, value, count(V));
  require(entries.rows() == count(U) && U.shape(1) == V.shape(1), "U needs a row for each row, and the columns of V");
  require(count(weight) == 0 || count(weight) == count(index), "weight needs no entry or one each");
  const Grid<const double> first = square_of(base, count(V, 1));
  require(solver == "cholesky" || solver == "gradients" || solver == "nonnegative", "the solver is not known");
  const RowSolver how = solver == "cholesky"    ? RowSolver::cholesky
                        : solver == "gradients" ? RowSolver::gradients
                                                : RowSolver::nonnegative;
  const View<const double> weights = count(weight) ? view(weight) : View<const double>{};
  nb::gil_scoped_release release;
  solve_rows({entries, weights, first, per_entry}, view(V), how, steps, view(U));
}

static index_t bound_batch_omp(const Rows<double>& G, const Rows<double>& products, const Reals& square, index_t most,
                               double tolerance, const Factors& codes) {
  const Grid<const double> gram = square_of(G, count(codes, 1));
  check_same(products, codes, "codes must have the shape of products");
  require(count(square) == count(products) && most >= 1 && most <= count(codes, 1),
          "square needs an entry for each row, and most lies between 1 and the number of atoms");
  nb::gil_scoped_release release;
  return batch_omp(gram, view(products), view(square), most, tolerance, view(codes));
}

static double bound_batch_lasso(const Rows<double>& G, const Rows<double>& products, double alpha, bool positive,
                                int sweeps, double tolerance, const Factors& codes) {
  const Grid<const double> gram = square_of(G, count(codes, 1));
  check_same(products, codes, "codes must have the shape of products");
  nb::gil_scoped_release release;
  return batch_lasso(gram, view(products), alpha, positive, sweeps, tolerance, view(codes));
}

static Ratings ratings_of(const Indices& user, const Indices& item, const Reals& value, const Reals& weight, index_t users,
                          index_t items) {
  require(count(user) == count(value) && count(item) == count(value), "each rating needs a user and an item");
  require(count(weight) == 0 || count(weight) == count(value), "weight needs no entry or one each");
  check_indices(user, users);
  check_indices(item, items);
  return {view(user), view(item), view(value), count(weight) ? view(weight) : View<const double>{}};
}

static RatingModel model_of(double mean, const VectorOut<double>& user_bias, const VectorOut<double>& item_bias,
                            const Factors& user_factors, const Factors& item_factors) {
  require(user_bias.shape(0) == user_factors.shape(0) && item_bias.shape(0) == item_factors.shape(0) &&
              user_factors.shape(1) == item_factors.shape(1),
          "factors and biases need a row for each user and item");
  return {mean, view(user_bias), view(item_bias), view(user_factors), view(item_factors)};
}

static double bound_ratings_epoch(const Indices& user, const Indices& item, const Reals& value, const Reals& weight,
                                  const Starts& tile, index_t side, index_t first, double rate, double bias_penalty,
                                  double factor_penalty, bool biased, double mean, const VectorOut<double>& user_bias,
                                  const VectorOut<double>& item_bias, const Factors& user_factors,
                                  const Factors& item_factors) {
  const RatingModel model = model_of(mean, user_bias, item_bias, user_factors, item_factors);
  const Ratings ratings = ratings_of(user, item, value, weight, count(user_factors), count(item_factors));
  require(side >= 1 && first >= 0 && count(tile) == side * side + 1, "there are side times side tiles");
  check_starts(tile, count(value));
  nb::gil_scoped_release release;
  return ratings_epoch(ratings, view(tile), side, first, {rate, bias_penalty, factor_penalty, biased}, model);
}

static double bound_implicit_epoch(const Starts& start, const Indices& order, const Indices& user, const Indices& item,
                                   const Reals& value, const Reals& weight, double rate, double bias_penalty,
                                   double factor_penalty, double mean, const VectorOut<double>& user_bias,
                                   const VectorOut<double>& item_bias, const Factors& user_factors,
                                   const Factors& item_factors, const Factors& implicit) {
  const RatingModel model = model_of(mean, user_bias, item_bias, user_factors, item_factors);
  const Ratings ratings = ratings_of(user, item, value, weight, count(user_factors), count(item_factors));
  require(count(start) == count(user_factors) + 1, "start needs an entry for each user");
  check_starts(start, count(value));
  check_indices(order, count(user_factors));
  check_same(implicit, item_factors, "implicit must have the shape of item_factors");
  nb::gil_scoped_release release;
  return implicit_ratings_epoch(ratings, view(start), view(order), {rate, bias_penalty, factor_penalty, true}, model,
                                view(implicit));
}

static index_t bound_ranking_epoch(const Starts& start, const Indices& index, const Indices& row, std::uint64_t seed,
                                   index_t steps, double rate, double penalty, const VectorOut<double>& user_bias,
                                   const VectorOut<double>& item_bias, const Factors& user_factors,
                                   const Factors& item_factors) {
  const RatingModel model = model_of(0, user_bias, item_bias, user_factors, item_factors);
  require(count(start) == count(user_factors) + 1 && count(row) == count(index), "each entry needs its row");
  require(count(index) < (index_t(1) << 31) && count(index) > 0, "entries are needed, and less than 2^31");
  check_starts(start, count(index));
  check_indices(index, count(item_factors));
  check_indices(row, count(user_factors));
  nb::gil_scoped_release release;
  return ranking_epoch({view(start), view(index), {}}, view(row), seed, steps, rate, penalty, model);
}

static void bound_best_columns(const Rows<double>& scores, const RowsOut<std::int64_t>& best) {
  require(count(best) == count(scores) && count(best, 1) <= count(scores, 1),
          "best needs a row each, and at most as many columns as scores");
  nb::gil_scoped_release release;
  best_columns(view(scores), view(best));
}

static void bound_corated_similarity(const Starts& start, const Indices& index, const Reals& value,
                                     const Starts& column_start, const Indices& column_index, const Reals& column_value,
                                     const Starts& which, const std::string& kind, double shrinkage, double least,
                                     const Factors& out) {
  const index_t rows = count(start) - 1, columns = count(column_start) - 1;
  const SparseEntries by_row = entries_of(start, index, value, columns);
  const SparseEntries by_column = entries_of(column_start, column_index, column_value, rows);
  require(count(out) == count(which) && count(out, 1) == rows, "out needs a row each, and a column for each row");
  for (const std::int64_t i : view(which)) require(i >= 0 && i < rows, "a row is out of range");
  const bool pearson = kind == "pearson", cosine = kind == "cosine", jaccard = kind == "jaccard";
  require(pearson || cosine || jaccard || kind == "corated_cosine", "the similarity is not known");
  const Similarity how = pearson   ? Similarity::pearson
                         : cosine  ? Similarity::cosine
                         : jaccard ? Similarity::jaccard
                                   : Similarity::corated_cosine;
  nb::gil_scoped_release release;
  corated_similarity(by_row, by_column, view(which), how, shrinkage, least, view(out));
}

static void bound_neighbour_sums(const Rows<double>& similarity, const Starts& column_start, const Indices& column_index,
                                 const Reals& column_value, const Starts& row, const Starts& column, index_t most,
                                 double least, const Factors& out) {
  const SparseEntries columns = entries_of(column_start, column_index, column_value, count(similarity, 1));
  require(count(row) == count(column) && count(out) == count(row) && count(out, 1) == 3, "out needs three numbers each");
  for (const std::int64_t i : view(row)) require(i >= 0 && i < count(similarity), "a row is out of range");
  for (const std::int64_t c : view(column)) require(c >= 0 && c < columns.rows(), "a column is out of range");
  nb::gil_scoped_release release;
  neighbour_sums(view(similarity), columns, view(row), view(column), most, least, view(out));
}

static void bound_topic_posteriors(const Starts& start, const Indices& index, const Reals& value,
                                   const Rows<double>& words, double prior, double tolerance, int most,
                                   const Factors& gamma, const Factors& weights, const VectorOut<double>& ratio) {
  const SparseEntries documents = entries_of(start, index, value, count(words));
  require(documents.rows() == count(gamma) && gamma.shape(1) == words.shape(1) && count(ratio) == count(value),
          "gamma needs a row for each document, and ratio an entry each");
  check_same(weights, gamma, "weights must have the shape of gamma");
  nb::gil_scoped_release release;
  topic_posteriors(documents, view(words), {prior, tolerance, most, 2.220446049250313e-16}, view(gamma), view(weights),
                   view(ratio));
}

static void bound_gibbs_topics(const Indices& document, const Indices& word, double prior, double word_prior,
                               std::uint64_t seed, const VectorOut<std::int32_t>& topic, const Factors& by_document,
                               const Factors& by_word, const VectorOut<double>& total) {
  require(count(document) == count(word) && count(topic) == count(word), "each token needs a document and a topic");
  require(by_document.shape(1) == by_word.shape(1) && total.shape(0) == by_word.shape(1), "one column for each topic");
  check_indices(document, count(by_document));
  check_indices(word, count(by_word));
  for (const std::int32_t k : view(topic)) require(k >= 0 && k < count(total), "a topic is out of range");
  nb::gil_scoped_release release;
  gibbs_topics(view(document), view(word), prior, word_prior, seed, view(topic), view(by_document), view(by_word),
               view(total));
}

static double bound_skipgram_epoch(const Indices& tokens, const Starts& start, const Reals& keep, const Reals& reached,
                                   int window, int negatives, double first_rate, double last_rate, std::uint64_t seed,
                                   const Factors& vectors, const Factors& contexts) {
  check_same(vectors, contexts, "contexts must have the shape of vectors");
  require(count(keep) == count(vectors) && count(reached) == count(vectors), "keep and reached need an entry for each word");
  check_starts(start, count(tokens));
  check_indices(tokens, count(vectors));
  nb::gil_scoped_release release;
  return skipgram_epoch(view(tokens), view(start), view(keep), view(reached),
                        {window, negatives, first_rate, last_rate, seed}, view(vectors), view(contexts));
}

static double bound_glove_epoch(const Indices& row, const Indices& column, const Reals& target, const Reals& weight,
                                double rate, const Factors& words, const Factors& contexts,
                                const VectorOut<double>& word_bias, const VectorOut<double>& context_bias,
                                const Factors& word_squares, const Factors& context_squares) {
  check_same(words, contexts, "contexts must have the shape of words");
  check_same(word_squares, context_squares, "both sums of squares have one shape");
  require(count(word_squares) == count(words) && count(word_squares, 1) == count(words, 1) + 1 &&
              count(word_bias) == count(words) && count(context_bias) == count(words),
          "biases and sums of squares need an entry for each word");
  require(count(row) == count(target) && count(column) == count(target) && count(weight) == count(target),
          "each entry needs a row, a column, a target and a weight");
  check_indices(row, count(words));
  check_indices(column, count(words));
  nb::gil_scoped_release release;
  return glove_epoch(view(row), view(column), view(target), view(weight), rate,
                     {view(words), view(contexts), view(word_bias), view(context_bias), view(word_squares),
                      view(context_squares)});
}

}  // namespace learnable::bind

void bind_factors(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("nonnegative_sweep", &bound_nonnegative_sweep, "G"_a.noconvert(), "B"_a.noconvert(), "order"_a.noconvert(),
        "sweeps"_a, "ratio"_a, "exact"_a, "W"_a.noconvert(),
        "nonnegative_sweep(G, B, order, sweeps, ratio, exact, W) -> sum of the projected derivatives of the first pass; up to "
        "sweeps passes of coordinate descent for each row w of W on w'Gw / 2 - b.w over w >= 0.");
  m.def("entry_products", &bound_entry_products, "start"_a.noconvert(), "index"_a.noconvert(), "W"_a.noconvert(),
        "H"_a.noconvert(), "out"_a.noconvert(),
        "entry_products(start, index, W, H, out) -> None; writes W_i . H_j for each entry (i, j) of a sparse matrix.");
  m.def("solve_rows", &bound_solve_rows, "start"_a.noconvert(), "index"_a.noconvert(), "value"_a.noconvert(),
        "weight"_a.noconvert(), "base"_a.noconvert(), "per_entry"_a, "V"_a.noconvert(), "solver"_a, "steps"_a,
        "U"_a.noconvert(),
        "solve_rows(start, index, value, weight, base, per_entry, V, solver, steps, U) -> None; row i of U solves (base + "
        "per_entry n + sum of weight v v') u = sum of value v over the n entries of the row: by cholesky, some steps of "
        "conjugate gradients, or some passes of coordinate descent over u >= 0 (nonnegative).");
  m.def("batch_omp", &bound_batch_omp, "G"_a.noconvert(), "products"_a.noconvert(), "square"_a.noconvert(), "most"_a,
        "tolerance"_a, "codes"_a.noconvert(),
        "batch_omp(G, products, square, most, tolerance, codes) -> number of signals whose pursuit ended early, at "
        "dependent atoms; writes codes of at most `most` atoms, or with a squared residual of at most tolerance (if >= 0).");
  m.def("batch_lasso", &bound_batch_lasso, "G"_a.noconvert(), "products"_a.noconvert(), "alpha"_a, "positive"_a,
        "sweeps"_a, "tolerance"_a, "codes"_a.noconvert(),
        "batch_lasso(G, products, alpha, positive, sweeps, tolerance, codes) -> largest relative violation of the "
        "optimality conditions; each row of codes goes from where it is to the lasso solution.");
  m.def("ratings_epoch", &bound_ratings_epoch, "user"_a.noconvert(), "item"_a.noconvert(), "value"_a.noconvert(),
        "weight"_a.noconvert(), "tile"_a.noconvert(), "side"_a, "first"_a, "rate"_a, "bias_penalty"_a, "factor_penalty"_a,
        "biased"_a, "mean"_a, "user_bias"_a.noconvert(), "item_bias"_a.noconvert(), "user_factors"_a.noconvert(),
        "item_factors"_a.noconvert(),
        "ratings_epoch(user, item, value, weight, tile, side, first, rate, bias_penalty, factor_penalty, biased, mean, "
        "user_bias, item_bias, user_factors, item_factors) -> sum of squared errors before each step; one gradient step "
        "for each rating.");
  m.def("implicit_ratings_epoch", &bound_implicit_epoch, "start"_a.noconvert(), "order"_a.noconvert(),
        "user"_a.noconvert(), "item"_a.noconvert(), "value"_a.noconvert(), "weight"_a.noconvert(), "rate"_a,
        "bias_penalty"_a, "factor_penalty"_a, "mean"_a, "user_bias"_a.noconvert(), "item_bias"_a.noconvert(),
        "user_factors"_a.noconvert(), "item_factors"_a.noconvert(), "implicit"_a.noconvert(),
        "implicit_ratings_epoch(start, order, user, item, value, weight, rate, bias_penalty, factor_penalty, mean, "
        "user_bias, item_bias, user_factors, item_factors, implicit) -> sum of squared errors before each step of SVD++.");
  m.def("ranking_epoch", &bound_ranking_epoch, "start"_a.noconvert(), "index"_a.noconvert(), "row"_a.noconvert(),
        "seed"_a, "steps"_a, "rate"_a, "penalty"_a, "user_bias"_a.noconvert(), "item_bias"_a.noconvert(),
        "user_factors"_a.noconvert(), "item_factors"_a.noconvert(),
        "ranking_epoch(start, index, row, seed, steps, rate, penalty, user_bias, item_bias, user_factors, item_factors) -> "
        "number of random pairs in the right order; a step of Bayesian personalised ranking for each.");
  m.def("best_columns", &bound_best_columns, "scores"_a.noconvert(), "best"_a.noconvert(),
        "best_columns(scores, best) -> None; the columns of the largest entries of each row, the largest first.");
  m.def("corated_similarity", &bound_corated_similarity, "start"_a.noconvert(), "index"_a.noconvert(),
        "value"_a.noconvert(), "column_start"_a.noconvert(), "column_index"_a.noconvert(), "column_value"_a.noconvert(),
        "which"_a.noconvert(), "kind"_a, "shrinkage"_a, "least"_a, "out"_a.noconvert(),
        "corated_similarity(start, index, value, column_start, column_index, column_value, which, kind, shrinkage, least, "
        "out) -> None; writes the similarity of some rows of a sparse matrix to all rows.");
  m.def("neighbour_sums", &bound_neighbour_sums, "similarity"_a.noconvert(), "column_start"_a.noconvert(),
        "column_index"_a.noconvert(), "column_value"_a.noconvert(), "row"_a.noconvert(), "column"_a.noconvert(), "most"_a,
        "least"_a, "out"_a.noconvert(),
        "neighbour_sums(similarity, column_start, column_index, column_value, row, column, most, least, out) -> None; for "
        "each pair, over the most similar rows with an entry in the column: the sum of similarity times value, of "
        "|similarity|, and their number.");
  m.def("topic_posteriors", &bound_topic_posteriors, "start"_a.noconvert(), "index"_a.noconvert(), "value"_a.noconvert(),
        "words"_a.noconvert(), "prior"_a, "tolerance"_a, "most"_a, "gamma"_a.noconvert(), "weights"_a.noconvert(),
        "ratio"_a.noconvert(),
        "topic_posteriors(start, index, value, words, prior, tolerance, most, gamma, weights, ratio) -> None; moves gamma, "
        "the Dirichlet parameters of the topics of each document, to a fixed point, and writes exp(E log theta) and count "
        "/ norm of each entry.");
  m.def("gibbs_topics", &bound_gibbs_topics, "document"_a.noconvert(), "word"_a.noconvert(), "prior"_a, "word_prior"_a,
        "seed"_a, "topic"_a.noconvert(), "by_document"_a.noconvert(), "by_word"_a.noconvert(), "total"_a.noconvert(),
        "gibbs_topics(document, word, prior, word_prior, seed, topic, by_document, by_word, total) -> None; one pass of "
        "collapsed Gibbs sampling over the topics of all tokens.");
  m.def("skipgram_epoch", &bound_skipgram_epoch, "tokens"_a.noconvert(), "start"_a.noconvert(), "keep"_a.noconvert(),
        "reached"_a.noconvert(), "window"_a, "negatives"_a, "first_rate"_a, "last_rate"_a, "seed"_a,
        "vectors"_a.noconvert(), "contexts"_a.noconvert(),
        "skipgram_epoch(tokens, start, keep, reached, window, negatives, first_rate, last_rate, seed, vectors, contexts) -> "
        "sum of the losses; a gradient step for each pair of nearby words, against random ones.");
  m.def("glove_epoch", &bound_glove_epoch, "row"_a.noconvert(), "column"_a.noconvert(), "target"_a.noconvert(),
        "weight"_a.noconvert(), "rate"_a, "words"_a.noconvert(), "contexts"_a.noconvert(), "word_bias"_a.noconvert(),
        "context_bias"_a.noconvert(), "word_squares"_a.noconvert(), "context_squares"_a.noconvert(),
        "glove_epoch(row, column, target, weight, rate, words, contexts, word_bias, context_bias, word_squares, "
        "context_squares) -> sum of the weighted squares before each step of AdaGrad.");
}
