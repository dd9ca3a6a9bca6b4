// Junction trees as flat arrays: one upward and one downward pass give the probability of the evidence and the
// posterior of every clique; eight rows go through the tree side by side.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "learnable/graphical/table_walk.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Cliques in an order in which each comes before its parent (-1: none). A clique begins with the variables that it
// shares with its parent, `separator` of them. Every variable has a home, a clique that holds it.
struct JunctionTree {
  View<const std::int64_t> start, scope, separator, parent, card, home;
  std::vector<index_t> table_start, message_start, state_start, message_size, block;
  std::vector<TableWalk> to_parent, to_variable;

  JunctionTree(View<const std::int64_t> start, View<const std::int64_t> scope, View<const std::int64_t> separator,
               View<const std::int64_t> parent, View<const std::int64_t> card, View<const std::int64_t> home)
      : start(start), scope(scope), separator(separator), parent(parent), card(card), home(home) {
    table_start.push_back(0), message_start.push_back(0), state_start.push_back(0);
    for (index_t c = 0; c < cliques(); ++c) {
      index_t shared = 1, rest = 1;
      for (index_t a = start[c]; a < start[c + 1]; ++a) (a - start[c] < separator[c] ? shared : rest) *= card[scope[a]];
      message_size.push_back(shared), block.push_back(rest);
      table_start.push_back(table_start.back() + shared * rest);
      message_start.push_back(message_start.back() + shared);
    }
    for (index_t c = 0; c < cliques(); ++c)
      to_parent.push_back(parent[c] < 0 ? TableWalk() : walk(parent[c], &scope[start[c]], separator[c]));
    for (index_t v = 0; v < variables(); ++v) {
      const std::int64_t self = v;
      to_variable.push_back(walk(home[v], &self, 1));
      state_start.push_back(state_start.back() + card[v]);
    }
  }

  index_t cliques() const { return parent.size; }
  index_t variables() const { return card.size; }
  index_t entries() const { return table_start.back(); }
  index_t states() const { return state_start.back(); }

  // The table of a clique beside a smaller one with these axes.
  TableWalk walk(index_t clique, const std::int64_t* axes, index_t count) const {
    TableWalk found;
    for (index_t a = start[clique]; a < start[clique + 1]; ++a) {
      index_t stride = 0, inner = 1;
      for (index_t k = count - 1; k >= 0; --k) {
        if (axes[k] == scope[a]) stride = inner;
        inner *= card[axes[k]];
      }
      found.append(card[scope[a]], stride);
    }
    found.finish();
    return found;
  }
};

inline double logarithm(double z) { return z > 0 ? std::log(z) : -std::numeric_limits<double>::infinity(); }
inline double reciprocal(double z) { return z > 0 ? 1 / z : 0; }
inline Lanes logarithm(Lanes z) {
  Lanes result;
  for (int i = 0; i < 8; ++i) result[i] = logarithm(z[i]);
  return result;
}
inline Lanes reciprocal(Lanes z) {
  Lanes result;
  for (int i = 0; i < 8; ++i) result[i] = reciprocal(z[i]);
  return result;
}

// The working memory of one pass over a tree, for one row (T = double) or eight.
template <class T>
struct TreePass {
  const JunctionTree& tree;
  std::vector<T> storage;
  T *table, *message, *small;

  TreePass(const JunctionTree& tree, index_t widest)
      : tree(tree), storage(tree.entries() + tree.message_start.back() + widest + 1), table(storage.data()),
        message(table + tree.entries()), small(message + tree.message_start.back()) {}

  // Enters the potentials and, of the variables in `evident`, the likelihood of each state.
  void enter(const double* potential, View<const std::int64_t> evident, const T* likelihood) {
    for (index_t i = 0; i < tree.entries(); ++i) table[i] = T{} + potential[i];
    for (index_t k = 0; k < evident.size; ++k) {
      const index_t v = evident[k];
      multiply_by(table + tree.table_start[tree.home[v]], tree.to_variable[v], likelihood + tree.state_start[v]);
    }
  }

  // Messages from the leaves to the roots; returns the log probability of the evidence.
  T collect() {
    T log_evidence{};
    for (index_t c = 0; c < tree.cliques(); ++c) {
      const T* entry = table + tree.table_start[c];
      T *sent = message + tree.message_start[c], total{};
      for (index_t s = 0; s < tree.message_size[c]; ++s, entry += tree.block[c]) {
        T sum{};
        for (index_t i = 0; i < tree.block[c]; ++i) sum += entry[i];
        sent[s] = sum;
        total += sum;
      }
      log_evidence += logarithm(total);
      const T scale = reciprocal(total);
      const index_t up = tree.parent[c];
      if (up < 0) {
        for (index_t i = tree.table_start[c]; i < tree.table_start[c + 1]; ++i) table[i] *= scale;
        continue;
      }
      for (index_t s = 0; s < tree.message_size[c]; ++s) small[s] = sent[s] * scale;
      multiply_by(table + tree.table_start[up], tree.to_parent[c], small);
    }
    return log_evidence;
  }

  // Messages from the roots to the leaves: every table becomes the posterior of its clique.
  void distribute() {
    for (index_t c = tree.cliques() - 1; c >= 0; --c) {
      const index_t up = tree.parent[c];
      if (up < 0) continue;
      const index_t shared = tree.message_size[c], rest = tree.block[c];
      sum_to(table + tree.table_start[up], tree.to_parent[c], small, shared);
      T* entry = table + tree.table_start[c];
      for (index_t s = 0; s < shared; ++s, entry += rest) {
        const T ratio = small[s] * reciprocal(message[tree.message_start[c] + s]);
        for (index_t i = 0; i < rest; ++i) entry[i] *= ratio;
      }
    }
  }

  void marginals(T* posterior) const {
    for (index_t v = 0; v < tree.variables(); ++v)
      sum_to(table + tree.table_start[tree.home[v]], tree.to_variable[v], posterior + tree.state_start[v],
             tree.card[v]);
  }
};

// The most probable states of all variables: messages of maxima upwards, choices downwards. Returns the logarithm of
// the unnormalised probability of the assignment.
inline double best_assignment(const JunctionTree& tree, TreePass<double>& pass, std::int64_t* state) {
  double log_best = 0;
  std::vector<index_t> choice(tree.message_start.back());
  for (index_t c = 0; c < tree.cliques(); ++c) {
    const double* entry = pass.table + tree.table_start[c];
    double scale = 0;
    for (index_t s = 0; s < tree.message_size[c]; ++s, entry += tree.block[c]) {
      const index_t best = std::max_element(entry, entry + tree.block[c]) - entry;
      choice[tree.message_start[c] + s] = best;
      pass.small[s] = entry[best];
      scale = std::max(scale, entry[best]);
    }
    log_best += logarithm(scale);
    if (tree.parent[c] < 0) continue;
    for (index_t s = 0; s < tree.message_size[c]; ++s) pass.small[s] *= reciprocal(scale);
    multiply_by(pass.table + tree.table_start[tree.parent[c]], tree.to_parent[c], pass.small);
  }
  for (index_t c = tree.cliques() - 1; c >= 0; --c) {
    index_t shared = 0;
    const index_t first = tree.start[c], middle = first + tree.separator[c];
    for (index_t a = first; a < middle; ++a) shared = shared * tree.card[tree.scope[a]] + state[tree.scope[a]];
    index_t rest = choice[tree.message_start[c] + shared];
    for (index_t a = tree.start[c + 1] - 1; a >= middle; --a) {
      state[tree.scope[a]] = rest % tree.card[tree.scope[a]];
      rest /= tree.card[tree.scope[a]];
    }
  }
  return log_best;
}

inline index_t widest_message(const JunctionTree& tree) {
  index_t widest = 1;
  for (index_t c = 0; c < tree.cliques(); ++c) widest = std::max(widest, tree.message_size[c]);
  return widest;
}

constexpr index_t lanes = 8;

// Rows go eight at a time through the passes of their thread: f(pass, rows of the group, first row, block).
template <class F>
void for_each_group(const JunctionTree& tree, const double* potential, View<const std::int64_t> evident,
                    Grid<const double> likelihood, const Blocks& blocks, F&& f) {
  const index_t widest = widest_message(tree);
  std::vector<std::unique_ptr<TreePass<Lanes>>> passes(threads_for(blocks.count));
  std::vector<std::vector<Lanes>> evidence(passes.size());
  parallel_for(blocks.count, [&](index_t block, int slot) {
    if (!passes[slot]) passes[slot] = std::make_unique<TreePass<Lanes>>(tree, widest);
    evidence[slot].resize(tree.states());
    for (index_t group = blocks.begin(block); group < blocks.end(block); ++group) {
      const index_t first = group * lanes, rows = std::min(lanes, likelihood.rows - first);
      for (index_t s = 0; s < tree.states(); ++s)
        for (index_t r = 0; r < lanes; ++r)
          evidence[slot][s][r] = likelihood.row(first + std::min(r, rows - 1))[s];
      passes[slot]->enter(potential, evident, evidence[slot].data());
      f(*passes[slot], rows, first, block, evidence[slot].data());
    }
  });
}

// Posteriors of all variables and the log probability of the evidence, for each row of likelihoods of states.
inline void propagate(const JunctionTree& tree, const double* potential, View<const std::int64_t> evident,
                      Grid<const double> likelihood, Grid<double> posterior, View<double> log_evidence) {
  if (likelihood.rows == 1) {
    TreePass<double> pass(tree, widest_message(tree));
    pass.enter(potential, evident, likelihood.row(0).data);
    log_evidence[0] = pass.collect();
    pass.distribute();
    pass.marginals(posterior.row(0).data);
    return;
  }
  const index_t groups = (likelihood.rows + lanes - 1) / lanes;
  const Blocks blocks(groups, std::max<index_t>(1, 100'000 / (tree.entries() + 1)));
  for_each_group(tree, potential, evident, likelihood, blocks,
                 [&](TreePass<Lanes>& pass, index_t rows, index_t first, index_t, Lanes* buffer) {
                   const Lanes logs = pass.collect();
                   pass.distribute();
                   pass.marginals(buffer);
                   for (index_t r = 0; r < rows; ++r) {
                     log_evidence[first + r] = logs[r];
                     for (index_t s = 0; s < tree.states(); ++s) posterior.row(first + r)[s] = buffer[s][r];
                   }
                 });
}

// Tables of the factors to be multiplied into, or summed out of, the cliques that hold their variables.
struct FamilyTables {
  View<const std::int64_t> start, scope, clique;
  std::vector<TableWalk> walks;
  std::vector<index_t> table_start{0};

  FamilyTables(const JunctionTree& tree, View<const std::int64_t> start, View<const std::int64_t> scope,
               View<const std::int64_t> clique)
      : start(start), scope(scope), clique(clique) {
    for (index_t f = 0; f < clique.size; ++f) {
      index_t size = 1;
      for (index_t a = start[f]; a < start[f + 1]; ++a) size *= tree.card[scope[a]];
      table_start.push_back(table_start.back() + size);
      walks.push_back(tree.walk(clique[f], scope.data + start[f], start[f + 1] - start[f]));
    }
  }
  index_t entries() const { return table_start.back(); }
};

inline void assemble(const JunctionTree& tree, const FamilyTables& families, const double* value, double* potential) {
  std::fill_n(potential, tree.entries(), 1.0);
  for (index_t f = 0; f < families.clique.size; ++f)
    multiply_by(potential + tree.table_start[families.clique[f]], families.walks[f], value + families.table_start[f]);
}

// Expected counts of every family, weighted by row; partial counts of fixed blocks of rows are added in their order.
inline void expected_counts(const JunctionTree& tree, const FamilyTables& families, const double* potential,
                            View<const std::int64_t> evident, Grid<const double> likelihood, View<const double> weight,
                            View<double> counts, View<double> log_evidence) {
  const index_t groups = (likelihood.rows + lanes - 1) / lanes, size = families.entries();
  const Blocks blocks(groups, (groups + 31) / 32);
  std::vector<double> partial(blocks.count * size);
  std::vector<std::vector<Lanes>> buffer(blocks.count);
  for_each_group(tree, potential, evident, likelihood, blocks,
                 [&](TreePass<Lanes>& pass, index_t rows, index_t first, index_t block, Lanes*) {
                   const Lanes logs = pass.collect();
                   pass.distribute();
                   Lanes weights{};
                   for (index_t r = 0; r < rows; ++r) {
                     log_evidence[first + r] = logs[r];
                     weights[r] = weight[first + r];
                   }
                   buffer[block].resize(size + 1);
                   for (index_t f = 0; f < families.clique.size; ++f) {
                     const index_t from = families.table_start[f], to = families.table_start[f + 1];
                     sum_to(pass.table + tree.table_start[families.clique[f]], families.walks[f],
                            buffer[block].data(), to - from);
                     for (index_t i = from; i < to; ++i) {
                       const Lanes share = buffer[block][i - from] * weights;
                       double total = 0;
                       for (index_t r = 0; r < lanes; ++r) total += share[r];
                       partial[block * size + i] += total;
                     }
                   }
                 });
  std::fill_n(counts.data, size, 0.0);
  for (index_t block = 0; block < blocks.count; ++block)
    for (index_t i = 0; i < size; ++i) counts[i] += partial[block * size + i];
}

}  // namespace learnable
