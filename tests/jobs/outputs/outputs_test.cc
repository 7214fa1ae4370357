#include "jobs/outputs/outputs.h"

#include <gtest/gtest.h>

#include "base/os/process.h"
#include "base/try.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

class OutputsTest : public test::TemporaryDirectory {
 protected:
  static constexpr std::uint64_t dim = 8;

  std::vector<std::filesystem::path> paths(const std::vector<std::string>& names) const {
    std::vector<std::filesystem::path> all;
    for (const std::string& name : names) all.push_back(path(name));
    return all;
  }
  Result<Outputs> create(const std::vector<std::string>& names, const OutputOptions& options = {},
                         const std::string& row_report = "") const {
    return Outputs::create(
        EMBD_TRY(resolve_outputs(paths(names), options)),
        {.rows = {.dim = dim},
         .row_report = row_report.empty() ? std::filesystem::path() : path(row_report)});
  }
  /// Outputs with `num_rows` rows, which wait for finish().
  Result<Outputs> filled(const std::vector<std::string>& names, std::size_t num_rows,
                         const OutputOptions& options = {}, const std::string& row_report = "") {
    auto outputs = create(names, options, row_report);
    EXPECT_TRUE(outputs) << outputs.error().message();
    rows_ = Matrix(num_rows, dim);
    for (std::size_t i = 0; i < rows_.values().size(); ++i)
      rows_.values()[i] = static_cast<float>(i) / 100 - 0.1F;
    RowBatch batch;
    batch.rows = rows_;
    batch.notes.resize(num_rows);
    EXPECT_TRUE(outputs->append(batch));
    return outputs;
  }
  std::optional<ErrorCode> error_of(const std::vector<std::string>& names,
                                    const OutputOptions& options) const {
    const auto outputs = create(names, options);
    return outputs ? std::nullopt : std::optional(outputs.error().code());
  }

  Matrix rows_;
};

TEST_F(OutputsTest, AppearAllAtFinish) {
  {
    Outputs outputs = filled({"a.npy", "b.jsonl", "c.cvc"}, 3, {}, "rows.jsonl").value();
    ASSERT_TRUE(outputs.prepare());
    for (const char* name : {"a.npy", "b.jsonl", "c.cvc", "rows.jsonl"})
      EXPECT_FALSE(std::filesystem::exists(path(name)));
    ASSERT_TRUE(outputs.finish());
    EXPECT_EQ(outputs.num_rows(), 3U);
  }
  for (const char* name : {"a.npy", "b.jsonl", "c.cvc"})
    EXPECT_EQ(open_vectors(path(name)).value()->info().num_rows, 3U);
  EXPECT_EQ(test::files_in(directory()).size(), 4U);
}

TEST_F(OutputsTest, UnfinishedTheyLeaveNothing) {
  {
    Outputs outputs = filled(test::written({"a.npy", "b.svs"}), 3, {}, "rows.jsonl").value();
    ASSERT_TRUE(outputs.prepare());
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory()));
}

/// An obstacle in the way of one of several outputs when all rows are there.
struct Obstacle {
  std::string name;
  void (*put)(const std::filesystem::path& folder);
};

class OutputsInTheWay : public OutputsTest, public testing::WithParamInterface<Obstacle> {};

TEST_P(OutputsInTheWay, KeepAllOthersAsTheyWere) {
  if (test::on_windows && GetParam().name == "TheFolderIsGone")
    GTEST_SKIP() << "a folder with open files stays on Windows";
  if (GetParam().name == "SomethingInAFolderThatIsReplaced" && !test::has_svs())
    GTEST_SKIP() << test::no_svs;
  const std::vector<std::string> names = test::written({"a.npy", "d/b.npy", "c.svs"});
  std::filesystem::create_directory(path("d"));
  ASSERT_TRUE(filled(names, 2, {}, "rows.jsonl")->finish());
  const auto kept = [this] {
    test::Files files = test::files_in(directory());
    std::erase_if(files, [](const auto& file) {
      return file.first.starts_with("d/") || file.first.starts_with("rows") ||
             file.first.ends_with("notes.txt");
    });
    return files;
  };
  const test::Files before = kept();
  EXPECT_GE(before.size(), test::has_svs() ? 3U : 1U);
  {
    Outputs outputs = filled(names, 5, {}, "rows.jsonl").value();
    GetParam().put(directory());
    EXPECT_FALSE(outputs.finish());
  }
  EXPECT_EQ(kept(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Obstacles, OutputsInTheWay,
    testing::Values(Obstacle{"ADirectory",
                             [](const std::filesystem::path& folder) {
                               std::filesystem::remove(folder / "d/b.npy");
                               std::filesystem::create_directory(folder / "d/b.npy");
                             }},
                    Obstacle{"ADirectoryBeside",
                             [](const std::filesystem::path& folder) {
                               std::filesystem::create_directory(folder / "d/b.npy.ids.jsonl");
                             }},
                    Obstacle{"TheFolderIsGone",
                             [](const std::filesystem::path& folder) {
                               std::filesystem::remove_all(folder / "d");
                             }},
                    Obstacle{"SomethingInAFolderThatIsReplaced",
                             [](const std::filesystem::path& folder) {
                               test::write_file(folder / "c.svs/notes.txt", "mine");
                             }},
                    Obstacle{"ADirectoryForTheRowReport",
                             [](const std::filesystem::path& folder) {
                               std::filesystem::remove(folder / "rows.jsonl");
                               std::filesystem::create_directory(folder / "rows.jsonl");
                             }}),
    [](const auto& of) { return of.param.name; });

TEST_F(OutputsTest, AFolderThatMayNotBeWrittenAnyMoreKeepsAllAsTheyWere) {
  if (os::user_number() == 0) GTEST_SKIP() << "root, and Windows, may write everywhere";
  std::filesystem::create_directory(path("d"));
  Outputs outputs = filled({"a.npy", "d/b.npy"}, 2).value();
  std::filesystem::permissions(path("d"), std::filesystem::perms(0500));
  EXPECT_EQ(outputs.finish().error().code(), ErrorCode::io_failed);
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
  std::filesystem::permissions(path("d"), std::filesystem::perms(0700));
}

TEST_F(OutputsTest, RowsThatOneCannotStoreKeepAllAsTheyWere) {
  OutputOptions codes;
  codes.type = OutputType::int8;
  EXPECT_EQ(filled({"a.npy", "b.npy"}, 1, codes)->finish().error().code(), ErrorCode::bad_count);
  EXPECT_EQ(filled({"a.npy", "b.fvecs"}, 0)->finish().error().code(), ErrorCode::unsupported);
  EXPECT_TRUE(std::filesystem::is_empty(directory()));
}

TEST_F(OutputsTest, AStreamThatTakesNoMoreKeepsTheFilesAsTheyWere) {
  for (const char* format : {"npy", "jsonl"}) {
    OutputOptions options;
    options.format = format;
    for (const std::vector<std::string>& names :
         {std::vector<std::string>{"a", "/dev/full"}, {"/dev/full", "a"}}) {
      const auto finished = filled(names, 2, options)->finish();
      ASSERT_FALSE(finished) << format;
      EXPECT_EQ(finished.error().code(), ErrorCode::io_failed);
      EXPECT_FALSE(std::filesystem::exists(path("a"))) << format;
    }
  }
}

TEST_F(OutputsTest, WhatNoneHasRoomForIsRefused) {
  const auto code = [&](const std::vector<std::string>& sections,
                        const std::vector<std::string>& columns, const std::string& name) {
    OutputOptions options;
    RowFields fields = RowFields::create(sections, columns).value();
    options.write.columns = fields.columns();
    const auto outputs = Outputs::create({resolve_output(path(name), options).value()},
                                         {.rows = {.dim = dim}, .fields = std::move(fields)});
    return outputs ? std::nullopt : std::optional(outputs.error().code());
  };
  EXPECT_EQ(code({"s"}, {}, "a.npy"), ErrorCode::invalid_argument);
  EXPECT_EQ(code({"s"}, {}, "a.parquet"), ErrorCode::invalid_argument);
  EXPECT_EQ(code({"s"}, {}, "a.cvc"), std::nullopt);
  EXPECT_EQ(code({}, {"n"}, "a.npy"), ErrorCode::invalid_argument);
  EXPECT_EQ(code({}, {"n"}, "a.parquet"), std::nullopt);
}

TEST_F(OutputsTest, TypesThatAFormatDoesNotStoreAreRefused) {
  const auto code = [&](const std::string& name, OutputType type) {
    OutputOptions options;
    options.type = type;
    return error_of({name}, options);
  };
  using enum OutputType;
  for (const OutputType type : {automatic, f32, f16, int8, binary})
    for (const char* name : {"a.npy", "a.usearch"}) EXPECT_EQ(code(name, type), std::nullopt);
  EXPECT_EQ(code("a.cvc", int8), ErrorCode::invalid_argument);
  EXPECT_EQ(code("a.cvc", binary), ErrorCode::invalid_argument);
  EXPECT_EQ(code("a.cvc", f32), std::nullopt);
  EXPECT_EQ(code("a.fvecs", f16), ErrorCode::invalid_argument);
  EXPECT_EQ(code("a.hvecs", f16), std::nullopt);
  EXPECT_EQ(code("a.jsonl", f16), ErrorCode::invalid_argument);
  EXPECT_EQ(code("a.jsonl", int8), std::nullopt);
  EXPECT_EQ(code("a.fifu", f16), ErrorCode::invalid_argument);
}

TEST_F(OutputsTest, ADirectoryGoesIntoNoStream) {
  if (!test::has_svs()) GTEST_SKIP() << test::no_svs;
  OutputOptions options;
  options.format = "svs";
  const auto refused = create({"/dev/null"}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message().find("several files"), std::string::npos);
  options.write.svs.layout = SvsOptions::Layout::file;
  EXPECT_TRUE(create({"/dev/null"}, options));
}

}  // namespace
}  // namespace embd
