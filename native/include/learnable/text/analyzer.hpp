// Tokenisation of a text: words, n-grams of words, of characters, or of characters within words.
//
// Texts are UTF-8. Word characters and spaces are given by bitmaps over all code points, so that the caller defines
// both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "learnable/text/term_table.hpp"

namespace learnable {

enum class Unit { word, character, character_in_word };

struct Bitmap {
  const std::uint8_t* bits;
  bool operator()(std::uint32_t point) const { return bits[point >> 3] >> (point & 7) & 1; }
};

// How texts are cut: n-grams of low..high units; words have at least `shortest` characters and are not in `stop`.
struct Analysis {
  Unit unit;
  index_t low, high, shortest;
  bool lower;  // ASCII letters only: the caller lowers the others
  Bitmap word, space;
  const TermTable* stop;
};

// The code point at `at`, and how many bytes it takes; the text is valid UTF-8.
inline std::uint32_t code_point(const char* at, index_t& bytes) {
  const auto byte = [at](int i) { return std::uint32_t(static_cast<unsigned char>(at[i])); };
  if (byte(0) < 0x80) return bytes = 1, byte(0);
  if (byte(0) < 0xe0) return bytes = 2, (byte(0) & 31) << 6 | (byte(1) & 63);
  if (byte(0) < 0xf0) return bytes = 3, (byte(0) & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
  return bytes = 4, (byte(0) & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63);
}

// Tokenises one text after the other; owns the scratch memory.
class Tokenizer {
 public:
  explicit Tokenizer(const Analysis& how) : how_(how) {
    for (std::uint32_t c = 0; c < 128; ++c) ascii_word_[c] = how.word(c);
    for (std::uint32_t c = 128; c < 256; ++c) ascii_word_[c] = 2;
  }

  // Calls found(term) for each term of the text; the view is valid during the call, with padding behind it.
  template <class Found>
  void tokenize(std::string_view text, Found&& found) {
    copy(text);
    if (how_.unit == Unit::word) return words(found);
    if (how_.unit == Unit::character) return characters(found);
    characters_in_words(found);
  }

 private:
  void copy(std::string_view text) {
    size_ = index_t(text.size());
    if (index_t(text_.size()) < size_ + term_padding) text_.resize(2 * size_ + term_padding);
    char* out = text_.data();
    if (!how_.lower) {
      std::copy(text.begin(), text.end(), out);
    } else {
      const char* in = text.data();
      for (index_t i = 0; i < size_; ++i) out[i] = char(in[i] + (static_cast<unsigned char>(in[i] - 'A') < 26 ? 32 : 0));
    }
  }

  template <class Found>
  void words(Found&& found) {
    if (how_.high == 1) {
      each_word([&](std::string_view word) {
        if (!how_.stop || !how_.stop->holds(word)) found(word);
      });
      return;
    }
    clear();
    each_word([&](std::string_view word) {
      if (how_.stop && how_.stop->holds(word)) return;
      if (!begins_.empty()) joined_.push_back(' ');
      append(word);
    });
    grams(found);
  }

  // Maximal runs of word characters, the short ones left out.
  template <class F>
  void each_word(F&& f) {
    const char* text = text_.data();
    for (index_t at = 0; at < size_;) {
      const index_t begin = at;
      index_t characters = 0;
      for (index_t bytes; at < size_ && in_word(text + at, bytes); at += bytes) ++characters;
      if (characters >= how_.shortest) f(std::string_view(text + begin, std::size_t(at - begin)));
      for (index_t bytes; at < size_ && !in_word(text + at, bytes); at += bytes) {}
    }
  }

  bool in_word(const char* at, index_t& bytes) const {
    const std::uint8_t kind = ascii_word_[static_cast<unsigned char>(*at)];
    if (kind < 2) return bytes = 1, kind;
    return how_.word(code_point(at, bytes));
  }

  // Every run of two spaces or more is one blank; a single space is kept.
  template <class Found>
  void characters(Found&& found) {
    clear();
    for (index_t at = 0, bytes; at < size_;) {
      if (const index_t run = space_run(at, bytes); run > 1) {
        append(" ");
        at += bytes;
      } else {
        code_point(text_.data() + at, bytes);
        append({text_.data() + at, std::size_t(bytes)});
        at += bytes;
      }
    }
    grams(found);
  }

  // The number of space characters at `at`, and their bytes.
  index_t space_run(index_t at, index_t& bytes) const {
    index_t run = 0, end = at;
    for (index_t one; end < size_ && how_.space(code_point(text_.data() + end, one)); end += one) ++run;
    bytes = end - at;
    return run;
  }

  // Words between spaces, each with a blank before and behind it; a word shorter than n counts once, whole.
  template <class Found>
  void characters_in_words(Found&& found) {
    for (index_t at = 0, bytes; at < size_;) {
      space_run(at, bytes);
      at += bytes;
      if (at >= size_) return;
      clear();
      append(" ");
      for (; at < size_ && !how_.space(code_point(text_.data() + at, bytes)); at += bytes)
        append({text_.data() + at, std::size_t(bytes)});
      append(" ");
      grams(found);
      if (how_.low > index_t(begins_.size())) found(gram(0, index_t(begins_.size())));
    }
  }

  void append(std::string_view unit) {
    begins_.push_back(index_t(joined_.size()));
    joined_.insert(joined_.end(), unit.begin(), unit.end());
    ends_.push_back(index_t(joined_.size()));
  }

  std::string_view gram(index_t first, index_t count) const {
    return {joined_.data() + begins_[first], std::size_t(ends_[first + count - 1] - begins_[first])};
  }

  // Calls found for all n-grams of the units gathered in joined_.
  template <class Found>
  void grams(Found&& found) {
    joined_.resize(joined_.size() + term_padding);
    const index_t count = index_t(begins_.size());
    for (index_t n = how_.low; n <= std::min(how_.high, count); ++n)
      for (index_t first = 0; first + n <= count; ++first) found(gram(first, n));
  }

  void clear() {
    joined_.clear();
    begins_.clear();
    ends_.clear();
  }

  const Analysis& how_;
  std::uint8_t ascii_word_[256];  // 0 no, 1 yes, 2 by the bitmap
  std::vector<char> text_, joined_;
  std::vector<index_t> begins_, ends_;  // of the units in joined_
  index_t size_ = 0;
};

}  // namespace learnable
