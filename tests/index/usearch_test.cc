// Index over the files that the usearch package and its C++ header wrote.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "../formats/vectors/usearch/fixture.h"
#include "embd/index.h"
#include "embd/vectors.h"

namespace embd {
namespace {

using usearch::file_bytes;
using usearch::fixture;
using usearch::load_array;

/// The bytes of the file an index is saved to.
std::string saved(const Index& index) {
  // Cases run beside one another, each in its own process.
  const auto path =
      std::filesystem::path(testing::TempDir()) / ("usearch_test-" + std::to_string(::getpid()));
  EXPECT_TRUE(index.save(path));
  std::string bytes = file_bytes(path);
  std::filesystem::remove(path);
  return bytes;
}

bool without_rows(const nlohmann::json& entry) {
  return entry["file"] == "cpp_ex.usearch";
}

struct Rows {
  std::vector<float> values;
  std::size_t dim = 0;
  MatrixView view() const { return {values.data(), dim == 0 ? 0 : values.size() / dim, dim}; }
};

Rows rows_of(const nlohmann::json& entry, const std::string& member) {
  Rows rows;
  const bool bits = entry["file"].get<std::string>().starts_with("b1");
  rows.values = usearch::load_rows(entry[member], bits, rows.dim);
  return rows;
}

std::vector<std::uint64_t> keys_of(const std::string& name) {
  const auto array = load_array(name);
  if (array.dtype == "<u8") return array.as<std::uint64_t>();
  if (array.dtype == "<i8") return array.as<std::uint64_t>();
  const auto narrow = array.as<std::uint32_t>();
  return {narrow.begin(), narrow.end()};
}

Result<Index> open(const nlohmann::json& entry, bool mapped) {
  OpenOptions options;
  Rows rows;
  if (without_rows(entry)) {
    rows = rows_of(entry, "source");
    options.vectors = rows.view();
  }
  const auto path = fixture(entry["file"]);
  return mapped ? Index::view(path, options) : Index::open(path, options);
}

/// Equal results; where distances are equal, or equal but for rounding, ids may change places.
void expect_hits(const std::vector<Hit>& found, const std::vector<std::uint64_t>& keys,
                 const std::vector<float>& distances, std::size_t first, std::size_t count,
                 const std::string& what) {
  ASSERT_EQ(found.size(), count) << what;
  const auto near = [](float a, float b) {
    return std::abs(a - b) <= 2e-6F * std::max(1.0F, std::abs(b));
  };
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(near(found[i].distance, distances[first + i]))
        << what << " hit " << i << ": " << found[i].distance << ", expected "
        << distances[first + i];
    if (found[i].id == keys[first + i]) continue;
    const bool tied = (i > 0 && near(distances[first + i], distances[first + i - 1])) ||
                      (i + 1 < count && near(distances[first + i], distances[first + i + 1])) ||
                      i + 1 == count;
    EXPECT_TRUE(tied) << what << " hit " << i << ": id " << found[i].id << ", expected "
                      << keys[first + i];
  }
}

TEST(UsearchIndex, GivesTheIdsAndDistancesOfThePackage) {
  int searches = 0;
  for (const auto& entry : usearch::fixtures(false)) {
    if (!entry.contains("searches")) continue;
    for (const bool mapped : {false, true}) {
      const auto index = open(entry, mapped);
      ASSERT_TRUE(index) << index.error().message();
      const Rows queries = rows_of(entry, "queries");
      for (const auto& search : entry["searches"]) {
        const auto keys = load_array(search["keys"]).as<std::uint64_t>();
        const auto distances = load_array(search["distances"]).as<float>();
        const std::size_t k = search["k"];
        SearchOptions options;
        options.exact = search.value("exact", false);
        options.expansion = search.value("expansion", 64U);
        const auto found = index->search(queries.view(), k, options);
        ASSERT_TRUE(found) << found.error().message();
        for (std::size_t q = 0; q < found->size(); ++q) {
          ++searches;
          expect_hits((*found)[q], keys, distances, q * k, search["counts"][q],
                      entry["file"].get<std::string>() + " " + search.dump() + " query " +
                          std::to_string(q));
        }
      }
    }
  }
  EXPECT_GT(searches, 400);
}

TEST(UsearchIndex, IntegerDistancesGiveExactlyTheIdsOfThePackage) {
  for (const auto& entry : usearch::fixtures(false)) {
    if (!entry.value("byte_reproducible", false) || !entry.contains("searches")) continue;
    const auto index = open(entry, false).value();
    const Rows queries = rows_of(entry, "queries");
    for (const auto& search : entry["searches"]) {
      if (search.value("exact", false)) continue;  // equal distances come by place there
      const auto keys = load_array(search["keys"]).as<std::uint64_t>();
      const std::size_t k = search["k"];
      SearchOptions options;
      options.expansion = search["expansion"];
      const auto found = index.search(queries.view(), k, options).value();
      for (std::size_t q = 0; q < found.size(); ++q) {
        for (std::size_t i = 0; i < found[q].size(); ++i) {
          EXPECT_EQ(found[q][i].id, keys[q * k + i])
              << entry["file"] << " " << search.dump() << " query " << q << " hit " << i;
        }
      }
    }
  }
}

TEST(UsearchIndex, HandMadeVariantsSearchLikeTheirOriginals) {
  int compared = 0;
  for (const auto& entry : usearch::fixtures(false)) {
    const std::string original =
        entry.value("same_results_as", entry.value("same_graph_as", std::string()));
    if (original.empty()) continue;
    ++compared;
    const auto variant = open(entry, false);
    ASSERT_TRUE(variant) << variant.error().message();
    const auto index = Index::open(fixture(original)).value();
    Rows queries;
    queries.dim = index.info().dim;
    queries.values.resize(7 * queries.dim);
    for (std::size_t i = 0; i < queries.values.size(); ++i) {
      queries.values[i] = std::sin(static_cast<float>(i));
    }
    const auto found = variant->search(queries.view(), 5).value();
    const auto expected = index.search(queries.view(), 5).value();
    for (std::size_t q = 0; q < found.size(); ++q) {
      ASSERT_EQ(found[q].size(), expected[q].size());
      for (std::size_t i = 0; i < found[q].size(); ++i) {
        EXPECT_EQ(found[q][i].distance, expected[q][i].distance) << entry["file"];
      }
    }
  }
  EXPECT_GE(compared, 8);
}

TEST(UsearchIndex, SavesTheBytesItLoaded) {
  for (const auto& entry : usearch::fixtures(false)) {
    const std::string name = entry["file"];
    if (name.starts_with("hand_") || without_rows(entry)) continue;
    for (const bool mapped : {false, true}) {
      const auto index = open(entry, mapped);
      ASSERT_TRUE(index) << index.error().message();
      EXPECT_TRUE(saved(*index) == file_bytes(fixture(name))) << name;
    }
  }
}

TEST(UsearchIndex, SequentialBuilderGivesTheBytesOfThePackage) {
  int built = 0;
  for (const auto& entry : usearch::fixtures(false)) {
    const std::string name = entry["file"];
    if (name != "exact_a.usearch" && name != "exact_b.usearch") continue;
    ++built;
    const Rows rows = rows_of(entry, "source");
    IndexOptions options;
    options.metric = metric_from_name(entry["params"]["metric"].get<std::string>()).value();
    options.connectivity = entry["params"]["connectivity"];
    options.expansion_add = entry["params"]["expansion_add"];
    options.builder = Builder::usearch;
    const auto index = Index::build(rows.view(), keys_of(entry["source_keys"]), options);
    ASSERT_TRUE(index) << index.error().message();
    EXPECT_TRUE(saved(*index) == file_bytes(fixture(name))) << name;
  }
  EXPECT_EQ(built, 2);
}

TEST(UsearchIndex, ExtendingGivesTheBytesOfThePackage) {
  const auto entries = usearch::fixtures(false);
  const auto entry = *std::ranges::find(entries, "exact_extended.usearch", [](const auto& e) {
    return e["file"].template get<std::string>();
  });
  OpenOptions options;
  options.builder = Builder::usearch;
  options.expansion_add = entry["params"]["expansion_add"];
  auto index = Index::open(fixture("exact_b.usearch"), options).value();
  const Rows queries = rows_of(entry, "queries");
  // The first queries, as far as they go, under keys from a million on.
  const std::size_t added = 45 - 40;
  std::vector<std::uint64_t> keys = keys_of(entry["slot_keys"]);
  const std::vector<float> stored = load_array(entry["stored"]).as<float>();
  const MatrixView rows(stored.data() + 40 * queries.dim, added, queries.dim);
  ASSERT_TRUE(index.add(rows, std::span(keys).subspan(40)));
  EXPECT_TRUE(saved(index) == file_bytes(fixture("exact_extended.usearch")));
}

TEST(UsearchIndex, EveryBadFileIsRefusedWithItsPlace) {
  int refused = 0;
  for (const auto& entry : usearch::fixtures(true)) {
    const auto index = Index::open(fixture(entry["file"]));
    ASSERT_FALSE(index) << entry["file"];
    ++refused;
    const Error& error = index.error();
    EXPECT_FALSE(error.file().empty()) << entry["file"];
    EXPECT_FALSE(error.what().empty()) << entry["file"];
    const bool rows_missing = entry["file"] == "bad_matrix_missing.usearch";
    EXPECT_TRUE(error.offset().has_value() || rows_missing) << error.message();
  }
  EXPECT_EQ(refused, 46);
}

}  // namespace
}  // namespace embd
