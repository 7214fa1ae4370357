#include "embd/map.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/map/files.h"
#include "analysis/map/map_parts.h"
#include "base/base64.h"

namespace embd {
namespace {

/// A map of four rows on a line, in two groups and none.
RowMap small_map() {
  RowMap map = {.places = Matrix(4, 2)};
  for (std::size_t row = 0; row < 4; ++row) map.places.row(row)[0] = static_cast<float>(row);
  map.num_nearest = 1;
  map.nearest = {1, 0, 1, 2};
  map.similarities = {1, 1, 0.5F, -0.25F};
  map.title = "Texts";
  map.texts = {"one", "two", "three", "four"};
  map.groups = {0, 0, 1, -1};
  map.group_names = {"first", "second"};
  return map;
}

std::string between(std::string_view page, std::string_view begin, std::string_view end) {
  const std::size_t first = page.find(begin);
  EXPECT_NE(first, std::string::npos) << begin;
  page.remove_prefix(first + begin.size());
  return std::string(page.substr(0, page.find(end)));
}

/// The bytes that the page's script unpacks.
std::string data_of(const std::string& page) {
  const auto packed = decode_base64(between(page, "id=\"data\">", "</script>"));
  EXPECT_TRUE(packed);
  std::string data(1 << 20, '\0');
  uLongf size = data.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(data.data()), &size,
                       reinterpret_cast<const Bytef*>(packed->data()), packed->size()),
            Z_OK);
  data.resize(size);
  return data;
}

template <class T>
T number_at(std::string_view data, std::size_t at) {
  T value;
  std::memcpy(&value, data.data() + at, sizeof value);
  return value;
}

TEST(MapPage, HoldsTheMap) {
  const std::string data = data_of(map_page(small_map()).value());
  const auto head_size = number_at<std::uint32_t>(data, 0);
  const auto head = nlohmann::json::parse(data.substr(4, head_size));
  EXPECT_EQ(head["rows"], 4);
  EXPECT_EQ(head["nearest"], 1);
  EXPECT_EQ(head["texts"], true);
  EXPECT_EQ(head["ids"], false);
  EXPECT_EQ(head["groups"][1]["name"], "second");
  EXPECT_NE(head["groups"][0]["color"], head["groups"][1]["color"]);
  EXPECT_FLOAT_EQ(head["groups"][1]["x"], 2);
  std::size_t at = 4 + head_size;
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_NEAR(number_at<std::uint16_t>(data, at + 2 * row), 21845.0 * static_cast<double>(row),
                1);
  at += 16;
  EXPECT_EQ(number_at<std::int16_t>(data, at + 4), 1);
  EXPECT_EQ(number_at<std::int16_t>(data, at + 6), -1);
  at += 8;
  EXPECT_EQ(number_at<std::uint32_t>(data, at + 12), 2U);
  at += 16;
  EXPECT_EQ(data.substr(at, 4), std::string("\xFF\xFF\x80\x00", 4));
  at += 4;
  EXPECT_EQ(data.substr(at + 16), "onetwothreefour");
}

TEST(MapPage, AsksNothingOfANetwork) {
  const std::string page = map_page(small_map()).value();
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_NE(policy.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_EQ(page.find("@include"), std::string::npos);
  EXPECT_EQ(policy.find(own_sources(page)), std::string("default-src 'none'; ").size());
}

TEST(MapPage, HostileWordsStayWords) {
  const std::string hostile("</script><script>alert(1)</script>@DATA@ \xE2\x80\xA8 \0 \xFF \"&",
                            49);
  RowMap map = small_map();
  map.title = hostile;
  map.texts[2] = hostile;
  map.group_names[0] = hostile;
  map.ids = {hostile, "b", "", "d"};
  const std::string page = map_page(map).value();
  EXPECT_EQ(page.find("alert"), page.find("&lt;script&gt;alert") + 14);  // in titles alone
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find('\0'), std::string::npos);
  const std::string data = data_of(page);
  EXPECT_NE(data.find(hostile), std::string::npos);
  const std::string picture = map_picture(map).value();
  EXPECT_EQ(picture.find("<script"), std::string::npos);
  EXPECT_EQ(picture.find('\0'), std::string::npos);
  EXPECT_EQ(picture.find('\xFF'), std::string::npos);
}

TEST(MapPage, CutsLongTextsBetweenCharacters) {
  RowMap map = small_map();
  map.texts[0] = "ääää";
  const std::string data = data_of(map_page(map, {.text_bytes = 5}).value());
  EXPECT_NE(data.find("ää…two"), std::string::npos);
}

TEST(MapPage, OfNoRowsAndOfOne) {
  for (const std::size_t num_rows : {0, 1, 2}) {
    const RowMap map = map_rows(Matrix(num_rows, 3)).value();
    EXPECT_EQ(map.num_rows(), num_rows);
    EXPECT_EQ(map.num_nearest, num_rows == 2 ? 1U : 0U);
    EXPECT_TRUE(map_page(map));
    EXPECT_TRUE(map_picture(map));
  }
}

TEST(MapPage, RefusesPartsThatDoNotFit) {
  const auto refused = [](auto change) {
    RowMap map = small_map();
    change(map);
    return !map_page(map) && !map_picture(map);
  };
  EXPECT_FALSE(refused([](RowMap&) {}));
  EXPECT_TRUE(refused([](RowMap& map) { map.texts.pop_back(); }));
  EXPECT_TRUE(refused([](RowMap& map) { map.ids = {"a"}; }));
  EXPECT_TRUE(refused([](RowMap& map) { map.groups[0] = 2; }));
  EXPECT_TRUE(refused([](RowMap& map) { map.groups[0] = -2; }));
  EXPECT_TRUE(refused([](RowMap& map) { map.nearest[0] = 4; }));
  EXPECT_TRUE(refused([](RowMap& map) { map.similarities.clear(); }));
  EXPECT_TRUE(refused([](RowMap& map) { map.places.row(1)[0] = NAN; }));
  EXPECT_TRUE(refused([](RowMap& map) { map.group_names.resize(40000); }));
}

TEST(MapPicture, DrawsEachRowOnce) {
  const std::string picture = map_picture(small_map()).value();
  std::size_t points = 0;
  for (std::size_t at = picture.find("h0"); at != std::string::npos;
       at = picture.find("h0", at + 1))
    ++points;
  EXPECT_EQ(points, 4U);
  EXPECT_NE(picture.find(">first</text>"), std::string::npos);
  EXPECT_FALSE(map_picture(small_map(), {.width = 10}));
}

TEST(GroupMarks, ColorsRepeatFarApart) {
  RowMap map = {.places = Matrix(20, 2)};
  for (std::size_t row = 0; row < 20; ++row) {
    map.places.row(row)[0] = static_cast<float>(row);
    map.groups.push_back(static_cast<std::int32_t>(row));
    map.group_names.push_back("g");
  }
  const auto marks = mark_groups(map);
  for (std::size_t a = 0; a < 20; ++a)
    for (std::size_t b = a + 1; b < std::min<std::size_t>(20, a + 4); ++b)
      EXPECT_NE(marks[a].color, marks[b].color) << a << ' ' << b;
  EXPECT_EQ(marks[7].color, 7U);
  EXPECT_FLOAT_EQ(marks[19].x, 19);
}

TEST(Palette, IsThatOfTheScript) {
  const std::string_view page = map_file_html();
  for (const Palette* palette : {&light_palette, &dark_palette}) {
    std::vector<std::string_view> all(palette->colors.begin(), palette->colors.end());
    all.insert(all.end(), palette->steps.begin(), palette->steps.end());
    for (const std::string_view color : {palette->none, palette->ink, palette->paper})
      all.push_back(color);
    std::size_t at = page.find(palette == &light_palette ? "light: {colors:" : "dark: {colors:");
    for (const std::string_view color : all) {
      at = page.find(color, at);
      EXPECT_NE(at, std::string::npos) << color;
    }
  }
}

}  // namespace
}  // namespace embd
