#include "jobs/outputs/output_target.h"

#include <gtest/gtest.h>

#include "formats/vectors/formats.h"
#include "jobs/sets/format_table.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

class OutputTargetTest : public test::TemporaryDirectory {
 protected:
  std::string format_of(const std::filesystem::path& output, const std::string& format = "") const {
    const auto target = resolve_output(output, {.format = format});
    EXPECT_TRUE(target) << target.error().message();
    return target ? std::string(target->format->name) : "";
  }
  ErrorCode error_of(const std::filesystem::path& output, const std::string& format = "") const {
    const auto target = resolve_output(output, {.format = format});
    EXPECT_FALSE(target) << output;
    return target ? ErrorCode::cancelled : target.error().code();
  }
  /// Whether `other` may not be read beside an output that is written.
  bool collides(const std::string& output, const std::filesystem::path& other,
                const OutputOptions& options = {}) const {
    PathRoles roles;
    roles.reads("another", other);
    resolve_output(path(output), options)->add_roles(roles, "the output");
    return !roles.check();
  }
};

TEST_F(OutputTargetTest, TheNameOrTheOptionTellsTheFormat) {
  for (const Format* format : all_formats()) {
    if (format->create == nullptr) continue;
    for (const std::string_view extension : format->extensions)
      EXPECT_EQ(format_of(path("a" + std::string(extension))), format->name);
    EXPECT_EQ(format_of(path("a"), std::string(format->name)), format->name);
  }
  EXPECT_EQ(error_of(path("a")), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(path("a.npy"), "nonsense"), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(path("a.bin")), ErrorCode::invalid_argument);  // fastText's, read only
  EXPECT_EQ(error_of(path("a.npy"), "svs"), ErrorCode::invalid_argument);
}

TEST_F(OutputTargetTest, StandardOutputGetsLinesUnlessAFormatIsNamed) {
  for (const char* output : {"-", test::on_windows ? "-" : "/dev/stdout"}) {
    EXPECT_EQ(format_of(output), "jsonl");
    EXPECT_EQ(format_of(output, "npy"), "npy");
    EXPECT_TRUE(resolve_output(output, {})->is_stream);
  }
}

TEST_F(OutputTargetTest, AStreamMayBeCalledAnything) {
  if (test::on_windows) GTEST_SKIP() << "no links on Windows";
  std::filesystem::create_symlink("/dev/null", path("null.npy"));
  EXPECT_EQ(format_of(path("null.npy"), "cvc"), "cvc");
  EXPECT_TRUE(resolve_output(path("null.npy"), {})->is_stream);
  EXPECT_FALSE(resolve_output(path("a.npy"), {})->is_stream);
}

TEST_F(OutputTargetTest, OneOfSeveralThatTellsNothingIsAnError) {
  EXPECT_EQ(resolve_outputs({path("a.npy"), path("b")}, {}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(resolve_outputs({path("a.npy"), path("b.svs")}, {})->size(), 2U);
}

TEST_F(OutputTargetTest, KnowsWhereTheVectorsAreReadBackFrom) {
  EXPECT_EQ(resolve_output(path("a.npy"), {})->vectors(), path("a.npy"));
  if (!test::has_svs()) GTEST_SKIP() << test::no_svs;
  EXPECT_EQ(resolve_output(path("a.svs/"), {})->vectors(), path("a.svs"));
  OutputOptions seed;
  seed.write.svs.layout = SvsOptions::Layout::specification;
  EXPECT_EQ(resolve_output(path("a.svs"), seed)->vectors(), path("a.config"));
}

TEST_F(OutputTargetTest, EverythingThatItReplacesHasThatRole) {
  for (const char* name : {"a.npy", "a.npy.ids.jsonl", "a.npy.recipe.json", "a.npy.ranges.npy"})
    EXPECT_TRUE(collides("a.npy", path(name))) << name;
  EXPECT_FALSE(collides("a.npy", path("b.npy")));
  EXPECT_FALSE(collides("a.npy", path("a.npy.part.json")));
  std::filesystem::create_directory(path("a.svs"));
  test::write_file(path("a.svs/texts.txt"), "mine");
  EXPECT_TRUE(collides("a.svs", path("a.svs/texts.txt")));
  for (const auto& file : svs::specification_files(path("b.config"))) {
    EXPECT_TRUE(collides("b.config", file)) << file;
    EXPECT_FALSE(collides("b.svs", file)) << file;
  }
}

}  // namespace
}  // namespace embd
