#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "learnable/stats/unique_values.hpp"
#include "learnable/text/term_counts.hpp"

using namespace learnable;

TEST(murmur3_has_its_published_values) {
  CHECK(murmur3("", 0) == 0u && murmur3("", 1) == 0x514e28b7u && murmur3("", 0xffffffffu) == 0x81f16f39u);
  CHECK(murmur3("test", 0) == 0xba6bd213u && murmur3("test", 0x9747b28cu) == 0x704b81dcu);
  CHECK(murmur3("Hello, world!", 0) == 0xc0363e43u && murmur3("Hello, world!", 0x9747b28cu) == 0x24884cbau);
}

TEST(a_table_of_terms_numbers_them_in_order_of_arrival) {
  TermTable table;
  std::map<std::string, std::uint32_t> seen;
  check::Draws draw{1};
  bool same = true;
  for (int i = 0; i < 40000; ++i) {
    std::string term = "t" + std::to_string(int(draw() * 4000));
    if (i % 3 == 0) term += std::string(std::size_t(8 + i % 20), 'x');  // longer than what a key holds
    const std::uint32_t id = seen.emplace(term, std::uint32_t(seen.size())).first->second;
    const std::string padded = term + std::string(term_padding, char('0' + i % 10));
    same = same && table.at({padded.data(), term.size()}).id == id;
  }
  CHECK(same && table.size() == index_t(seen.size()) && seen.size() > 5000);
  for (const auto& [term, id] : seen) same = same && table.term(id) == term;
  CHECK(same);
  const std::string absent = "never" + std::string(term_padding, ' ');
  CHECK(!table.holds({absent.data(), 5}) && !TermTable().holds({absent.data(), 5}));
}

TEST(rows_with_dropped_entries_are_compacted) {
  std::vector<std::int32_t> index{5, 9, 9, 7, 9, 1};
  std::vector<double> value{1, 0, 0, 2, 0, 3};
  const std::vector<index_t> length{1, 1, 1};
  std::vector<std::int64_t> start(4);
  const index_t kept = compact_rows<double>({0, 3, 5, 6}, {length.data(), 3}, {index.data(), 6}, {value.data(), 6},
                                          {start.data(), 4});
  CHECK(kept == 3 && start == (std::vector<std::int64_t>{0, 1, 2, 3}));
  CHECK(index[0] == 5 && index[1] == 7 && index[2] == 1 && value[1] == 2 && value[2] == 3);
}

TEST(distinct_numbers_are_found_in_order) {
  check::Draws draw{2};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values{0.0, -0.0, nan, 1.5, -nan, 0.0, HUGE_VAL};
  for (int i = 0; i < 20000; ++i) values.push_back(std::round(draw() * 900) / 8);
  std::vector<std::int64_t> codes(values.size());
  const View<const double> column{values.data(), index_t(values.size())};
  const std::vector<double> found = distinct_numbers(column, values.size(), codes.data());
  CHECK(codes[0] == 0 && codes[1] == 0 && codes[2] == 1 && codes[3] == 2 && codes[4] == 1 && codes[6] == 3);
  bool same = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    same = same && (found[codes[i]] == values[i] || (std::isnan(found[codes[i]]) && std::isnan(values[i])));
  std::size_t newest = 0;
  for (const std::int64_t code : codes) {
    same = same && std::size_t(code) <= newest;
    newest = std::max(newest, std::size_t(code) + 1);
  }
  CHECK(same && newest == found.size());
  CHECK(distinct_numbers(column, found.size() - 1, codes.data()).empty());
}
