#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "formats/recipe_json.h"
#include "formats/vectors/usearch/usearch_scalar.h"
#include "jobs/options/job_lists.h"
#include "jobs/outputs/output_target.h"
#include "jobs/sets/format_table.h"

namespace embd {
namespace {

struct Three {
  int a;
  std::optional<std::string> b = {};
  CvcOptions c = {};
};
static_assert(member_count<Three>() == 3);

/// Calls visit(structure, option) with each option of each list.
template <class Visit>
void for_each_listed(Visit&& visit) {
  for_each_list([&]<class Options>(std::string_view structure) {
    for_each_own_option<Options>([&](const auto& option) { visit(structure, option); });
  });
}

bool is_name(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

TEST(OptionLists, AnOptionIsFoundByItsMember) {
  constexpr auto mmap = option_of<&CvcOptions::mmap>();
  EXPECT_EQ(mmap.name, "cvc_mmap");
  EXPECT_EQ(mmap.option, "cvc_mmap");
  EXPECT_EQ(mmap.keyword, "mmap");
  EXPECT_EQ(mmap.formats[0], "cvc");
  constexpr auto compression = option_of<&CvcOptions::compression>();
  EXPECT_EQ(compression.word_of(CvcOptions::Compression::int8), "int8");
  EXPECT_EQ(compression.word_of(CvcOptions::Compression::automatic), "");
  EXPECT_EQ(compression.value_of("none"), CvcOptions::Compression::none);
  EXPECT_EQ(compression.value_of("nine"), std::nullopt);
}

TEST(OptionLists, EveryOptionSaysWhatItIs) {
  for_each_listed([](std::string_view structure, const auto& option) {
    EXPECT_FALSE(option.name.empty()) << structure;
    for (const std::string_view name : {option.name, option.option, option.keyword, option.needs})
      EXPECT_TRUE(is_name(name)) << name;
    EXPECT_TRUE(option.option.empty() || option.group != OptionGroup::general) << option.name;
    EXPECT_TRUE(option.option.empty() || !option.help.empty()) << option.name;
    EXPECT_LE(option.least, option.greatest) << option.name;
  });
}

TEST(OptionLists, EveryStructureOfOptionsHasAList) {
  std::set<std::string> listed;
  for_each_list([&]<class Options>(std::string_view structure) { listed.emplace(structure); });
  const std::regex structure("(?:^|\n)struct (\\w+Options) \\{");
  std::set<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(EMBD_TEST_DATA "/../../include/embd")) {
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (std::sregex_iterator at(text.begin(), text.end(), structure); at != std::sregex_iterator();
         ++at)
      found.insert((*at)[1]);
  }
  EXPECT_EQ(found, listed);
}

TEST(OptionLists, NamesOfAStructureDiffer) {
  for_each_list([]<class Options>(std::string_view structure) {
    std::set<std::string_view> names;
    for_each_own_option<Options>([&](const auto& option) {
      EXPECT_TRUE(names.insert(option.name).second) << structure << " " << option.name;
    });
  });
}

/// They stand in one object of conditions, with the fields of the recipe.
TEST(OptionLists, ConditionsOfARunDiffer) {
  std::map<std::string, int> counts;
  const auto count = [&](const auto& option, const auto&) {
    if (option.decides == Decides::rows || option.decides == Decides::run)
      ++counts[std::string(option.name)];
  };
  for_each_option(InputOptions(), count);
  for_each_option(EmbedOptions(), count);
  EXPECT_GE(counts.size(), 40U);
  for (const auto& [name, number] : counts) EXPECT_EQ(number, 1) << name;
  const std::string recipe = recipe_to_json(Recipe());
  for (const auto& [name, number] : counts) {
    // Also whether it was asked for.
    if (name == "output_type") continue;
    EXPECT_EQ(recipe.find("\"" + name + "\":"), std::string::npos) << name;
  }
}

TEST(OptionLists, ACharacterIsItselfOrTab) {
  EXPECT_EQ(character_in(";"), ';');
  EXPECT_EQ(character_in("tab"), '\t');
  EXPECT_EQ(character_in(""), std::nullopt);
  EXPECT_EQ(character_in("ab"), std::nullopt);
}

TEST(OptionLists, FormatsAreThoseOfTheTable) {
  std::set<std::string_view> known = {"hnsw", "vamana", "none", "terms"};
  for (const Format* format : all_formats()) known.insert(format->name);
  for_each_listed([&](std::string_view, const auto& option) {
    for (const std::string_view format : option.formats)
      EXPECT_TRUE(format.empty() || known.contains(format)) << option.name << " " << format;
  });
}

TEST(OptionLists, EveryWordIsThatOfTheLibrary) {
  for (const auto& [word, value] : compute_names) EXPECT_EQ(compute_name(value), word);
  for (const auto& [word, value] : output_type_names) EXPECT_EQ(output_type_name(value), word);
  for (const auto& [word, value] : element_type_names) EXPECT_EQ(element_name(value), word);
  for (const auto& [word, value] : metric_names) {
    EXPECT_EQ(metric_from_name(word), value);
    EXPECT_EQ(metric_name(value), word == "l2" ? "l2sq" : word);
  }
}

TEST(OptionLists, TheTypesOfAnIndexAreThoseOfUsearch) {
  for (const auto& [word, type] : element_type_names) {
    const bool is_listed = option_of<&IndexOptions::scalar>().value_of(word).has_value();
    EXPECT_EQ(is_listed, usearch::is_scalar(type)) << word;
  }
}

}  // namespace
}  // namespace embd
