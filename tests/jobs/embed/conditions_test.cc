#include "jobs/embed/conditions.h"

#include <gtest/gtest.h>

#include "jobs/embed/embed_plan.h"
#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

using Names = std::vector<std::string>;

struct Change {
  const char* name;  ///< the condition that differs after it
  void (*make)(InputOptions&, EmbedOptions&);
};

constexpr Change row_changes[] = {
    {"input_format", [](InputOptions& i, EmbedOptions&) { i.format = InputFormat::csv; }},
    {"text_field", [](InputOptions& i, EmbedOptions&) { i.text_field = "body"; }},
    {"id_field", [](InputOptions& i, EmbedOptions&) { i.id_field = "key"; }},
    {"id_from", [](InputOptions& i, EmbedOptions&) { i.id_from = IdSource::file; }},
    {"id_type", [](InputOptions& i, EmbedOptions&) { i.id_type = IdType::string; }},
    {"token_ids_field", [](InputOptions& i, EmbedOptions&) { i.token_ids_field = "ids"; }},
    {"number_fields", [](InputOptions& i, EmbedOptions&) { i.number_fields = {"n"}; }},
    {"has_header", [](InputOptions& i, EmbedOptions&) { i.has_header = false; }},
    {"encoding", [](InputOptions& i, EmbedOptions&) { i.encoding = "latin1"; }},
    {"invalid_utf8", [](InputOptions& i, EmbedOptions&) { i.invalid_text = InvalidText::replace; }},
    {"delimiter", [](InputOptions& i, EmbedOptions&) { i.delimiter = ';'; }},
    {"skip_empty", [](InputOptions& i, EmbedOptions&) { i.skip_empty = true; }},
    {"id_start", [](InputOptions&, EmbedOptions& o) { o.id_start = 0; }},
    {"section_fields", [](InputOptions&, EmbedOptions& o) { o.section_fields = {"s"}; }},
    {"column_fields", [](InputOptions&, EmbedOptions& o) { o.column_fields = {"n"}; }},
    {"output_type", [](InputOptions&, EmbedOptions& o) { o.output.type = OutputType::int8; }},
    {"cvc_compression",
     [](InputOptions&, EmbedOptions& o) {
       o.output.write.cvc.compression = CvcOptions::Compression::int8;
     }},
    {"chunk_rows", [](InputOptions&, EmbedOptions& o) { o.output.write.cvc.chunk_rows = 9; }},
    {"bits", [](InputOptions&, EmbedOptions& o) { o.output.write.finalfusion.bits = 4; }},
    {"normalize_words",
     [](InputOptions&, EmbedOptions& o) { o.output.write.finalfusion.normalize = true; }},
    {"text_column", [](InputOptions&, EmbedOptions& o) { o.output.write.parquet.texts = true; }},
    {"svs_layout",
     [](InputOptions&, EmbedOptions& o) { o.output.write.svs.layout = SvsOptions::Layout::file; }},
    {"connectivity", [](InputOptions&, EmbedOptions& o) { o.output.write.index.connectivity = 5; }},
};

constexpr Change run_changes[] = {
    {"output_format", [](InputOptions&, EmbedOptions& o) { o.output.format = "npy"; }},
    {"part", [](InputOptions&, EmbedOptions& o) { o.part = InputPart{0, 1}; }},
    {"refuse_truncated", [](InputOptions&, EmbedOptions& o) { o.refuse_truncated = true; }},
    {"row_report", [](InputOptions&, EmbedOptions& o) { o.row_report = "rows.jsonl"; }},
};

class ConditionsTest : public test::TemporaryDirectory {
 protected:
  static Conditions rows(const Change* change = nullptr) {
    InputOptions input;
    EmbedOptions options;
    if (change != nullptr) change->make(input, options);
    return row_conditions({.texts = input, .options = options}).value();
  }
  static EmbedPlan plan(const std::filesystem::path& output, const InputOptions& input = {},
                        const EmbedOptions& options = {}) {
    return {
        .inputs = {"in.txt"}, .outputs = {{.path = output}}, .texts = input, .options = options};
  }
  static Conditions run(const Change* change = nullptr) {
    InputOptions input;
    EmbedOptions options;
    if (change != nullptr) change->make(input, options);
    return run_conditions(plan({"a.npy"}, input, options), {}).value();
  }
};

TEST_F(ConditionsTest, EachOptionThatDecidesBytesIsOne) {
  for (const Change& change : row_changes) {
    EXPECT_EQ(differing_names(rows(), rows(&change)), Names{change.name});
    Names expected = {change.name};
    if (expected[0] == "id_from") expected.emplace_back("input_names");  // Ids are made of names.
    EXPECT_EQ(differing_names(run(), run(&change)), expected);
  }
}

TEST_F(ConditionsTest, WhatNamesOfFilesDecideIsOne) {
  const auto of = [](const std::vector<std::filesystem::path>& inputs, const InputOptions& input) {
    return row_conditions({.inputs = inputs, .outputs = {}, .texts = input}).value();
  };
  const InputOptions csv = {.format = InputFormat::csv};
  const InputOptions named = {.id_from = IdSource::file};
  EXPECT_EQ(of({"a.csv"}, {}), of({"b.csv"}, {}));
  EXPECT_EQ(of({"a.csv"}, {}), of({"a.tsv"}, csv));
  EXPECT_EQ(differing_names(of({"a.csv"}, {}), of({"a.tsv"}, {})), Names{"input_format"});
  EXPECT_EQ(differing_names(of({"a.csv", "b.tsv"}, {}), of({"a.tsv", "b.csv"}, {})),
            Names{"input_format"});
  EXPECT_EQ(of({"a.csv", "b.tsv"}, {}), of({"c.csv", "d.tsv"}, {}));
  EXPECT_EQ(differing_names(of({"a.txt"}, named), of({"b.txt"}, named)), Names{"input_names"});
}

TEST_F(ConditionsTest, WhatBelongsToOneRunIsNoConditionOfRows) {
  for (const Change& change : run_changes) {
    EXPECT_EQ(differing_names(rows(), rows(&change)), Names());
    EXPECT_EQ(differing_names(run(), run(&change)), Names{change.name});
  }
  const auto other = run_conditions(plan("b.npy"), {}).value();
  EXPECT_EQ(differing_names(run(), other), Names{"outputs"});
}

TEST_F(ConditionsTest, WhatChangesNoByteIsNone) {
  EmbedOptions options;
  options.encode.threads = 3;
  options.encode.batch_tokens = 64;
  options.output.write.index.threads = 3;
  options.resume = options.restart = true;
  options.progress = [](const EmbedProgress&) {};
  EXPECT_EQ(run_conditions(plan("a.npy", {}, options), {}).value(), run());
}

TEST_F(ConditionsTest, TheRecipeIsAmongThoseOfARun) {
  const auto changed =
      run_conditions(plan("a.npy"), {.max_length = 7, .prompt = "q: ", .input_sha256 = "12"});
  EXPECT_EQ(differing_names(run(), *changed), (Names{"input_sha256", "max_length", "prompt"}));
}

TEST_F(ConditionsTest, RangesAreKnownByTheirContent) {
  EmbedOptions options;
  const auto with_ranges = [&](const std::string& name, const std::string& content) {
    test::write_file(path(name), content);
    options.output.int8_ranges = path(name);
    return row_conditions({.options = options}).value();
  };
  const Conditions first = with_ranges("a.npy", "ranges");
  EXPECT_EQ(differing_names(rows(), first), Names{"output_ranges"});
  EXPECT_EQ(with_ranges("b.npy", "ranges"), first);
  EXPECT_EQ(differing_names(with_ranges("b.npy", "others"), first), Names{"output_ranges"});
  options.output.int8_ranges = path("none");
  EXPECT_EQ(row_conditions({.options = options}).error().code(), ErrorCode::not_found);
}

TEST_F(ConditionsTest, NamesThatOnlyOneSideHasDiffer) {
  const Conditions a = {{"both", "1"}, {"left", "1"}, {"value", "1"}};
  const Conditions b = {{"both", "1"}, {"right", "1"}, {"value", "2"}};
  EXPECT_EQ(differing_names(a, b), (Names{"left", "right", "value"}));
  EXPECT_EQ(differing_names(b, a), differing_names(a, b));
  EXPECT_EQ(differing_names(a, a), Names());
}

}  // namespace
}  // namespace embd
