// Sums of products of doubles without rounding errors: fixed-point numbers as digits on one absolute grid.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// A double as mantissa * 2^exponent; the mantissa has up to 53 bits.
struct BinaryFloat {
  std::uint64_t mantissa = 0;
  int exponent = 0;
  bool negative = false;

  explicit BinaryFloat(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int field = int(bits >> 52 & 0x7ff);
    if (field == 0x7ff) throw std::invalid_argument("exact sums need finite numbers");
    mantissa = (bits & ((std::uint64_t(1) << 52) - 1)) | (field ? std::uint64_t(1) << 52 : 0);
    exponent = (field ? field : 1) - 1075;
    negative = bits >> 63;
  }
};

// `size` sums. Digit d of a sum counts 2^(32 d); while adding, digits are 64-bit integers that have not been carried, which
// holds 2^28 rows and more. Integers add in any order, so results do not depend on how rows are distributed.
class ExactSums {
 public:
  static constexpr int lowest = -102, highest = 100;  // products of three doubles, and the sums of 2^60 of them

  explicit ExactSums(index_t size) : size_(size) {}

  index_t size() const { return size_; }

  // sum[at] += (-1)^negative magnitude 2^exponent
  void add(index_t at, std::uint64_t magnitude, int exponent, bool negative) {
    const int digit = exponent >> 5;
    const auto shifted = static_cast<unsigned __int128>(magnitude) << (exponent & 31);
    const std::int64_t parts[3] = {std::int64_t(std::uint32_t(shifted)), std::int64_t(std::uint32_t(shifted >> 32)),
                                   std::int64_t(std::uint64_t(shifted >> 64))};
    for (int part = 0; part < 3; ++part)
      if (parts[part]) plane(digit + part)[at] += negative ? -parts[part] : parts[part];
  }

  // sum[at] += value 2^exponent
  void add(index_t at, std::int64_t value, int exponent) {
    if (value) add(at, value < 0 ? -std::uint64_t(value) : std::uint64_t(value), exponent, value < 0);
  }

  void add(index_t at, const BinaryFloat& a) {
    if (a.mantissa) add(at, a.mantissa, a.exponent, a.negative);
  }

  void add_product(index_t at, const BinaryFloat& a, const BinaryFloat& b) {
    const auto product = static_cast<unsigned __int128>(a.mantissa) * b.mantissa;
    add_wide(at, product, a.exponent + b.exponent, a.negative != b.negative);
  }

  void add_product(index_t at, const BinaryFloat& a, const BinaryFloat& b, const BinaryFloat& c) {
    const auto product = static_cast<unsigned __int128>(a.mantissa) * b.mantissa;
    const int exponent = a.exponent + b.exponent + c.exponent;
    const bool negative = (a.negative != b.negative) != c.negative;
    add_wide(at, static_cast<unsigned __int128>(std::uint64_t(product)) * c.mantissa, exponent, negative);
    add_wide(at, static_cast<unsigned __int128>(std::uint64_t(product >> 64)) * c.mantissa, exponent + 64, negative);
  }

  void merge(const ExactSums& other) {
    for (int digit = lowest; digit <= highest; ++digit) {
      const std::vector<std::int64_t>& theirs = other.planes_[digit - lowest];
      if (theirs.empty()) continue;
      std::int64_t* ours = plane(digit);
      for (index_t at = 0; at < size_; ++at) ours[at] += theirs[at];
    }
  }

  // Brings every digit into [-2^31, 2^31): the canonical form, in which equal sums have equal digits.
  void carry() {
    for (int digit = lowest; digit < highest; ++digit) {
      std::vector<std::int64_t>& here = planes_[digit - lowest];
      for (index_t at = 0; at < index_t(here.size()); ++at) {
        const std::int64_t carried = (here[at] + (std::int64_t(1) << 31)) >> 32;
        if (!carried) continue;
        here[at] -= carried * (std::int64_t(1) << 32);
        plane(digit + 1)[at] += carried;
      }
    }
  }

  // Calls f(digit, digits) for every digit that is not zero in all sums, after carry().
  template <class F>
  void for_digits(F&& f) const {
    for (int digit = lowest; digit <= highest; ++digit) {
      const std::vector<std::int64_t>& here = planes_[digit - lowest];
      for (const std::int64_t value : here)
        if (value) {
          f(digit, here);
          break;
        }
    }
  }

 private:
  void add_wide(index_t at, unsigned __int128 magnitude, int exponent, bool negative) {
    const auto low = std::uint64_t(magnitude), high = std::uint64_t(magnitude >> 64);
    if (low) add(at, low, exponent, negative);
    if (high) add(at, high, exponent + 64, negative);
  }

  std::int64_t* plane(int digit) {
    std::vector<std::int64_t>& found = planes_[digit - lowest];
    if (found.empty()) found.assign(std::size_t(size_), 0);
    return found.data();
  }

  index_t size_;
  std::array<std::vector<std::int64_t>, highest - lowest + 1> planes_;
};

}  // namespace learnable
