// A log density recorded by the tape, as a program: values forwards, gradients backwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/sampling/log_density.hpp"

namespace learnable::sampling {

enum class Operation : std::int64_t {
  add, subtract, multiply, divide, maximum, minimum,                                           // of two buffers
  negative, absolute, exp, log, sqrt, sin, cos, tanh, logistic, softplus, erf, relu, power,  // of one buffer
  gather,   // out[i] = a[map[i]]
  scatter,  // out[map[i]] += a[i]
  matmul,   // rows x inner times inner x columns
  count
};

// a, b and out are numbers of buffers; `map` is where its indices begin. The parameter is the exponent of a power.
struct Instruction {
  Operation operation;
  index_t a, b, out, map, rows, inner, columns;
  double parameter;
};

// Buffers stand one after the other: the input first, then constants and results. The last one is the log density.
struct ProgramData {
  std::vector<Instruction> instructions;
  std::vector<index_t> begin;  // of each buffer, and the end
  std::vector<std::uint8_t> tracked;
  std::vector<index_t> maps;
  std::vector<double> constants;  // of all buffers; anything where there are none

  index_t size(index_t buffer) const { return begin[buffer + 1] - begin[buffer]; }
};

class TapeProgram final : public LogDensity {
 public:
  explicit TapeProgram(const ProgramData& data) : data_(data), value_(data.constants), slope_(data.constants.size()) {}
  index_t dimension() const override { return data_.size(0); }

  double value(const double* x) override {
    std::copy_n(x, dimension(), value_.begin());
    for (const Instruction& one : data_.instructions) forward(one);
    return value_.back();
  }

  double evaluate(const double* x, double* gradient) override {
    value(x);
    std::fill(slope_.begin(), slope_.end(), 0.0);
    slope_.back() = 1;
    for (auto one = data_.instructions.rbegin(); one != data_.instructions.rend(); ++one) backward(*one);
    std::copy_n(slope_.begin(), dimension(), gradient);
    return value_.back();
  }

 private:
  template <class F>
  static void each(index_t size, F&& f) {
    for (index_t i = 0; i < size; ++i) f(i);
  }

  void forward(const Instruction& one) {
    const index_t size = data_.size(one.out), sa = data_.size(one.a) == 1 ? 0 : 1;
    const index_t sb = one.b >= 0 && data_.size(one.b) != 1 ? 1 : 0;
    const double* a = value_.data() + data_.begin[one.a];
    const double* b = one.b >= 0 ? value_.data() + data_.begin[one.b] : nullptr;
    double* out = value_.data() + data_.begin[one.out];
    const index_t* map = data_.maps.data() + one.map;
    switch (one.operation) {
      case Operation::add: return each(size, [&](index_t i) { out[i] = a[i * sa] + b[i * sb]; });
      case Operation::subtract: return each(size, [&](index_t i) { out[i] = a[i * sa] - b[i * sb]; });
      case Operation::multiply: return each(size, [&](index_t i) { out[i] = a[i * sa] * b[i * sb]; });
      case Operation::divide: return each(size, [&](index_t i) { out[i] = a[i * sa] / b[i * sb]; });
      case Operation::maximum: return each(size, [&](index_t i) { out[i] = a[i * sa] >= b[i * sb] ? a[i * sa] : b[i * sb]; });
      case Operation::minimum: return each(size, [&](index_t i) { out[i] = a[i * sa] < b[i * sb] ? a[i * sa] : b[i * sb]; });
      case Operation::negative: return each(size, [&](index_t i) { out[i] = -a[i]; });
      case Operation::absolute: return each(size, [&](index_t i) { out[i] = std::abs(a[i]); });
      case Operation::exp: return each(size, [&](index_t i) { out[i] = std::exp(a[i]); });
      case Operation::log: return each(size, [&](index_t i) { out[i] = std::log(a[i]); });
      case Operation::sqrt: return each(size, [&](index_t i) { out[i] = std::sqrt(a[i]); });
      case Operation::sin: return each(size, [&](index_t i) { out[i] = std::sin(a[i]); });
      case Operation::cos: return each(size, [&](index_t i) { out[i] = std::cos(a[i]); });
      case Operation::tanh: return each(size, [&](index_t i) { out[i] = std::tanh(a[i]); });
      case Operation::logistic: return each(size, [&](index_t i) { out[i] = logistic(a[i]); });
      case Operation::softplus:
        return each(size, [&](index_t i) { out[i] = std::max(a[i], 0.0) + std::log1p(std::exp(-std::abs(a[i]))); });
      case Operation::erf: return each(size, [&](index_t i) { out[i] = std::erf(a[i]); });
      case Operation::relu: return each(size, [&](index_t i) { out[i] = std::max(a[i], 0.0); });
      case Operation::power: return each(size, [&](index_t i) { out[i] = raised(a[i], one.parameter); });
      case Operation::gather: return each(size, [&](index_t i) { out[i] = a[map[i]]; });
      case Operation::scatter:
        std::fill_n(out, size, 0.0);
        return each(data_.size(one.a), [&](index_t i) { out[map[i]] += a[i]; });
      case Operation::matmul: return multiply(one, a, b, out);
      case Operation::count: return;
    }
  }

  void backward(const Instruction& one) {
    const index_t size = data_.size(one.out);
    const double* g = slope_.data() + data_.begin[one.out];
    const double* out = value_.data() + data_.begin[one.out];
    const double* a = value_.data() + data_.begin[one.a];
    double* ga = slope_.data() + data_.begin[one.a];
    const index_t* map = data_.maps.data() + one.map;
    if (one.b >= 0) return backward_of_two(one, g, out, a, ga);
    if (!data_.tracked[one.a]) return;
    switch (one.operation) {
      case Operation::negative: return each(size, [&](index_t i) { ga[i] -= g[i]; });
      case Operation::absolute: return each(size, [&](index_t i) { ga[i] += a[i] > 0 ? g[i] : a[i] < 0 ? -g[i] : 0; });
      case Operation::exp: return each(size, [&](index_t i) { ga[i] += g[i] * out[i]; });
      case Operation::log: return each(size, [&](index_t i) { ga[i] += g[i] / a[i]; });
      case Operation::sqrt: return each(size, [&](index_t i) { ga[i] += g[i] / (2 * out[i]); });
      case Operation::sin: return each(size, [&](index_t i) { ga[i] += g[i] * std::cos(a[i]); });
      case Operation::cos: return each(size, [&](index_t i) { ga[i] -= g[i] * std::sin(a[i]); });
      case Operation::tanh: return each(size, [&](index_t i) { ga[i] += g[i] * (1 - out[i] * out[i]); });
      case Operation::logistic: return each(size, [&](index_t i) { ga[i] += g[i] * out[i] * (1 - out[i]); });
      case Operation::softplus: return each(size, [&](index_t i) { ga[i] += g[i] * logistic(a[i]); });
      case Operation::erf:
        return each(size, [&](index_t i) { ga[i] += g[i] * std::exp(-a[i] * a[i]) * 1.1283791670955126; });
      case Operation::relu: return each(size, [&](index_t i) { ga[i] += a[i] > 0 ? g[i] : 0; });
      case Operation::power:
        return each(size, [&](index_t i) { ga[i] += g[i] * one.parameter * raised(a[i], one.parameter - 1); });
      case Operation::gather: return each(size, [&](index_t i) { ga[map[i]] += g[i]; });
      case Operation::scatter: return each(data_.size(one.a), [&](index_t i) { ga[i] += g[map[i]]; });
      default: return;
    }
  }

  void backward_of_two(const Instruction& one, const double* g, const double* out, const double* a, double* ga) {
    const index_t size = data_.size(one.out), sa = data_.size(one.a) == 1 ? 0 : 1, sb = data_.size(one.b) == 1 ? 0 : 1;
    const double* b = value_.data() + data_.begin[one.b];
    double* gb = slope_.data() + data_.begin[one.b];
    const bool left = data_.tracked[one.a], right = data_.tracked[one.b];
    const auto to_both = [&](auto&& by_a, auto&& by_b) {
      if (left) each(size, [&](index_t i) { ga[i * sa] += by_a(i); });
      if (right) each(size, [&](index_t i) { gb[i * sb] += by_b(i); });
    };
    switch (one.operation) {
      case Operation::add: return to_both([&](index_t i) { return g[i]; }, [&](index_t i) { return g[i]; });
      case Operation::subtract: return to_both([&](index_t i) { return g[i]; }, [&](index_t i) { return -g[i]; });
      case Operation::multiply:
        return to_both([&](index_t i) { return g[i] * b[i * sb]; }, [&](index_t i) { return g[i] * a[i * sa]; });
      case Operation::divide:
        return to_both([&](index_t i) { return g[i] / b[i * sb]; }, [&](index_t i) { return -g[i] * out[i] / b[i * sb]; });
      case Operation::maximum:
        return to_both([&](index_t i) { return a[i * sa] >= b[i * sb] ? g[i] : 0; },
                       [&](index_t i) { return a[i * sa] < b[i * sb] ? g[i] : 0; });
      case Operation::minimum:
        return to_both([&](index_t i) { return a[i * sa] <= b[i * sb] ? g[i] : 0; },
                       [&](index_t i) { return a[i * sa] > b[i * sb] ? g[i] : 0; });
      case Operation::matmul: return backward_of_product(one, g, a, b, left ? ga : nullptr, right ? gb : nullptr);
      default: return;
    }
  }

  static void multiply(const Instruction& one, const double* a, const double* b, double* out) {
    std::fill_n(out, one.rows * one.columns, 0.0);
    for (index_t i = 0; i < one.rows; ++i) {
      if (one.columns == 1) {
        double sums[4] = {};
        const double* row = a + i * one.inner;
        index_t k = 0;
        for (; k + 4 <= one.inner; k += 4)
          for (int lane = 0; lane < 4; ++lane) sums[lane] += row[k + lane] * b[k + lane];
        for (; k < one.inner; ++k) sums[0] += row[k] * b[k];
        out[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        continue;
      }
      for (index_t k = 0; k < one.inner; ++k)
        for (index_t j = 0; j < one.columns; ++j)
          out[i * one.columns + j] += a[i * one.inner + k] * b[k * one.columns + j];
    }
  }

  static void backward_of_product(const Instruction& one, const double* g, const double* a, const double* b, double* ga,
                                  double* gb) {
    for (index_t i = 0; i < one.rows; ++i)
      for (index_t k = 0; k < one.inner; ++k) {
        double by_a = 0;
        const double left = a[i * one.inner + k];
        for (index_t j = 0; j < one.columns; ++j) {
          const double gradient = g[i * one.columns + j];
          by_a += gradient * b[k * one.columns + j];
          if (gb) gb[k * one.columns + j] += gradient * left;
        }
        if (ga) ga[i * one.inner + k] += by_a;
      }
  }

  static double logistic(double x) {
    const double tail = std::exp(-std::abs(x));
    return (x < 0 ? tail : 1.0) / (1 + tail);
  }
  static double raised(double x, double power) {
    return power == 2 ? x * x : power == 1 ? x : power == 0 ? 1 : std::pow(x, power);
  }

  const ProgramData& data_;
  std::vector<double> value_, slope_;
};

}  // namespace learnable::sampling
