// Recurrent layers: blocks of rows go through all steps, each by itself.
//
// The weights of a layer are the rows for the inputs x and those for the states h, one matrix (channels + units,
// gates * units), and then the intercepts: a step multiplies [x_t, h_{t-1}] by it. The new state of a GRU has the product
// [x_t, r h_{t-1}], so that its columns are a group of their own.
#pragma once

#include "learnable/network/sequence_layer.hpp"

namespace learnable::network {

enum class Cell { rnn, gru, lstm };

template <class T>
class RecurrentLayer final : public SequenceLayer<T> {
 public:
  RecurrentLayer(Cell cell, index_t steps, index_t channels, index_t units, bool sequences, index_t most_rows, bool derivatives)
      : cell_(cell), steps_(steps), channels_(channels), units_(units), sequences_(sequences), kept_(derivatives) {
    wide_ = units * (cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1);
    if (cell == Cell::gru) {
      groups_.emplace_back(0, 2 * units);
      groups_.emplace_back(2 * units, units);
    } else {
      groups_.emplace_back(0, wide_);
    }
    const index_t all = derivatives ? most_rows * steps : 0;
    for (Group& group : groups_) {
      group.panels = Memory<T>(entries() * padded<T>(group.columns));
      if (!derivatives) continue;
      group.to_inputs = Memory<T>(group.columns * padded<T>(channels));
      group.to_states = Memory<T>(group.columns * padded<T>(units));
      group.inputs = Memory<T>(all * entries());
      group.gates = Memory<T>(all * group.columns);
    }
    cells_ = Memory<T>(cell == Cell::lstm ? all * units : 0);
  }

  void load(const T* weights) override {
    intercepts_ = weights + entries() * wide_;
    for (Group& group : groups_) {
      const T *first = weights + group.first, *hidden = first + channels_ * wide_;
      pack_part(first, wide_, entries(), group.columns, group.panels.data());
      if (!kept_) continue;
      pack_transposed(first, wide_, channels_, group.columns, group.to_inputs.data());
      pack_transposed(hidden, wide_, units_, group.columns, group.to_states.data());
    }
  }

  void forward(const T* x, index_t begin, index_t end, const unsigned char* mask, T* y) override {
    const index_t rows = end - begin;
    const Memory<T> inputs(rows * entries()), reset(rows * entries()), gates(rows * wide_), news(rows * units_);
    const Memory<T> states(rows * units_), contents(rows * units_);
    std::fill_n(states.data(), rows * units_, T(0));
    std::fill_n(contents.data(), rows * units_, T(0));
    for (index_t t = 0; t < steps_; ++t) {
      const index_t at = begin * steps_ + t * rows;
      T* own = kept_ ? groups_[0].inputs + at * entries() : inputs.data();
      for (index_t r = 0; r < rows; ++r) {
        std::copy_n(x + ((begin + r) * steps_ + t) * channels_, channels_, own + r * entries());
        std::copy_n(states + r * units_, units_, own + r * entries() + channels_);
      }
      T* z = kept_ ? groups_[0].gates + at * groups_[0].columns : gates.data();
      multiply(groups_[0], own, rows, z);
      T* other = cell_ == Cell::gru && kept_ ? groups_[1].inputs + at * entries() : reset.data();
      T* n = cell_ == Cell::gru && kept_ ? groups_[1].gates + at * units_ : news.data();
      if (cell_ == Cell::gru) new_states(own, z, rows, other, n);
      for (index_t r = 0; r < rows; ++r) {
        const bool present = !mask || mask[(begin + r) * steps_ + t];
        advance(z + r * groups_[0].columns, n + r * units_, present, contents + r * units_, states + r * units_);
        if (sequences_) std::copy_n(states + r * units_, units_, y + ((begin + r) * steps_ + t) * units_);
      }
      if (cell_ == Cell::lstm && kept_) std::copy_n(contents.data(), rows * units_, cells_ + at * units_);
    }
    if (!sequences_) std::copy_n(states.data(), rows * units_, y + begin * units_);
  }

  void backward(const T* dy, index_t begin, index_t end, const unsigned char* mask, T* dx) override {
    const index_t rows = end - begin, count = rows * units_;
    const Memory<T> states(count), contents(count), back(count), reset(count);
    std::fill_n(states.data(), count, T(0));
    std::fill_n(contents.data(), count, T(0));
    if (!sequences_) std::copy_n(dy + begin * units_, count, states.data());
    for (index_t t = steps_; t-- > 0;) {
      const index_t at = begin * steps_ + t * rows;
      for (index_t r = 0; r < rows; ++r) {
        T* dh = states + r * units_;
        if (sequences_) add(dy + ((begin + r) * steps_ + t) * units_, dh);
        const bool present = !mask || mask[(begin + r) * steps_ + t];
        retreat(at + r, t == 0 ? nullptr : cells_ + (at - rows + r) * units_, present, contents + r * units_, dh);
      }
      if (cell_ == Cell::gru) {
        product_rows(groups_[1].gates + at * units_, rows, units_, groups_[1].to_states.data(), units_, units_, reset.data());
        for (index_t r = 0; r < rows; ++r) reset_back(at + r, reset + r * units_, states + r * units_);
      }
      const Group& first = groups_[0];
      product_rows(first.gates + at * first.columns, rows, first.columns, first.to_states.data(), first.columns, units_, back.data());
      for (index_t k = 0; k < count; ++k) states.data()[k] += back.data()[k];
    }
    if (dx) inputs_back(begin, rows, dx);
  }

  void weight_gradient(index_t rows, bool several_threads, T* gradient) override {
    const index_t depth = rows * steps_;
    for (const Group& group : groups_) {
      product_over_steps(group.inputs.data(), depth, entries(), group.gates.data(), group.columns, wide_, several_threads,
                         gradient + group.first);
      sum_columns(group.gates.data(), depth, group.columns, gradient + entries() * wide_ + group.first);
    }
  }

 private:
  // Columns of the weights with the same inputs. Row begin * steps + t * rows + r of `inputs` and `gates` belongs to
  // step t of row r of a block; `backward` replaces the gates by the derivatives of what enters them.
  struct Group {
    Group(index_t first_column, index_t count) : first(first_column), columns(count) {}
    index_t first, columns;
    Memory<T> panels, to_inputs, to_states, inputs, gates;
  };

  index_t entries() const { return channels_ + units_; }

  void add(const T* from, T* to) const {
    for (index_t j = 0; j < units_; ++j) to[j] += from[j];
  }

  // The values of the gates of a group; the last quarter of an LSTM, an RNN and the new states of a GRU are tanh.
  void multiply(const Group& group, const T* inputs, index_t rows, T* z) const {
    product_rows(inputs, rows, entries(), group.panels.data(), entries(), group.columns, z);
    add_intercepts(intercepts_ + group.first, rows, group.columns, z);
    const index_t logistics = cell_ == Cell::lstm ? 3 * units_ : cell_ == Cell::gru && group.first == 0 ? 2 * units_ : 0;
    for (index_t r = 0; r < rows; ++r) {
      T* own = z + r * group.columns;
      if (logistics > 0) activate_entries(Activation::logistic, T(0), own, own, logistics);
      if (logistics < group.columns)
        activate_entries(Activation::tanh, T(0), own + logistics, own + logistics, group.columns - logistics);
    }
  }

  // The new states n of a GRU; the gates z are update and reset.
  void new_states(const T* inputs, const T* z, index_t rows, T* reset, T* n) const {
    std::copy_n(inputs, rows * entries(), reset);
    for (index_t r = 0; r < rows; ++r)
      for (index_t j = 0; j < units_; ++j) reset[r * entries() + channels_ + j] *= z[(2 * r + 1) * units_ + j];
    multiply(groups_[1], reset, rows, n);
  }

  // The state of a row after a step; a step that is not there changes nothing.
  void advance(const T* z, const T* n, bool present, T* content, T* state) const {
    if (!present) return;
    if (cell_ == Cell::rnn) {
      std::copy_n(z, units_, state);
    } else if (cell_ == Cell::gru) {
      for (index_t j = 0; j < units_; ++j) state[j] = z[j] * state[j] + (1 - z[j]) * n[j];
    } else {
      for (index_t j = 0; j < units_; ++j) content[j] = z[units_ + j] * content[j] + z[j] * z[3 * units_ + j];
      activate_entries(Activation::tanh, T(0), content, state, units_);
      for (index_t j = 0; j < units_; ++j) state[j] *= z[2 * units_ + j];
    }
  }

  // The gates of a step become the derivatives of what enters them; dh becomes the derivative by the state before, as
  // far as it does not go through them.
  void retreat(index_t at, const T* before, bool present, T* dc, T* dh) {
    Group& first = groups_[0];
    T* z = first.gates + at * first.columns;
    T* n = cell_ == Cell::gru ? groups_[1].gates + at * units_ : nullptr;
    if (!present) {
      std::fill_n(z, first.columns, T(0));
      if (n) std::fill_n(n, units_, T(0));
    } else if (cell_ == Cell::rnn) {
      for (index_t j = 0; j < units_; ++j) z[j] = dh[j] * (1 - z[j] * z[j]);
      std::fill_n(dh, units_, T(0));
    } else if (cell_ == Cell::gru) {
      const T* h = first.inputs + at * entries() + channels_;
      for (index_t j = 0; j < units_; ++j) {
        const T update = z[j], d = dh[j];
        z[j] = d * (h[j] - n[j]) * update * (1 - update);
        n[j] = d * (1 - update) * (1 - n[j] * n[j]);
        dh[j] = d * update;
      }
    } else {
      lstm_back(z, cells_ + at * units_, before, dc, dh);
    }
  }

  void lstm_back(T* z, const T* content, const T* before, T* dc, T* dh) const {
    const Memory<T> squashed(units_);
    activate_entries(Activation::tanh, T(0), content, squashed.data(), units_);
    for (index_t j = 0; j < units_; ++j) {
      const T i = z[j], f = z[units_ + j], o = z[2 * units_ + j], g = z[3 * units_ + j], s = squashed.data()[j];
      const T d = dc[j] + dh[j] * o * (1 - s * s);
      z[j] = d * g * i * (1 - i);
      z[units_ + j] = before ? d * before[j] * f * (1 - f) : T(0);
      z[2 * units_ + j] = dh[j] * s * o * (1 - o);
      z[3 * units_ + j] = d * i * (1 - g * g);
      dc[j] = d * f;
      dh[j] = 0;
    }
  }

  // The derivative by r h of a GRU goes to the reset gate and to the state before.
  void reset_back(index_t at, const T* back, T* dh) {
    T* r = groups_[0].gates + at * 2 * units_ + units_;
    const T* h = groups_[0].inputs + at * entries() + channels_;
    for (index_t j = 0; j < units_; ++j) {
      const T gate = r[j];
      r[j] = back[j] * h[j] * gate * (1 - gate);
      dh[j] += back[j] * gate;
    }
  }

  void inputs_back(index_t begin, index_t rows, T* dx) const {
    const index_t count = rows * steps_, first = begin * steps_;
    const Memory<T> sum(count * channels_), more(groups_.size() > 1 ? count * channels_ : 0);
    for (const Group& group : groups_) {
      T* to = &group == &groups_[0] ? sum.data() : more.data();
      product_rows(group.gates + first * group.columns, count, group.columns, group.to_inputs.data(), group.columns, channels_, to);
    }
    for (index_t k = 0; k < count * channels_ && groups_.size() > 1; ++k) sum.data()[k] += more.data()[k];
    for (index_t t = 0; t < steps_; ++t)
      for (index_t r = 0; r < rows; ++r)
        std::copy_n(sum + (t * rows + r) * channels_, channels_, dx + ((begin + r) * steps_ + t) * channels_);
  }

  Cell cell_;
  index_t steps_, channels_, units_, wide_ = 0;
  bool sequences_, kept_;
  const T* intercepts_ = nullptr;
  std::vector<Group> groups_;
  Memory<T> cells_;
};

}  // namespace learnable::network
