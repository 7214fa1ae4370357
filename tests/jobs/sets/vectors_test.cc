#include "embd/vectors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "base/path_text.h"
#include "formats/vectors/sidecar_names.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/index_sets.h"
#include "jobs/sets/set_files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

class VectorsTest : public test::TemporaryDirectory {
 protected:
  std::string content(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    EXPECT_TRUE(text) << name;
    return text.str();
  }
  /// Two rows of two values under `name`.
  void write(const std::string& name, const Ids& ids = {}, const WriteOptions& options = {}) {
    const std::vector<float> rows = {1, 2, 3, 4};
    auto writer = create_vectors(path(name), 2, options);
    ASSERT_TRUE(writer) << writer.error().message();
    ASSERT_TRUE((*writer)->append({rows.data(), 2, 2}, ids));
    const auto finished = (*writer)->finish();
    ASSERT_TRUE(finished) << finished.error().message();
  }
};

const Recipe recipe = {
    .model_sha256 = "ab", .max_length = 256, .prompt = "query: ", .output_type = "f32"};

/// Returns the recipe that a file of such rows tells: it has the type in which they are stored.
Recipe told(Recipe of_rows, const Format& format) {
  const std::map<std::string_view, std::string> halves = {{"cvc", "f16"}, {"hvecs", "f16"}};
  if (halves.contains(format.name)) of_rows.output_type = halves.at(format.name);
  return of_rows;
}
// Without spaces: word2vec's binary file has no place for one.
const std::vector<std::string> words = {"one", "two_\"2\""};

TEST_F(VectorsTest, EveryWritableFormatComesBackByItsName) {
  for (const Format* format : test::written_formats()) {
    SCOPED_TRACE(format->name);
    const std::string name = "out" + std::string(format->extensions.front());
    write(name, words, {.recipe = recipe});
    const auto reader = open_vectors(path(name));
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ((*reader)->info().format, format->name);
    EXPECT_EQ((*reader)->info().num_rows, 2U);
    std::vector<float> row(2);
    ASSERT_TRUE((*reader)->read(1, 1, row));
    EXPECT_NEAR(row[0], 3, 0.01);
    EXPECT_NEAR(row[1], 4, 0.01);
    EXPECT_EQ((*reader)->ids().value(), Ids(words));
    EXPECT_EQ((*reader)->recipe().value(), told(recipe, *format));
    EXPECT_TRUE((*reader)->verify());
    EXPECT_EQ((*reader)->describe().front(), '{');
  }
}

TEST_F(VectorsTest, WhereTheTextsCameFromChangesNoByteAndIsKept) {
  Recipe from_a_file = recipe;
  from_a_file.input_sha256 = "cd";
  for (const Format* format : test::written_formats()) {
    if (format->name == "svs") continue;  // a directory
    SCOPED_TRACE(format->name);
    const std::string extension(format->extensions.front());
    write("pipe" + extension, words, {.recipe = recipe});
    write("file" + extension, words, {.recipe = from_a_file});
    EXPECT_EQ(content("pipe" + extension), content("file" + extension));
    EXPECT_EQ(open_vectors(path("pipe" + extension)).value()->recipe().value(),
              told(recipe, *format));
    EXPECT_EQ(open_vectors(path("file" + extension)).value()->recipe().value(),
              told(from_a_file, *format));
  }
}

TEST_F(VectorsTest, WrittenInOneCallEveryFormatIsTheSame) {
  const std::vector<float> rows = {1, 2, 3, 4};
  for (const Format* format : test::written_formats()) {
    if (format->name == "svs") continue;  // svs is a folder
    SCOPED_TRACE(format->name);
    const std::string extension(format->extensions.front());
    write("appended" + extension, words, {.recipe = recipe});
    const WriteOptions options = {.ids = words, .recipe = recipe};
    ASSERT_TRUE(write_vectors(path("at_once" + extension), {rows.data(), 2, 2}, options));
    EXPECT_EQ(content("at_once" + extension), content("appended" + extension));
    EXPECT_EQ(open_vectors(path("at_once" + extension)).value()->ids().value(), Ids(words));
  }
  EXPECT_EQ(write_vectors(path("x.npy"), {rows.data(), 1, 2}, {.ids = words}).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(VectorsTest, IdsGivenAtTheStartAreAsManyAsTheRows) {
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  for (const std::size_t count : {1, 3}) {
    auto writer = create_vectors(path("out.jsonl"), 2, {.ids = words}).value();
    const auto appended = writer->append({rows.data(), count, 2}, Ids{});
    EXPECT_EQ(appended.has_value(), count == 1);
    EXPECT_EQ(writer->finish().error().code(), ErrorCode::bad_count);
  }
}

TEST_F(VectorsTest, NumbersAreIdsToo) {
  const std::vector<std::uint64_t> numbers = {5, ~0ULL};
  for (const char* name : {"out.npy", "out.jsonl"}) {
    write(name, numbers);
    EXPECT_EQ(open_vectors(path(name)).value()->ids().value(), Ids(numbers));
  }
  EXPECT_EQ(content("out.npy.ids.jsonl"), "5\n18446744073709551615\n");
}

TEST_F(VectorsTest, TheContentDecidesAndAWrongNameIsAnError) {
  write("out.npy");
  std::filesystem::rename(path("out.npy"), path("out.dat"));
  EXPECT_EQ(open_vectors(path("out.dat")).value()->info().format, "npy");
  std::filesystem::rename(path("out.dat"), path("out.fvecs"));
  const Error error = open_vectors(path("out.fvecs")).error();
  EXPECT_EQ(error.code(), ErrorCode::bad_magic);
  EXPECT_NE(error.message().find("npy by its content, but fvecs by its name"), std::string::npos);
  EXPECT_EQ(open_vectors(path("out.fvecs"), {.format = "npy"}).value()->info().format, "npy");
  EXPECT_EQ(open_vectors(path("out.fvecs"), {.format = "cvc"}).error().code(),
            ErrorCode::bad_magic);
}

TEST_F(VectorsTest, NoFormatIsWrittenUnderANameOfAnother) {
  for (const Format* format : test::written_formats()) {
    const std::string name(format->name);
    EXPECT_TRUE(create_vectors(path("out.dat"), 4, {.format = name})) << name;
    for (const Format* other : all_formats()) {
      const std::filesystem::path out = path("out" + std::string(other->extensions.front()));
      const auto writer = create_vectors(out, 4, {.format = name});
      const bool fits = other == format || other->create == nullptr;
      EXPECT_EQ(fits, writer.has_value()) << name << " as " << out;
      if (!fits) {
        EXPECT_EQ(writer.error().code(), ErrorCode::invalid_argument);
      }
    }
  }
}

TEST_F(VectorsTest, UnknownFormatsAreRefused) {
  std::ofstream(path("x.dat")) << "hello";
  EXPECT_EQ(open_vectors(path("x.dat")).error().code(), ErrorCode::bad_magic);
  EXPECT_EQ(open_vectors(path("x.dat"), {.format = "docx"}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(open_vectors(path("none.npy")).error().code(), ErrorCode::not_found);
  if (!test::on_windows) {
    EXPECT_EQ(open_vectors("/dev/null").error().code(), ErrorCode::io_failed);
  }
  EXPECT_EQ(create_vectors(path("x.dat"), 2).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(create_vectors(path("x.npy"), 0).error().code(), ErrorCode::invalid_argument);
}

TEST_F(VectorsTest, TheFormatMayBeNamedInsteadOfTheExtension) {
  write("x.dat", {}, {.format = "fbin"});
  EXPECT_EQ(open_vectors(path("x.dat"), {.format = "fbin"}).value()->info().num_rows, 2U);
}

TEST_F(VectorsTest, WhatIsLeftBesideFromOtherVectorsGoes) {
  write("out.npy", words, {.recipe = recipe});
  EXPECT_TRUE(std::filesystem::exists(ids_path(path("out.npy"))));
  EXPECT_TRUE(std::filesystem::exists(recipe_path(path("out.npy"))));
  write("out.npy");
  EXPECT_FALSE(std::filesystem::exists(ids_path(path("out.npy"))));
  EXPECT_FALSE(std::filesystem::exists(recipe_path(path("out.npy"))));
  const auto reader = open_vectors(path("out.npy")).value();
  EXPECT_EQ(reader->ids().value(), Ids());
  EXPECT_EQ(reader->recipe().value(), std::nullopt);
}

/// Two rows of codes, which came from values between `least` and 1.
void write_codes(const std::filesystem::path& path, float least) {
  const std::vector<float> rows = {1, 2, 3, 4};
  const std::vector<float> ranges = {least, least, 1, 1};
  auto writer = create_vectors(path, 2, {.element_type = ElementType::i8}).value();
  ASSERT_TRUE(writer->codes()->set_ranges({ranges.data(), 2, 2}));
  ASSERT_TRUE(writer->append({rows.data(), 2, 2}, {}));
  ASSERT_TRUE(writer->finish());
}

TEST_F(VectorsTest, RangesOfCodesStandBesideUntilOtherRowsCome) {
  for (const std::string& name : test::written({"out.npy", "out.svs/"})) {
    const std::filesystem::path ranges = ranges_path(path(name));
    EXPECT_EQ(ranges.filename(), name.substr(0, 7) + ".ranges.npy");
    for (const float least : {-1.0F, -2.0F}) {
      write_codes(path(name), least);
      std::vector<float> values(4);
      ASSERT_TRUE(open_vectors(ranges).value()->read(0, 2, values));
      EXPECT_EQ(values, (std::vector<float>{least, least, 1, 1}));
    }
    write(name);
    EXPECT_FALSE(std::filesystem::exists(ranges));
  }
}

TEST_F(VectorsTest, UnfinishedVectorsLeaveNothingBeside) {
  {
    const std::vector<float> row = {1, 2};
    auto writer = create_vectors(path("out.npy"), 2, {.recipe = recipe}).value();
    ASSERT_TRUE(writer->append({row.data(), 1, 2}, std::vector<std::string>{"a"}));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory()));
}

TEST_F(VectorsTest, WritingThatFailsLeavesTheOldFilesBeside) {
  if (test::on_windows) GTEST_SKIP() << "a folder with open files stays on Windows";
  write("out.npy", words, {.recipe = recipe});
  const std::string recipe_file = content("out.npy.recipe.json");
  const std::string ids = content("out.npy.ids.jsonl");
  {
    auto writer = create_vectors(path("out.npy"), 2, {}).value();
    const std::vector<float> row = {1, 2};
    ASSERT_TRUE(writer->codes()->set_ranges({row.data(), 2, 1}));
    ASSERT_TRUE(writer->append({row.data(), 1, 2}, Ids(std::vector<std::uint64_t>{7})));
    // The folder in which the files are made goes.
    std::filesystem::remove_all(path("out.npy.embd-0.tmp"));
    EXPECT_FALSE(writer->finish());
  }
  EXPECT_EQ(content("out.npy.ids.jsonl"), ids);
  EXPECT_EQ(open_vectors(path("out.npy")).value()->recipe().value(), recipe);
  EXPECT_EQ(content("out.npy.recipe.json"), recipe_file);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory()), {}), 3);
}

/// Says what it finds in a file whenever it is told to go on.
class Witness final : public VectorWriter {
 public:
  Witness(std::unique_ptr<VectorWriter> writer, std::function<std::string()> look)
      : VectorWriter(writer->dim()), writer_(std::move(writer)), look_(std::move(look)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    return writer_->append(rows, ids);
  }
  Result<void> prepare_file() override {
    EXPECT_FALSE(std::exchange(is_prepared_, true));
    return writer_->prepare();
  }
  Result<void> finish_file() override {
    EXPECT_EQ(look_(), "old ids");
    return writer_->finish();
  }

  bool is_prepared_ = false;
  std::unique_ptr<VectorWriter> writer_;
  std::function<std::string()> look_;
};

TEST_F(VectorsTest, FilesBesideAreTheOldOnesUntilTheVectorsAreWhole) {
  std::ofstream(ids_path(path("out.npy"))) << "old ids";
  const auto look = [&] { return content("out.npy.ids.jsonl"); };
  auto writer =
      create_set(path("out.npy"), nullptr, {},
                 [&](const std::filesystem::path& file) -> Result<std::unique_ptr<VectorWriter>> {
                   const Format& npy = **format_for_output("out.npy", "");
                   return std::make_unique<Witness>(create_bare(npy, file, 2, {}).value(), look);
                 })
          .value();
  const std::vector<float> row = {1, 2};
  ASSERT_TRUE(writer->append({row.data(), 1, 2}, std::vector<std::string>{"a"}));
  ASSERT_TRUE(writer->prepare());
  EXPECT_EQ(look(), "old ids");
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(look(), "\"a\"\n");
}

/// Long work is done before any file is in place, and once.
TEST_F(VectorsTest, PreparingPutsNothingInPlace) {
  const auto write = [&](const std::string& name, WriteOptions options, bool prepare) {
    std::vector<float> rows(64 * 8);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i * i % 101);
    auto writer = create_vectors(path(name), 8, options).value();
    EXPECT_TRUE(writer->append({rows.data(), 64, 8}, {}));
    if (prepare) {
      EXPECT_TRUE(writer->prepare());
      EXPECT_FALSE(std::filesystem::exists(path(name)));
    }
    EXPECT_TRUE(writer->finish());
  };
  write("1.usearch", {}, false);
  write("2.usearch", {}, true);
  EXPECT_EQ(content("1.usearch"), content("2.usearch"));
  write("1.fifu", {.finalfusion = {.quantizer = FinalfusionOptions::Quantizer::pq}}, false);
  write("2.fifu", {.finalfusion = {.quantizer = FinalfusionOptions::Quantizer::pq}}, true);
  EXPECT_EQ(content("1.fifu"), content("2.fifu"));
  if (!test::has_svs()) return;
  write("1.svs", {.svs = {.quantizer = SvsOptions::Quantizer::lvq8}}, false);
  write("2.svs", {.svs = {.quantizer = SvsOptions::Quantizer::lvq8}}, true);
  EXPECT_EQ(content("1.svs/lvq_data_0.svs").size(), content("2.svs/lvq_data_0.svs").size());
}

TEST_F(VectorsTest, EveryWriterAndReaderRefusesWhatDoesNotFit) {
  const std::vector<float> rows = {1, 2, 3, 4};
  for (const Format* format : test::written_formats()) {
    SCOPED_TRACE(format->name);
    const std::string name = "out" + std::string(format->extensions.front());
    auto writer = create_vectors(path(name), 2).value();
    const auto refusal = [&](MatrixView some, const Ids& ids) {
      return writer->append(some, ids).error().code();
    };
    const std::vector<std::uint64_t> number = {7};
    EXPECT_EQ(refusal({rows.data(), 1, 3}, {}), ErrorCode::invalid_argument);
    EXPECT_EQ(refusal({rows.data(), 2, 2}, number), ErrorCode::invalid_argument);
    EXPECT_EQ(refusal({rows.data(), 1, 2}, std::vector<std::string>{"\xff"}),
              ErrorCode::invalid_utf8);
    ASSERT_TRUE(writer->append({rows.data(), 2, 2}, {}));
    EXPECT_EQ(refusal({rows.data(), 1, 2}, number), ErrorCode::invalid_argument);
    ASSERT_TRUE(writer->finish());
    const auto reader = open_vectors(path(name)).value();
    std::vector<float> values(4);
    EXPECT_TRUE(reader->read(2, 0, {}));
    EXPECT_EQ(reader->read(1, 2, values).error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(reader->read(~0ULL, 2, values).error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(reader->read(0, 1, values).error().code(), ErrorCode::invalid_argument);
  }
}

/// Changes by other programs to one of the files are noticed by the next reader.
TEST_F(VectorsTest, FilesOfOtherVectorsAreRefused) {
  const auto code = [&] {
    const auto reader = open_vectors(path("a.npy"));
    if (!reader) return reader.error().code();
    const auto ids = (*reader)->ids();
    return ids ? ErrorCode() : ids.error().code();
  };
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::ofstream(path(to), std::ios::binary) << content(from);
  };
  const auto write_both = [&] {
    write("a.npy", words, {.recipe = recipe});
    const std::vector<float> rows = {1, 2, 3, 5};
    const std::vector<std::string> ids = {"x", "y"};
    ASSERT_TRUE(write_vectors(path("b.npy"), {rows.data(), 2, 2}, {.ids = ids, .recipe = recipe}));
  };
  write_both();
  EXPECT_EQ(code(), ErrorCode());
  copy("b.npy", "a.npy");
  EXPECT_EQ(code(), ErrorCode::checksum_mismatch);
  write_both();
  copy("b.npy.recipe.json", "a.npy.recipe.json");
  EXPECT_EQ(code(), ErrorCode::checksum_mismatch);
  write_both();
  copy("b.npy.ids.jsonl", "a.npy.ids.jsonl");
  EXPECT_EQ(code(), ErrorCode::checksum_mismatch);
  write_both();
  std::filesystem::remove(path("a.npy.ids.jsonl"));
  EXPECT_EQ(code(), ErrorCode());  // Nothing is mixed.
  write_both();
  for (const char* name : {"", ".ids.jsonl", ".recipe.json"})
    copy("b.npy" + std::string(name), "a.npy" + std::string(name));
  EXPECT_EQ(code(), ErrorCode());
}

TEST_F(VectorsTest, FilesBesideWithoutATieAreRead) {
  write("a.npy");
  std::ofstream(ids_path(path("a.npy"))) << "\"x\"\n\"y\"\n";
  std::ofstream(recipe_path(path("a.npy"))) << R"({"model_sha256": "ab"})";
  const auto reader = open_vectors(path("a.npy")).value();
  EXPECT_EQ(reader->ids().value(), Ids(std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(reader->recipe().value()->model_sha256, "ab");
}

TEST_F(VectorsTest, FilesBesideAreFoundThroughALink) {
  if (test::on_windows) GTEST_SKIP() << "no links on Windows";
  write("a.npy", words, {.recipe = recipe});
  std::filesystem::create_symlink("a.npy", path("link.npy"));
  EXPECT_EQ(open_vectors(path("link.npy")).value()->ids().value(), Ids(words));
  write("link.npy", std::vector<std::uint64_t>{5, 6});
  EXPECT_EQ(open_vectors(path("a.npy")).value()->ids().value(),
            Ids(std::vector<std::uint64_t>{5, 6}));
  EXPECT_FALSE(std::filesystem::exists(ids_path(path("link.npy"))));
}

TEST_F(VectorsTest, TheSpecificationsLayoutOfSvsIsNamedByItsConfiguration) {
  if (!test::has_svs()) GTEST_SKIP() << test::no_svs;
  using Layout = SvsOptions::Layout;
  const WriteOptions asked = {.svs = {.layout = Layout::specification}};
  for (const auto& [name, options] :
       {std::pair("s.svs", asked), std::pair("t.config", WriteOptions{}),
        std::pair("u.config", asked)}) {
    SCOPED_TRACE(name);
    write(name, words, options);
    const auto config = path(name).replace_extension(".config");
    EXPECT_TRUE(std::filesystem::exists(ids_path(config)));
    EXPECT_EQ(open_vectors(config).value()->ids().value(), Ids(words));
    write(name, std::vector<std::uint64_t>{7, 8}, options);
    EXPECT_FALSE(std::filesystem::exists(ids_path(config)));
    EXPECT_EQ(open_vectors(config).value()->ids().value(), Ids(std::vector<std::uint64_t>{7, 8}));
  }
  for (const Layout layout : {Layout::directory, Layout::file})
    EXPECT_EQ(create_vectors(path("v.config"), 2, {.svs = {.layout = layout}}).error().code(),
              ErrorCode::invalid_argument);
}

TEST_F(VectorsTest, ADirectoryWithAnythingElseInItIsNotReplaced) {
  if (!test::has_svs()) GTEST_SKIP() << test::no_svs;
  for (const char* name :
       {"notes.txt", "data_7.svs", "sub/data_0.svs", "data/notes.txt", "graph"}) {
    SCOPED_TRACE(name);
    write("out.svs");
    std::filesystem::create_directories((path("out.svs") / name).parent_path());
    std::ofstream(path("out.svs") / name) << "the only copy";
    EXPECT_EQ(create_vectors(path("out.svs"), 2, {}).error().code(), ErrorCode::io_failed);
    EXPECT_EQ(content("out.svs/" + std::string(name)), "the only copy");
    std::filesystem::remove_all(path("out.svs"));
  }
}

TEST_F(VectorsTest, WrittenInPlaceEveryFormatIsItsFileAlone) {
  if (test::on_windows) GTEST_SKIP() << "no names of open files on Windows";
  for (const Format* format : test::written_formats()) {
    SCOPED_TRACE(format->name);
    const std::string name = "out" + std::string(format->extensions.front());
    const WriteOptions options = {.format = std::string(format->name), .recipe = recipe};
    write(name, words, options);
    std::FILE* file = std::fopen(text_of_path(path("place")).c_str(), "w+");
    ASSERT_NE(file, nullptr);
    ASSERT_GE(std::fputs("before", file), 0);
    ASSERT_EQ(std::fflush(file), 0);
    const std::string number = "/dev/fd/" + std::to_string(::fileno(file));
    const std::vector<float> rows = {1, 2, 3, 4};
    auto writer = create_vectors(number, 2, options);
    if (format->name == "svs") {
      EXPECT_EQ(writer.error().code(), ErrorCode::invalid_argument);
    } else {
      ASSERT_TRUE(writer) << writer.error().message();
      ASSERT_TRUE((*writer)->append({rows.data(), 2, 2}, words));
      ASSERT_TRUE((*writer)->finish());
      EXPECT_EQ(content("place"), "before" + content(name));
    }
    std::fclose(file);
  }
}

TEST_F(VectorsTest, MalformedFilesBesideAreRefusedWithTheirLine) {
  write("out.npy", words);
  const auto refusal = [&](const std::string& ids) {
    std::ofstream(ids_path(path("out.npy")), std::ios::binary) << ids;
    return open_vectors(path("out.npy")).value()->ids().error();
  };
  EXPECT_EQ(refusal("\"a\"\n").code(), ErrorCode::bad_count);
  EXPECT_EQ(refusal("\"a\"\n\"b\"\n\"c\"\n").code(), ErrorCode::bad_count);
  EXPECT_EQ(refusal("\"a\"\n7\n").line(), 2U);
  EXPECT_EQ(refusal("\"a\"\n7\n").code(), ErrorCode::bad_type);
  EXPECT_EQ(refusal("1\n-7\n").code(), ErrorCode::bad_type);
  EXPECT_EQ(refusal("\"a\"\n\"b\n").code(), ErrorCode::bad_json);
  EXPECT_EQ(refusal("\"a\"\n\"b\n").offset(), 6U);
  EXPECT_EQ(refusal("").code(), ErrorCode::bad_count);
  std::ofstream(recipe_path(path("out.npy"))) << "[]";
  EXPECT_EQ(open_vectors(path("out.npy")).value()->recipe().error().file(),
            text_of_path(recipe_path(path("out.npy"))));
}

TEST_F(VectorsTest, AStopRequestEndsBuildingAnIndex) {
  std::stop_source stop;
  const auto writer =
      create_index(path("out.usearch"), path("rows.npy"), 2, {}, std::nullopt, stop.get_token());
  ASSERT_TRUE(writer) << writer.error().message();
  const std::vector<float> rows = {1, 2, 3, 4};
  ASSERT_TRUE((*writer)->append({rows.data(), 2, 2}, {}));
  stop.request_stop();
  const auto finished = (*writer)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code(), ErrorCode::cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("out.usearch")));
}

TEST(Recipe, NamesTheFatalDifferences) {
  EXPECT_TRUE(fatal_differences(recipe, recipe).empty());
  Recipe other = recipe;
  other.prompt = "x";
  other.instruction_set = "avx2";
  EXPECT_TRUE(fatal_differences(recipe, other).empty());
  other.pooling = Pooling::cls;
  other.truncate_dim = 64;
  EXPECT_EQ(fatal_differences(recipe, other),
            (std::vector<std::string>{"pooling", "truncate_dim"}));
}

}  // namespace
}  // namespace embd
