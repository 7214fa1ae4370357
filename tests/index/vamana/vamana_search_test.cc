#include "index/vamana/vamana_search.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/vectors/svs/specification_layout.h"
#include "tests/support/npy.h"

namespace embd::vamana {
namespace {

using Json = nlohmann::json;

const std::filesystem::path test_data = EMBD_TEST_DATA;

struct Expected {
  test::Npy ids;
  test::Npy distances;
};

/// Searches `data` for every query and compares with what the library found: the same ids in the
/// same order.
void expect_same_results(const svs::Dataset& data, const GraphView& graph, std::uint64_t entry,
                         Metric metric, std::span<const std::uint64_t> external,
                         const test::Npy& queries, Window window, std::size_t k,
                         const Expected& expected) {
  // Queries are float32; rows are compared as float32, whatever their type.
  std::vector<float> values(data.rows() * data.dim());
  data.decode(0, data.rows(), values);
  const auto distance = Distance::create(metric, ElementType::f32, data.dim());
  ASSERT_TRUE(distance);
  const StoredRows rows = {reinterpret_cast<const std::byte*>(values.data()),
                           data.dim() * sizeof(float), nullptr};
  const std::vector<float> query_values = queries.as<float>();
  const std::size_t ids_bytes = expected.ids.dtype == "<i8" || expected.ids.dtype == "<u8" ? 8 : 4;

  SearchScratch scratch;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    const auto* query = reinterpret_cast<const std::byte*>(query_values.data() + q * data.dim());
    search_graph<Purpose::results>(RowSpace{*distance, rows}, distance->query(query), graph,
                                   static_cast<std::uint32_t>(entry), window, scratch);
    const auto slots = scratch.buffer.slots();
    const auto distances = scratch.buffer.distances();
    ASSERT_GE(slots.size(), k);
    for (std::size_t i = 0; i < k; ++i) {
      const std::uint64_t id = external.empty() ? slots[i] : external[slots[i]];
      const std::string_view stored =
          std::string_view(expected.ids.bytes).substr((q * k + i) * ids_bytes, ids_bytes);
      std::uint64_t wanted = 0;
      std::memcpy(&wanted, stored.data(), ids_bytes);
      EXPECT_EQ(id, wanted) << "query " << q << ", hit " << i;
      const float theirs = expected.distances.as<float>()[q * k + i];
      const float ours = metric == Metric::l2sq ? distances[i] : 1 - distances[i];
      EXPECT_NEAR(ours, theirs, 1e-5F * std::max(1.0F, std::abs(theirs)));
    }
  }
}

class LibraryIndex : public testing::TestWithParam<const char*> {};

TEST_P(LibraryIndex, GivesTheLibrarysOwnHits) {
  const std::filesystem::path folder = test_data / "svs" / GetParam();
  const auto index = svs::open_vamana(folder);
  ASSERT_TRUE(index) << index.error().message();
  const GraphView graph = {index->graph.rows(), index->graph.num_vertices(),
                           index->graph.max_degree()};
  const Json expect = Json::parse(std::ifstream(folder / "expect.json"));
  const std::string distance = expect["distance"];
  const Metric metric = distance == "L2"                               ? Metric::l2sq
                        : distance == "cosine" || distance == "Cosine" ? Metric::cos
                                                                       : Metric::ip;
  const test::Npy queries = test::read_npy(folder / "queries.npy");
  for (const Json& search : expect["searches"]) {
    const std::string tag = search["tag"];
    SCOPED_TRACE(tag);
    expect_same_results(*index->data, graph, index->entry_point, metric, index->external_ids,
                        queries, {search["window"], search["capacity"]}, search["k"],
                        {test::read_npy(folder / (tag + "_ids.npy")),
                         test::read_npy(folder / (tag + "_dist.npy"))});
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, LibraryIndex,
                         testing::Values("vamana_l2", "vamana_ip", "vamana_cosine", "dynamic_l2"),
                         [](const auto& test) { return test.param; });

TEST(SpecificationIndex, GivesTheExpectedHits) {
  const std::filesystem::path folder = test_data / "svsseed";
  int searches = 0;
  const Json manifest = Json::parse(std::ifstream(folder / "manifest.json"));
  for (const Json& file : manifest["files"]) {
    if (file["kind"] != "vamana") continue;
    SCOPED_TRACE(file["file"].get<std::string>());
    const auto index = svs::open_specification_index(folder / file["file"].get<std::string>());
    ASSERT_TRUE(index) << index.error().message();
    const GraphView graph = {index->graph.rows(), index->graph.num_vertices(),
                             index->graph.max_degree()};
    const Metric metric = index->distance == svs::SpecificationDistance::squared_l2 ? Metric::l2sq
                          : index->distance == svs::SpecificationDistance::cosine   ? Metric::cos
                                                                                    : Metric::ip;
    const test::Npy queries = test::read_npy(folder / file["queries"].get<std::string>());
    for (const Json& search : file["searches"]) {
      ++searches;
      expect_same_results(*index->vectors.data, graph, index->entry_point, metric,
                          index->vectors.external_ids, queries,
                          {search["window"], search["capacity"]}, search["k"],
                          {test::read_npy(folder / search["ids"].get<std::string>()),
                           test::read_npy(folder / search["distances"].get<std::string>())});
    }
  }
  EXPECT_GE(searches, 10);
}

std::vector<std::uint32_t> slots_of(const SearchBuffer& buffer) {
  return {buffer.slots().begin(), buffer.slots().end()};
}

TEST(SearchBuffer, KeepsEqualDistancesInTheirOrderAndDropsTheLast) {
  SearchBuffer buffer;
  buffer.reset(2, 3);
  buffer.insert(1, 10);
  buffer.insert(1, 11);
  buffer.insert(0, 12);
  EXPECT_TRUE(buffer.is_full());
  ASSERT_TRUE(buffer.wants(1));
  EXPECT_FALSE(buffer.wants(2));
  buffer.insert(1, 13);  // after its equals, so off the end
  EXPECT_EQ(slots_of(buffer), (std::vector<std::uint32_t>{12, 10, 11}));
  EXPECT_EQ(buffer.next()->slot, 12U);
  EXPECT_EQ(buffer.peek(), 10U);
  EXPECT_EQ(buffer.next()->slot, 10U);
  EXPECT_FALSE(buffer.peek());  // the third is outside the window
  EXPECT_FALSE(buffer.next());
  buffer.insert(0.5F, 14);
  EXPECT_EQ(buffer.next()->slot, 14U);
  EXPECT_FALSE(buffer.next());  // 10 has moved out of the window
}

TEST(SearchBuffer, KeepsTheNearestOfManyInOrder) {
  for (const std::size_t capacity : {1, 7, 128, 129, 1000}) {
    SearchBuffer buffer;
    buffer.reset(capacity, capacity);
    std::vector<Neighbour> all;
    for (std::uint32_t slot = 0; slot < 3000; ++slot) {
      const auto distance = static_cast<float>(slot * 2654435761U >> 23);  // 512 values
      all.push_back({distance, slot});
      if (buffer.wants(distance)) buffer.insert(distance, slot);
    }
    std::ranges::stable_sort(all, {}, &Neighbour::distance);
    ASSERT_EQ(buffer.slots().size(), capacity);
    for (std::size_t i = 0; i < capacity; ++i) {
      ASSERT_EQ(buffer.slots()[i], all[i].slot) << capacity << ' ' << i;
      ASSERT_EQ(buffer.distances()[i], all[i].distance);
    }
  }
}

}  // namespace
}  // namespace embd::vamana
