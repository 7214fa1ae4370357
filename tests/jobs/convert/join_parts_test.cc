// Parts of a job, joined in whatever order, are the files that one run makes; whatever is not one
// job is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "embd/embed_file.h"
#include "embd/parts.h"
#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

/// How a job is run, and what its parts and the whole are called: "part-0.npy", "whole.npy".
struct Job {
  std::string input = "in.txt";
  std::string extension = ".npy";
  InputOptions texts = {};
  EmbedOptions options = {};
};

class JoinPartsTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    std::string lines;
    std::string records;
    for (int i = 0; i < 40; ++i) {
      const std::string text =
          "text " + std::to_string(i) + std::string(static_cast<std::size_t>(i * 7 % 23), 'a');
      lines += text + '\n';
      records += R"({"text":")" + text + R"(","title":"title )" + std::to_string(i) + R"(","n":)" +
                 std::to_string(i) + "}\n";
    }
    test::write_file(path("in.txt"), lines);
    test::write_file(path("in.jsonl"), records);
    test::write_file(path("empty.jsonl"), "");
    test::write_file(path("empty.txt"), "");
  }

  void embed(const Job& job, const std::string& output, std::optional<InputPart> part = {}) const {
    EmbedOptions options = job.options;
    options.part = part;
    const auto done = embed_file(model_, path(job.input), {path(output)}, job.texts, options);
    ASSERT_TRUE(done) << output << ": " << done.error().message();
  }
  std::string name_of(const Job& job, std::uint64_t part) const {
    return "part-" + std::to_string(part) + job.extension;
  }
  std::filesystem::path manifest_of(const Job& job, std::uint64_t part) const {
    return part_manifest_path(path(name_of(job, part)));
  }
  /// The parts' manifests.
  std::vector<std::filesystem::path> embed_parts(const Job& job, std::uint64_t count) const {
    std::vector<std::filesystem::path> manifests;
    for (std::uint64_t part = 0; part < count; ++part) {
      embed(job, name_of(job, part), InputPart{part, count});
      manifests.push_back(manifest_of(job, part));
    }
    return manifests;
  }
  JoinReport join(const std::vector<std::filesystem::path>& manifests,
                  const std::string& output = "joined.npy", const OutputOptions& options = {}) {
    const auto report = join_parts(manifests, path(output), options);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : JoinReport();
  }
  /// The files of the output `name`, its own name left out of theirs.
  test::Files files_of(const std::string& name) const {
    test::Files all;
    for (const auto& [file, content] : test::files_in(directory()))
      if (file.starts_with(name)) all[file.substr(name.size())] = content;
    return all;
  }
  /// That `count` parts, joined in any order, are what one run makes: every file of it.
  void expect_whole(const Job& job, std::uint64_t count, const OutputOptions& options = {});
  /// A member of a part's manifest gets another value.
  void change(const std::filesystem::path& manifest, const std::string& pointer,
              const nlohmann::json& value) const {
    auto json = nlohmann::ordered_json::parse(test::content(manifest));
    json[nlohmann::ordered_json::json_pointer(pointer)] = value;
    test::write_file(manifest, json.dump());
  }
  void expect_conditions_named(const std::vector<std::filesystem::path>& manifests,
                               const std::string& name) {
    const auto report = join_parts(manifests, path("joined.npy"));
    ASSERT_FALSE(report) << name;
    EXPECT_EQ(report.error().code(), ErrorCode::recipe_mismatch);
    EXPECT_TRUE(report.error().message().contains(" in " + name + ",")) << report.error().message();
    EXPECT_FALSE(std::filesystem::exists(path("joined.npy")));
  }
  void expect_problem(const std::vector<std::filesystem::path>& manifests,
                      const std::string& words) {
    const JoinReport report = join(manifests);
    ASSERT_EQ(report.problems.size(), 1U) << words;
    EXPECT_NE(report.problems[0].find(words), std::string::npos) << report.problems[0];
    EXPECT_FALSE(std::filesystem::exists(path("joined.npy")));
  }

  const Model model_ =
      Model::open(std::filesystem::path(EMBD_TEST_DATA) / "embd/plain.weights").value();
  std::mt19937 random_{8};
};

void JoinPartsTest::expect_whole(const Job& job, std::uint64_t count,
                                 const OutputOptions& options) {
  SCOPED_TRACE(job.input + " as " + job.extension + " in " + std::to_string(count));
  embed(job, "whole" + job.extension);
  std::vector<std::filesystem::path> manifests = embed_parts(job, count);
  std::ranges::shuffle(manifests, random_);
  const JoinReport report = join(manifests, "joined" + job.extension, options);
  EXPECT_EQ(report.problems, std::vector<std::string>());
  EXPECT_EQ(report.parts, count);
  EXPECT_EQ(files_of("joined" + job.extension), files_of("whole" + job.extension));
}

TEST_F(JoinPartsTest, AnySplitInAnyOrderIsTheWhole) {
  for (const std::string& extension :
       test::written({".npy", ".jsonl", ".parquet", ".fvecs", ".fbin", ".svs"}))
    for (const std::uint64_t count : {1, 2, 5}) expect_whole({.extension = extension}, count);
  expect_whole({}, 50);  // some of which have no text
}

TEST_F(JoinPartsTest, IdsAreThoseOfOneRun) {
  for (const char* extension : {".npy", ".jsonl", ".parquet", ".usearch"}) {
    const auto with_options = [&](const InputOptions& texts, const EmbedOptions& options) {
      expect_whole(
          {.input = "in.jsonl", .extension = extension, .texts = texts, .options = options}, 3);
    };
    with_options({}, {});
    with_options({}, {.id_start = 0});
    with_options({}, {.id_start = 1000});
    with_options({.id_field = "n"}, {});
    with_options({.id_field = "title"}, {});
  }
  embed({.options = {.id_start = 0}}, "whole.npy");
  EXPECT_TRUE(std::filesystem::exists(path("whole.npy.ids.jsonl")));  // So it was worth comparing.
}

TEST_F(JoinPartsTest, CodesHalvesAndWindowsAreThoseOfOneRun) {
  for (const OutputType type : {OutputType::f16, OutputType::binary}) {
    EmbedOptions options;
    options.output.type = type;
    expect_whole({.options = options}, 3);
    expect_whole({.extension = ".usearch", .options = options}, 3);
  }
  EmbedOptions windows;
  windows.encode.max_length = 6;
  for (const Windows kind : {Windows::rows, Windows::mean}) {
    windows.encode.windows = kind;
    expect_whole({.options = windows}, 3);
  }
  Matrix ranges(2, model_.dim());
  for (std::size_t i = 0; i < ranges.cols(); ++i) {
    ranges.row(0)[i] = -1;
    ranges.row(1)[i] = 1;
  }
  ASSERT_TRUE(write_vectors(path("ranges.npy"), ranges));
  EmbedOptions codes;
  codes.output.type = OutputType::int8;
  codes.output.int8_ranges = path("ranges.npy");
  expect_whole({.options = codes}, 3);
}

TEST_F(JoinPartsTest, AnInputWithoutTextsHasParts) {
  for (const char* input : {"empty.txt", "empty.jsonl"})
    for (const char* extension : {".npy", ".jsonl", ".parquet", ".cvc"})
      expect_whole({.input = input, .extension = extension}, 2);
  EmbedOptions binary;
  binary.output.type = OutputType::binary;
  for (const char* extension : {".npy", ".jsonl"})
    expect_whole({.input = "empty.jsonl", .extension = extension, .options = binary}, 2);
}

TEST_F(JoinPartsTest, TheRecipeHasTheHashOfTheInput) {
  join(embed_parts({}, 3));
  embed({}, "whole.npy");
  const auto recipe = open_vectors(path("joined.npy")).value()->recipe().value().value();
  EXPECT_EQ(recipe.input_sha256.size(), 64U);
  EXPECT_EQ(recipe, open_vectors(path("whole.npy")).value()->recipe().value().value());
}

TEST_F(JoinPartsTest, WordsThatAreMadeOfNumbersHaveNoDigestOfTheNumbers) {
  const auto manifests = embed_parts({}, 2);
  EXPECT_EQ(join(manifests, "joined.fifu").problems, std::vector<std::string>());
  EXPECT_EQ(open_vectors(path("joined.fifu")).value()->digest().value(), "");
  EXPECT_EQ(join(manifests, "joined.npy").problems, std::vector<std::string>());
  EXPECT_NE(open_vectors(path("joined.npy")).value()->digest().value(), "");
}

TEST_F(JoinPartsTest, PartsOfADifferentOrderOfTheTextsAreRefused) {
  const auto manifests = embed_parts({}, 2);
  std::string content = test::content(path("in.txt"));
  std::istringstream lines(content);
  std::string reversed;
  for (std::string line; std::getline(lines, line);) reversed.insert(0, line + '\n');
  test::write_file(path("in.txt"), reversed);
  embed({}, name_of({}, 1), InputPart{1, 2});
  expect_problem(manifests, "the input of this part differs from the input of part 0");
}

/// Wherever a letter is changed between two parts, the parts before it and behind it are refused,
/// unless nobody but the later one has read it.
TEST_F(JoinPartsTest, PartsOfAnEditedInputAreRefused) {
  const auto manifests = embed_parts({}, 3);
  const std::string content = test::content(path("in.txt"));
  const auto first_texts = [&](std::size_t part) {
    return read_part_manifest(manifests[part])->first_text;
  };
  std::size_t line = 0;
  for (std::size_t at = 0; at < content.size(); ++at) {
    if (content[at] == '\n') ++line;
    if (content[at] == '\n' || at % 11 != 0) continue;
    SCOPED_TRACE(at);
    std::string edited = content;
    edited[at] = edited[at] == 'x' ? 'y' : 'x';
    test::write_file(path("in.txt"), edited);
    embed({}, name_of({}, 1), InputPart{1, 3});
    const std::size_t part_of_line = line < first_texts(1) ? 0 : line < first_texts(2) ? 1 : 2;
    const std::vector<std::string> problems = join(manifests).problems;
    // Only what the part in the middle read counts: its own share and all before it.
    EXPECT_EQ(problems.size(), part_of_line == 2 ? 0U : part_of_line == 1 ? 1U : 2U);
    if (part_of_line == 1) {
      EXPECT_NE(problems.front().find("part 2"), std::string::npos);
    }
    std::filesystem::remove(path("joined.npy"));
  }
}

TEST_F(JoinPartsTest, PartsOfOtherOptionsAreRefusedByName) {
  const Job job = {.input = "in.jsonl"};
  const auto manifests = embed_parts(job, 2);
  const auto with_other_part = [&](const std::string& name, const InputOptions& texts,
                                   const EmbedOptions& options) {
    embed({.input = job.input, .texts = texts, .options = options}, name_of(job, 1),
          InputPart{1, 2});
    expect_conditions_named(manifests, name);
  };
  with_other_part("text_field", {.text_field = "title"}, {});
  with_other_part("id_field", {.id_field = "n"}, {});
  with_other_part("id_start", {}, {.id_start = 1000});
  with_other_part("max_length", {}, {.encode = {.max_length = 5}});
  with_other_part("prompt", {}, {.encode = {.prompt = "q: "}});
  with_other_part("truncate_dim", {}, {.encode = {.truncate_dim = 8}});
  EmbedOptions halves;
  halves.output.type = OutputType::f16;
  with_other_part("output_type", {}, halves);
}

TEST_F(JoinPartsTest, OtherKernelsMayMakePartsButTheReferenceMayNot) {
  const auto manifests = embed_parts({}, 2);
  change(manifests[0], "/recipe/instruction_set", "avx2");
  change(manifests[1], "/recipe/instruction_set", "neon");
  EXPECT_EQ(join(manifests).problems, std::vector<std::string>());
  std::filesystem::remove(path("joined.npy"));
  change(manifests[1], "/recipe/instruction_set", "reference");
  expect_conditions_named(manifests, "instruction_set");
  change(manifests[0], "/recipe/instruction_set", "reference");
  EXPECT_EQ(join(manifests).problems, std::vector<std::string>());
}

TEST_F(JoinPartsTest, WhatIsMissingOrDoubledIsNamed) {
  const auto all = embed_parts({}, 7);
  expect_problem({all[5], all[0], all[3]}, "4 of 7 parts are missing: 1–2, 4, 6");
  std::vector twice = all;
  twice.push_back(all[2]);
  expect_problem(twice, "given twice");
  change(all[6], "/parts", 8);
  const JoinReport mixed = join(all);
  ASSERT_EQ(mixed.problems.size(), 2U);
  EXPECT_NE(mixed.problems[0].find("one of 8 parts"), std::string::npos);
  change(all[6], "/parts", 7);
  change(all[6], "/first_text", 3);
  expect_problem(all, "begins with text 3");
  EXPECT_EQ(join_parts({}, path("x.npy")).error().code(), ErrorCode::invalid_argument);
}

TEST_F(JoinPartsTest, FilesThatAreNotThoseOfTheManifestsAreNamed) {
  const auto manifests = embed_parts({}, 2);
  std::filesystem::copy_file(path("part-0.npy"), path("kept.npy"));
  std::string content = test::content(path("part-0.npy"));
  content.back() = static_cast<char>(content.back() ^ 1);
  std::filesystem::remove(path("part-0.npy.recipe.json"));
  test::write_file(path("part-0.npy"), content);
  expect_problem(manifests, "does not contain the");
  std::filesystem::remove(path("part-0.npy"));
  expect_problem(manifests, "does not exist");
}

TEST_F(JoinPartsTest, NoPartIsReplaced) {
  const auto manifests = embed_parts({}, 2);
  for (const char* output : {"part-0.npy", "part-1.npy.ids.jsonl", "part-0.npy.part.json"}) {
    OutputOptions options;
    options.format = "npy";
    const auto report = join_parts(manifests, path(output), options);
    ASSERT_FALSE(report) << output;
    EXPECT_EQ(report.error().code(), ErrorCode::invalid_argument);
  }
}

TEST_F(JoinPartsTest, StopsWhenItIsAskedTo) {
  const auto manifests = embed_parts({}, 2);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(join_parts(manifests, path("joined.npy"), {}, stop.get_token()).error().code(),
            ErrorCode::cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("joined.npy")));
}

}  // namespace
}  // namespace embd
