// Texts: term counts, hashes, TF-IDF weighting.
#include "arrays.hpp"
#include "learnable/text/term_counts.hpp"
#include "learnable/text/tfidf.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

namespace learnable::bind {

using Bits = Vector<std::uint8_t>;
constexpr std::size_t bitmap_bytes = 0x110000 / 8;

// The bytes of a str, which keeps them; a lone surrogate is a UnicodeEncodeError.
static std::string_view utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!bytes) throw nb::python_error();
  return {bytes, std::size_t(size)};
}

static std::vector<std::string_view> views(const nb::list& texts) {
  std::vector<std::string_view> found;
  found.reserve(nb::len(texts));
  for (const nb::handle text : texts) found.push_back(utf8(text));
  return found;
}

template <class T>
static nb::object made(const char* kind, index_t size, View<T>& view) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(size, kind);
  view = {nb::cast<nb::ndarray<T, nb::device::cpu>>(array, false).data(), size};
  return array;
}

static TermTable table_of(const nb::list& words) {
  TermTable table;
  for (const nb::handle word : words) {
    std::string padded(utf8(word));
    const std::size_t size = padded.size();
    padded.append(term_padding, '\0');
    if (size) table.at({padded.data(), size});
  }
  return table;
}

// The result of count_terms: counts, read as a matrix when the columns of terms are known.
struct CountedTexts {
  TermCounts counts;

  nb::list terms() const {
    nb::list found;
    for (index_t rank = 0; rank < counts.terms(); ++rank) {
      const std::string_view term = counts.term(rank);
      nb::object text = nb::steal(PyUnicode_DecodeUTF8(term.data(), Py_ssize_t(term.size()), "strict"));
      if (!text.is_valid()) throw nb::python_error();
      found.append(text);
    }
    return found;
  }

  nb::object hashes(std::uint32_t seed) const {
    View<std::int32_t> hash;
    nb::object array = made("int32", counts.terms(), hash);
    nb::gil_scoped_release release;
    for (index_t rank = 0; rank < counts.terms(); ++rank) hash[rank] = std::int32_t(murmur3(counts.term(rank), seed));
    return array;
  }

  template <class T>
  nb::tuple rows_as(const char* kind, View<const std::int32_t> columns, View<const std::int8_t> signs) const {
    const std::vector<index_t> begins = counts.begins();
    View<std::int64_t> start;
    View<std::int32_t> index;
    View<T> value;
    nb::object starts = made("int64", counts.texts() + 1, start), indices = made("int32", begins.back(), index),
               values = made(kind, begins.back(), value);
    index_t entries = 0;
    {
      nb::gil_scoped_release release;
      std::vector<index_t> length(std::size_t(counts.texts()));
      const View<index_t> lengths{length.data(), counts.texts()};
      counts.write(begins, columns, signs, index, value, lengths);
      entries = compact_rows<T>(begins, lengths, index, value, start);
    }
    const nb::slice kept(entries);
    return nb::make_tuple(starts, indices[kept], values[kept]);
  }

  nb::tuple rows(std::optional<Vector<std::int32_t>> columns, std::optional<Vector<std::int8_t>> signs,
                 bool real) const {
    const index_t terms = counts.terms();
    require(!columns || index_t(columns->shape(0)) == terms, "columns must have a number for each term");
    require(!signs || index_t(signs->shape(0)) == terms, "signs must have a number for each term");
    const View<const std::int32_t> column = columns ? view(*columns) : View<const std::int32_t>{};
    const View<const std::int8_t> sign = signs ? view(*signs) : View<const std::int8_t>{};
    return real ? rows_as<double>("float64", column, sign) : rows_as<std::int64_t>("int64", column, sign);
  }
};

static CountedTexts count_terms(const nb::list& texts, const Bits& word, const Bits& space, const std::string& unit,
                                index_t low, index_t high, index_t shortest, bool lower, const nb::list& stop) {
  require(word.shape(0) == bitmap_bytes && space.shape(0) == bitmap_bytes, "a bitmap needs a bit per code point");
  require(1 <= low && low <= high, "n-grams must have at least one unit");
  const std::vector<std::string_view> documents = views(texts);
  const TermTable stops = table_of(stop);
  const Unit units = unit == "word" ? Unit::word : unit == "char" ? Unit::character : Unit::character_in_word;
  const Analysis how{units,  low, high, shortest, lower, {word.data()}, {space.data()},
                     stops.size() ? &stops : nullptr};
  nb::gil_scoped_release release;
  return {TermCounts(documents, how)};
}

static nb::object hash_terms(const nb::list& terms, std::uint32_t seed) {
  View<std::int32_t> hash;
  nb::object array = made("int32", index_t(nb::len(terms)), hash);
  index_t i = 0;
  for (const nb::handle term : terms) hash[i++] = std::int32_t(murmur3(utf8(term), seed));
  return array;
}

template <class T, class Index>
static void bound_tfidf_rows(const Vector<Index>& start, const Vector<Index>& index, const VectorOut<T>& value,
                             std::optional<Vector<T>> weight, bool sublinear, const std::string& norm) {
  const index_t entries = index_t(value.shape(0));
  require(start.shape(0) >= 1 && index_t(start.data()[start.shape(0) - 1]) <= entries &&
              index_t(index.shape(0)) >= entries,
          "start, index and value must be those of a matrix by rows");
  const RowNorm kind = norm == "l1" ? RowNorm::l1 : norm == "l2" ? RowNorm::l2 : RowNorm::none;
  const View<const T> weights = weight ? view(*weight) : View<const T>{};
  nb::gil_scoped_release release;
  tfidf_rows<T, Index>(view(start), view(index), weights, sublinear, kind, view(value));
}

template <class T, class Index>
static void define_tfidf_rows(nb::module_& m, const char* words) {
  using namespace nb::literals;
  m.def("tfidf_rows", &bound_tfidf_rows<T, Index>, "start"_a.noconvert(), "index"_a.noconvert(),
        "value"_a.noconvert(), "weight"_a.noconvert().none(), "sublinear"_a, "norm"_a, words);
}

}  // namespace learnable::bind

void bind_text(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  namespace nb = nanobind;
  nb::class_<bind::CountedTexts>(m, "CountedTexts", "How often each term occurs in each text.")
      .def("terms", &bind::CountedTexts::terms, "terms() -> the distinct terms in the order of their characters.")
      .def("hashes", &bind::CountedTexts::hashes, "seed"_a, "hashes(seed) -> 32-bit MurmurHash3 of each term.")
      .def("rows", &bind::CountedTexts::rows, "columns"_a.none() = nb::none(), "signs"_a.none() = nb::none(),
           "real"_a = false,
           "rows(columns, signs, real) -> indptr, indices, data of the counts: term k in columns[k] (-1: left out), "
           "times signs[k]; entries of a text that meet are added. Whole numbers, or float64 if real.");
  m.def("count_terms", &bind::count_terms, "texts"_a, "word"_a.noconvert(), "space"_a.noconvert(), "unit"_a, "low"_a,
        "high"_a, "shortest"_a, "lower"_a, "stop"_a,
        "count_terms(texts, word, space, unit, low, high, shortest, lower, stop) -> CountedTexts. Terms are n-grams of "
        "low..high units: words of at least `shortest` characters and not in `stop`, char, or char_wb. word and space "
        "are bitmaps over code points; lower folds ASCII letters.");
  m.def("hash_terms", &bind::hash_terms, "terms"_a, "seed"_a, "hash_terms(terms, seed) -> 32-bit MurmurHash3 of each.");
  const char* words =
      "tfidf_rows(start, index, value, weight, sublinear, norm) -> None. In place on a sparse matrix by rows: 1 + log "
      "if sublinear, times weight[column], over the l1 or l2 norm of the row.";
  bind::define_tfidf_rows<double, std::int32_t>(m, words);
  bind::define_tfidf_rows<double, std::int64_t>(m, words);
  bind::define_tfidf_rows<float, std::int32_t>(m, words);
  bind::define_tfidf_rows<float, std::int64_t>(m, words);
}
