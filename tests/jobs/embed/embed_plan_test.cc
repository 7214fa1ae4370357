#include "jobs/embed/embed_plan.h"

#include <gtest/gtest.h>

#include "embd/parts.h"
#include "jobs/embed/journal.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class EmbedPlanTest : public test::TemporaryDirectory {
 protected:
  EmbedPlan asked(const std::vector<std::string>& outputs, const EmbedOptions& options = {}) const {
    std::vector<std::filesystem::path> paths;
    for (const std::string& output : outputs) paths.push_back(path(output));
    return {.inputs = {path("in.txt")},
            .outputs = resolve_outputs(paths, options.output).value(),
            .options = options};
  }
  std::string refusal(EmbedPlan plan, PathRoles others = {}) const {
    const auto made = plan_embedding(std::move(plan), std::move(others));
    if (made) return "none";
    EXPECT_EQ(made.error().code(), ErrorCode::invalid_argument);
    return made.error().message();
  }
  void expect_refused(EmbedPlan plan, const std::string& words, PathRoles others = {}) const {
    const std::string found = refusal(std::move(plan), std::move(others));
    EXPECT_NE(found.find(words), std::string::npos) << found;
  }
};

TEST_F(EmbedPlanTest, HasTheFieldsThatRowsTakeAlong) {
  EmbedOptions options;
  options.section_fields = {"s"};
  options.column_fields = {"n:float32", "m"};
  const auto plan = plan_embedding(asked({"a.cvc"}, options));
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->texts.fields, std::vector<std::string>{"s"});
  EXPECT_EQ(plan->texts.number_fields, (std::vector<std::string>{"n", "m"}));
  EXPECT_EQ(plan->fields.columns().size(), 2U);
  options.column_fields = {"s"};
  expect_refused(asked({"a.cvc"}, options), "\"s\" was named twice");
}

TEST_F(EmbedPlanTest, KnowsWhetherRowsHaveIds) {
  EXPECT_FALSE(asked({"a.npy"}).has_ids());
  EXPECT_TRUE(asked({"a.npy"}, {.id_start = 0}).has_ids());
  EmbedPlan field = asked({"a.npy"});
  field.texts.id_field = "key";
  EXPECT_TRUE(field.has_ids());
  EmbedOptions windows;
  windows.encode.windows = Windows::mean;
  EXPECT_FALSE(asked({"a.npy"}, windows).has_ids());
  windows.encode.windows = Windows::rows;
  EXPECT_TRUE(asked({"a.npy"}, windows).has_ids());
}

TEST_F(EmbedPlanTest, WhatExcludesItselfIsRefused) {
  expect_refused(asked({}), "no output");
  EmbedPlan both = asked({"a.npy"}, {.id_start = 1});
  both.texts.id_field = "key";
  expect_refused(both, "one of these");
  both.texts = {.id_from = IdSource::file};
  expect_refused(both, "one of these");
}

TEST_F(EmbedPlanTest, WindowsOfSeveralFilesNeedIds) {
  EmbedOptions options;
  options.encode.windows = Windows::rows;
  EmbedPlan plan = asked({"a.npy"}, options);
  plan.inputs.push_back(path("more.txt"));
  expect_refused(plan, "give the texts ids");
  plan.texts.id_from = IdSource::file;
  EXPECT_EQ(refusal(plan), "none");
  plan.texts.id_from = IdSource::field;
  plan.options.id_start = 1;
  EXPECT_EQ(refusal(plan), "none");
  plan.options = {};
  EXPECT_EQ(refusal(plan), "none");
}

TEST_F(EmbedPlanTest, NoInputIsAnOutput) {
  EmbedPlan plan = asked({"a.npy"});
  plan.inputs.push_back(path("a.npy.ids.jsonl"));
  expect_refused(plan, "a.npy.ids.jsonl");
}

TEST_F(EmbedPlanTest, WhatIsResumedOrAPartNeedsNames) {
  for (const char* stream : {"-", "/dev/null"}) {
    OutputOptions npy;
    npy.format = "npy";
    EmbedPlan plan = asked({"a.npy"});
    plan.outputs.push_back(resolve_output(stream, npy).value());
    EXPECT_EQ(refusal(plan), "none");
    plan.options.resume = true;
    expect_refused(plan, "a run that can be resumed needs outputs that are files");
    plan.options.resume = false;
    plan.options.part = InputPart{0, 2};
    expect_refused(plan, "a part needs outputs that are files");
  }
}

TEST_F(EmbedPlanTest, APartKnowsItsIdsAndItsName) {
  EmbedOptions part;
  part.part = InputPart{0, 2};
  EXPECT_EQ(refusal(asked({"a.npy", "b.jsonl"}, part)), "none");
  expect_refused(asked({"a.npy", "b.fifu"}, part), "names each row by its text");
  part.id_start = 0;
  EXPECT_EQ(refusal(asked({"a.npy", "b.fifu"}, part)), "none");
  if (!test::on_windows) expect_refused(asked({"\xFF.npy"}, part), "not valid UTF-8");
  test::write_file(part_manifest_path(path("a.npy")), "no manifest");
  EXPECT_EQ(refusal(asked({"a.npy"}, part)), "none");  // It is replaced.
}

/// Every path that a job writes, beside every one that it reads or writes.
TEST_F(EmbedPlanTest, NothingThatIsWrittenHasAnotherRole) {
  EmbedOptions options;
  options.resume = true;
  options.part = InputPart{0, 2};
  options.row_report = path("rows.jsonl");
  options.output.int8_ranges = path("ranges.npy");
  EXPECT_EQ(refusal(asked({"a.npy", "b.npy"}, options)), "none");
  const std::filesystem::path written[] = {path("a.npy"),
                                           path("b.npy"),
                                           path("a.npy.recipe.json"),
                                           path("rows.jsonl"),
                                           journal_path(path("a.npy")),
                                           part_manifest_path(path("b.npy"))};
  for (const std::filesystem::path& taken : written) {
    SCOPED_TRACE(taken);
    EmbedPlan input = asked({"a.npy", "b.npy"}, options);
    input.inputs = {taken};
    expect_refused(input, "the same file");
    EmbedPlan ranges = asked({"a.npy", "b.npy"}, options);
    ranges.options.output.int8_ranges = taken;
    expect_refused(ranges, "the same file");
    PathRoles model;
    model.reads("the model", taken);
    expect_refused(asked({"a.npy", "b.npy"}, options), "the model", model);
  }
  expect_refused(asked({"a.npy", "a.npy"}), "the same file");
  expect_refused(asked({"a.jsonl", "a.jsonl.recipe.json"}, {.output = {.format = "jsonl"}}),
                 "the same file");
}

TEST_F(EmbedPlanTest, MessagesCallPathsWhatTheCallerCallsThem) {
  EmbedOptions options;
  options.row_report = path("a.npy");
  const auto refused = plan_embedding(asked({"a.npy"}, options), {},
                                      {.output = "--output", .row_report = "--row-report"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("--output"), std::string::npos);
  EXPECT_NE(refused.error().message().find("--row-report"), std::string::npos);
}

}  // namespace
}  // namespace embd
