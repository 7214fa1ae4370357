#include "embd/embed_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/path_text.h"
#include "embd/convert.h"
#include "embd/terms.h"
#include "embd/verify.h"
#include "tests/support/on_windows.h"
#include "tests/support/stemmer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/weights_with_metadata.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

class EmbedFile : public test::TemporaryDirectory {
 protected:
  static constexpr int num_texts = 300;

  void SetUp() override {
    TemporaryDirectory::SetUp();
    std::ofstream file(texts());
    for (int i = 0; i < num_texts; ++i)
      file << "text " << i << " of words, the "
           << std::string(static_cast<std::size_t>(i % 17), 'a') << '\n';
  }
  std::filesystem::path texts() const { return path("texts.txt"); }
  std::filesystem::path file(const char* name) const { return path(name); }

  const Model model_ =
      Model::open(std::filesystem::path(EMBD_TEST_DATA) / "embd/plain.weights").value();
};

TEST_F(EmbedFile, WritesWhatVerifyFinds) {
  EmbedProgress last;
  EmbedOptions options;
  options.progress = [&](const EmbedProgress& now) {
    EXPECT_GT(now.rows, last.rows);
    EXPECT_GE(now.share.value(), last.share.value_or(0));
    EXPECT_GE(now.tokens, last.tokens);
    last = now;
  };
  const auto report = embed_file(model_, texts(), {file("a.npy"), file("a.cvc")}, {}, options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->rows, num_texts);
  EXPECT_EQ(last.rows, num_texts);
  EXPECT_EQ(last.share, 1);
  EXPECT_EQ(last.tokens, report->tokens);
  EXPECT_EQ(last.seconds_left().value(), 0);
  for (const char* name : {"a.npy", "a.cvc"}) {
    const auto verified = verify_file(model_, file(name), texts());
    ASSERT_TRUE(verified) << verified.error().message();
    EXPECT_TRUE(verified->is_good()) << name << ": " << verified->difference.text();
    EXPECT_EQ(verified->difference.rows(), num_texts);
  }
}

/// The files of a folder with their contents.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[text_of_path(entry.path().filename())] = content(entry.path());
  return files;
}

TEST_F(EmbedFile, WritesATermIndexBesideVectors) {
  if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
  const auto report = embed_file(model_, texts(), {file("a.terms"), file("a.npy")});
  ASSERT_TRUE(report) << report.error().message();
  const auto index = TermIndex::open(file("a.terms"));
  ASSERT_TRUE(index) << index.error().message();
  EXPECT_EQ(index->num_rows(), num_texts);
  const auto found = index->search(index->query("117").value().texts, 10).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, 117U);
  EmbedOptions words;
  words.terms.kind = TermKind::words;
  ASSERT_TRUE(embed_file(model_, texts(), {file("a.npy"), file("a.terms")}, {}, words));
  EXPECT_EQ(TermIndex::open(file("a.terms"))->info().recipe.kind, TermKind::words) << "replaced";
}

/// A journal keeps the texts, so a resumed run needs no other way to the terms.
TEST_F(EmbedFile, AResumedRunWritesTheSameTermIndex) {
  EmbedOptions options;
  options.terms.kind = TermKind::words;
  ASSERT_TRUE(embed_file(model_, texts(), {file("a.npy"), file("a.terms")}, {}, options));
  options.resume = true;
  options.encode.batch_tokens = 64;
  std::stop_source stop;
  options.progress = [&](const EmbedProgress&) { stop.request_stop(); };
  const std::vector<std::filesystem::path> outputs = {file("b.npy"), file("b.terms")};
  const auto stopped = embed_file(model_, texts(), outputs, {}, options, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
  EXPECT_FALSE(std::filesystem::exists(file("b.terms")));
  options.progress = nullptr;
  const auto resumed = embed_file(model_, texts(), outputs, {}, options);
  ASSERT_TRUE(resumed) << resumed.error().message();
  EXPECT_GT(resumed->resumed_rows, 0U);
  EXPECT_EQ(contents(file("b.terms")), contents(file("a.terms")));
}

/// Row i has the terms of the part of its text that the window covers, when the index is written
/// with the vectors, and when it is made of the set afterwards.
TEST_F(EmbedFile, WindowsHaveTheirOwnTerms) {
  std::string text = "first";
  for (int i = 0; i < 40; ++i) text += " word";
  std::ofstream(file("long.txt")) << text + "\nshort\n";
  EmbedOptions options;
  options.terms.kind = TermKind::words;
  options.encode.windows = Windows::rows;
  options.encode.max_length = 16;
  options.output.write.parquet.texts = true;
  const auto report =
      embed_file(model_, file("long.txt"), {file("a.parquet"), file("a.terms")}, {}, options);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_GT(report->rows, 3U);
  const TermIndex index = TermIndex::open(file("a.terms")).value();
  EXPECT_EQ(index.num_rows(), report->rows);
  const auto row_of = [&](std::string_view word) {
    const auto found = index.search(index.query(word).value().texts, 10).value();
    return found.size() == 1 ? found[0].row : report->rows;
  };
  EXPECT_EQ(row_of("first"), 0U);
  EXPECT_EQ(row_of("short"), report->rows - 1);
  const auto indexed = index_terms(file("a.parquet"), file("b.terms"), options.terms);
  ASSERT_TRUE(indexed) << indexed.error().message();
  EXPECT_EQ(contents(file("b.terms")), contents(file("a.terms")));
}

TEST_F(EmbedFile, TermIndexesThatCannotBeWrittenAreRefused) {
  const auto refused = [&](const std::vector<std::filesystem::path>& outputs,
                           const EmbedOptions& options = {}) {
    const auto report = embed_file(model_, texts(), outputs, {}, options);
    return !report && report.error().code() == ErrorCode::invalid_argument;
  };
  EXPECT_TRUE(refused({file("a.terms")})) << "no vectors";
  EXPECT_TRUE(refused({file("a.npy"), file("a.terms"), file("b.terms")})) << "two";
  EmbedOptions part;
  part.part = InputPart{0, 2};
  EXPECT_TRUE(refused({file("a.npy"), file("a.terms")}, part)) << "a part";
  std::filesystem::create_directory(file("mine.terms"));
  std::ofstream(file("mine.terms") / "letter.txt") << "dear";
  EXPECT_FALSE(embed_file(model_, texts(), {file("a.npy"), file("mine.terms")}));
  EXPECT_FALSE(std::filesystem::exists(file("a.npy"))) << "all outputs or none";
  EXPECT_EQ(content(file("mine.terms") / "letter.txt"), "dear");
  ASSERT_TRUE(embed_file(model_, texts(), {file("a.npy")}));
  const auto indexed = index_terms(file("a.npy"), file("b.terms"));
  ASSERT_FALSE(indexed) << "a set without texts";
  EXPECT_EQ(indexed.error().code(), ErrorCode::missing);
}

TEST_F(EmbedFile, NothingThatIsReadIsReplaced) {
  const std::string before = content(texts());
  OutputOptions npy;
  npy.format = "npy";
  EmbedOptions report;
  report.row_report = texts();
  EmbedOptions twice;
  twice.row_report = file("a.npy");
  EmbedOptions journal;
  journal.resume = true;
  journal.row_report = file("a.npy.journal");
  std::vector<std::pair<std::filesystem::path, EmbedOptions>> cases = {{texts(), {.output = npy}},
                                                                       {file("a.npy"), report},
                                                                       {file("a.npy"), twice},
                                                                       {file("a.npy"), journal}};
  if (!test::on_windows) {
    std::filesystem::create_symlink(texts(), file("link.npy"));
    cases.emplace_back(file("link.npy"), EmbedOptions());
  }
  for (const auto& [output, options] : cases) {
    const auto done = embed_file(model_, texts(), {output}, {}, options);
    ASSERT_FALSE(done) << output;
    EXPECT_EQ(done.error().code(), ErrorCode::invalid_argument) << done.error().message();
  }
  EXPECT_EQ(content(texts()), before);
  EXPECT_FALSE(std::filesystem::exists(file("a.npy")));
}

TEST_F(EmbedFile, ASetOfOtherTextsIsNotGood) {
  ASSERT_TRUE(embed_file(model_, texts(), {file("a.npy")}));
  std::ofstream(file("other.txt")) << content(texts()).replace(0, 4, "word");
  const auto verified = verify_file(model_, file("a.npy"), file("other.txt"));
  ASSERT_TRUE(verified);
  EXPECT_FALSE(verified->is_good());
  EXPECT_EQ(verified->difference.rows() - verified->difference.equal_rows(), 1U);
}

TEST_F(EmbedFile, StoppedAnywhereItGoesOnToTheSameBytes) {
  ASSERT_TRUE(embed_file(model_, texts(), {file("whole.npy")}));
  EmbedOptions options;
  options.resume = true;
  options.encode.batch_tokens = 64;
  int runs = 0;
  for (bool is_done = false; !is_done; ++runs) {
    ASSERT_LT(runs, 100);
    std::stop_source stop;
    std::uint64_t finished = 0;
    options.progress = [&](const EmbedProgress& now) {
      finished = now.rows - now.resumed_rows;
      if (finished > 40) stop.request_stop();
    };
    const auto report =
        embed_file(model_, texts(), {file("parts.npy")}, {}, options, stop.get_token());
    is_done = report.has_value();
    if (is_done) {
      EXPECT_EQ(report->rows, num_texts);
      EXPECT_GT(report->resumed_rows, 0U);
    } else {
      EXPECT_EQ(report.error().code(), ErrorCode::cancelled);
      EXPECT_FALSE(std::filesystem::exists(file("parts.npy")));
      EXPECT_TRUE(std::filesystem::exists(file("parts.npy.journal")));
    }
  }
  EXPECT_GT(runs, 2);
  EXPECT_EQ(content(file("parts.npy")), content(file("whole.npy")));
  EXPECT_EQ(content(file("parts.npy.recipe.json")), content(file("whole.npy.recipe.json")));
  EXPECT_FALSE(std::filesystem::exists(file("parts.npy.journal")));
}

/// A journal of a run that cannot begin would stand in the way of the next.
TEST_F(EmbedFile, APromptThatLeavesWindowsNoRoomLeavesNoJournal) {
  EmbedOptions options;
  options.resume = true;
  options.encode.windows = Windows::rows;
  options.encode.max_length = 6;
  options.encode.prompt = "a prompt of many words: ";
  const auto report = embed_file(model_, texts(), {file("a.npy")}, {}, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(report.error().message().find("leaves no room"), std::string::npos)
      << report.error().message();
  EXPECT_FALSE(std::filesystem::exists(file("a.npy.journal")));
}

/// Each changes the bytes of an output, so a journal begun without it must be refused.
TEST_F(EmbedFile, AJournalIsRefusedWhateverOptionChanges) {
  EmbedOptions options;
  options.resume = true;
  std::stop_source stop;
  stop.request_stop();
  const auto begin = [&] {
    return embed_file(model_, texts(), {file("a.cvc")}, {}, options, stop.get_token());
  };
  ASSERT_EQ(begin().error().code(), ErrorCode::cancelled);
  using Change = std::pair<const char*, void (*)(EmbedOptions&)>;
  const Change changes[] = {
      {"prompt", [](EmbedOptions& o) { o.encode.prompt = "x "; }},
      {"max_length", [](EmbedOptions& o) { o.encode.max_length = 9; }},
      {"truncate_dim", [](EmbedOptions& o) { o.encode.truncate_dim = 8; }},
      {"id_start", [](EmbedOptions& o) { o.id_start = 1; }},
      {"output_type", [](EmbedOptions& o) { o.output.type = OutputType::f32; }},
      {"chunk_rows", [](EmbedOptions& o) { o.output.write.cvc.chunk_rows = 7; }},
      {"refuse_truncated", [](EmbedOptions& o) { o.refuse_truncated = true; }},
  };
  for (const auto& [name, change] : changes) {
    EmbedOptions changed = options;
    change(changed);
    const auto report = embed_file(model_, texts(), {file("a.cvc")}, {}, changed);
    ASSERT_FALSE(report) << name;
    EXPECT_EQ(report.error().code(), ErrorCode::recipe_mismatch) << name;
    EXPECT_NE(report.error().message().find(name), std::string::npos) << report.error().message();
  }
  options.encode.threads = 2;
  EXPECT_TRUE(embed_file(model_, texts(), {file("a.cvc")}, {}, options));
}

TEST_F(EmbedFile, TakesTextsThatAreInNoFile) {
  class Two final : public TextSource {
    Result<bool> next(std::string& text) override {
      text = "a cat";
      return num_given_++ < 2;
    }
    int num_given_ = 0;
  };
  Two source;
  const auto report = embed_texts(model_, source, {file("two.npy")});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->rows, 2U);
  EXPECT_EQ(open_vectors(file("two.npy")).value()->recipe().value()->input_sha256, "");
}

/// The texts as embd tokenize writes them.
std::vector<std::string> token_id_lines(const Model& model, const std::filesystem::path& texts) {
  std::ifstream file(texts);
  std::vector<std::string> lines;
  for (std::string text; std::getline(file, text);) {
    const Tokens tokens = model.tokenize(text, {.max_length = 0}).value();
    lines.push_back(R"({"ids":[)");
    for (const std::int32_t id : tokens.ids) lines.back() += std::to_string(id) + ",";
    lines.back().back() = ']';
    lines.back() += "}\n";
  }
  return lines;
}

TEST_F(EmbedFile, TokenIdsMakeTheFileOfTheirTexts) {
  std::ofstream ids(file("ids.jsonl"));
  for (const std::string& line : token_id_lines(model_, texts())) ids << line;
  ids.close();
  const InputOptions input = {.token_ids_field = "ids"};
  EmbedOptions options;
  options.encode.max_length = 12;
  options.encode.truncation_side = TruncationSide::left;
  const auto expected = embed_file(model_, texts(), {file("a.npy")}, {}, options).value();
  EXPECT_GT(expected.truncated_rows, 0U);
  const auto report = embed_file(model_, file("ids.jsonl"), {file("b.npy")}, input, options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(content(file("b.npy")), content(file("a.npy")));
  EXPECT_EQ(report->tokens, expected.tokens);
  EXPECT_EQ(report->truncated_rows, expected.truncated_rows);
  EXPECT_EQ(report->digest->vectors_hex(), expected.digest->vectors_hex());
  EXPECT_NE(report->digest->input_hex(), expected.digest->input_hex());
  EXPECT_EQ(compare_digests(file("b.npy"), file("ids.jsonl"), {}, input).value(), "");
  const auto verified = verify_file(model_, file("b.npy"), file("ids.jsonl"), {.input = input});
  ASSERT_TRUE(verified) << verified.error().message();
  EXPECT_TRUE(verified->is_good());
  EXPECT_EQ(verified->difference.rows(), num_texts);

  // The journal is of these ids, and of their being ids.
  options.resume = true;
  std::stop_source stop;
  options.encode.batch_tokens = 64;
  options.progress = [&](const EmbedProgress& now) { now.rows > 40 && stop.request_stop(); };
  EXPECT_FALSE(
      embed_file(model_, file("ids.jsonl"), {file("c.npy")}, input, options, stop.get_token()));
  options.progress = {};
  const InputOptions as_text = {.text_field = "ids"};
  EXPECT_EQ(embed_file(model_, file("ids.jsonl"), {file("c.npy")}, as_text, options).error().code(),
            ErrorCode::recipe_mismatch);
  EXPECT_GT(embed_file(model_, file("ids.jsonl"), {file("c.npy")}, input, options)->resumed_rows,
            0U);
  EXPECT_EQ(content(file("c.npy")), content(file("b.npy")));
}

TEST_F(EmbedFile, TokenIdsHaveNoPromptOfTheModels) {
  ASSERT_TRUE(test::copy_with_metadata(
      std::filesystem::path(EMBD_TEST_DATA) / "embd/plain.weights", file("topic.weights"),
      {{"prompt.topic", "a mat "}, {"default_prompt_name", "topic"}}));
  const Model model = Model::open(file("topic.weights")).value();
  ASSERT_EQ(model.recipe()->prompt, "a mat ");
  std::ofstream(file("ids.jsonl")) << token_id_lines(model, texts()).front();
  const InputOptions input = {.token_ids_field = "ids"};
  ASSERT_TRUE(embed_file(model, file("ids.jsonl"), {file("a.npy")}, input));
  EXPECT_EQ(open_vectors(file("a.npy")).value()->recipe().value()->prompt, "");
  EXPECT_TRUE(verify_file(model, file("a.npy"), file("ids.jsonl"), {.input = input})->is_good());
  // Nor does one that texts had: it is among their ids.
  EmbedOptions options;
  options.encode.prompt = "the ";
  std::ofstream(file("one.txt")) << "text 0 of words, the \n";
  ASSERT_TRUE(embed_file(model, file("one.txt"), {file("b.npy")}, {}, options));
  std::ofstream(file("the.txt")) << "the text 0 of words, the \n";
  std::ofstream(file("the.jsonl")) << token_id_lines(model_, file("the.txt")).front();
  EXPECT_TRUE(verify_file(model, file("b.npy"), file("the.jsonl"), {.input = input})->is_good());
}

TEST_F(EmbedFile, AnIdThatTheModelDoesNotHaveIsRefusedWithItsLine) {
  const std::vector<std::string> lines = token_id_lines(model_, texts());
  std::ofstream ids(file("ids.jsonl"));
  for (const std::string& line : lines) ids << line;
  ids << R"({"ids":[1,200]})" << '\n';
  ids.close();
  const InputOptions input = {.token_ids_field = "ids"};
  const auto report = embed_file(model_, file("ids.jsonl"), {file("a.npy")}, input);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::bad_value);
  EXPECT_EQ(report.error().line(), lines.size() + 1);
  EXPECT_NE(report.error().message().find("ids.jsonl"), std::string::npos);
  EXPECT_NE(report.error().message().find("token 1: the token id is 200, expected 0 to 199"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file("a.npy")));
}

TEST_F(EmbedFile, WhatNeedsATextRefusesTokenIds) {
  std::ofstream(file("ids.jsonl")) << token_id_lines(model_, texts()).front();
  const auto code = [&](const char* output, const EmbedOptions& options) {
    const auto report =
        embed_file(model_, file("ids.jsonl"), {file(output)}, {.token_ids_field = "ids"}, options);
    EXPECT_EQ(report.has_value(), std::filesystem::exists(file(output))) << output;
    return report ? std::nullopt : std::optional(report.error().code());
  };
  EXPECT_EQ(code("a.fifu", {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code("b.fifu", {.id_start = 7}), std::nullopt);
  EmbedOptions options;
  options.output.write.parquet.texts = true;
  EXPECT_EQ(code("a.parquet", options), ErrorCode::invalid_argument);
  options = {};
  options.encode.prompt = "x";
  EXPECT_EQ(code("a.npy", options), ErrorCode::invalid_argument);
  options = {};
  options.encode.max_length = 8;
  options.encode.windows = Windows::mean;
  EXPECT_EQ(code("a.npy", options), ErrorCode::invalid_argument);
}

TEST_F(EmbedFile, OutputsAreCheckedBeforeAnythingIsWritten) {
  const auto code = [&](const std::vector<std::filesystem::path>& outputs,
                        const EmbedOptions& options) {
    const auto report = embed_file(model_, texts(), outputs, {}, options);
    return report ? std::nullopt : std::optional(report.error().code());
  };
  EXPECT_EQ(code({}, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({file("a.npy"), file("a.npy")}, {}), ErrorCode::invalid_argument);
  EmbedOptions fields;
  fields.section_fields = {"text"};
  EXPECT_EQ(code({file("a.npy")}, fields), ErrorCode::invalid_argument);
  EmbedOptions svs;
  svs.output.format = "svs";
  EXPECT_EQ(code({"-"}, svs),
            test::has_svs() ? ErrorCode::invalid_argument : ErrorCode::unsupported);
  EXPECT_FALSE(std::filesystem::exists(file("a.npy")));
}

TEST_F(EmbedFile, ADeviceHasNoFilesBesideIt) {
  if (test::on_windows) GTEST_SKIP() << "no links on Windows";
  const std::filesystem::path device = path("device.npy");
  std::filesystem::create_symlink("/dev/null", device);
  const auto report = embed_file(model_, texts(), {device});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(std::filesystem::is_symlink(device));
  EXPECT_FALSE(std::filesystem::exists(path("device.npy.recipe.json")));
}

}  // namespace
}  // namespace embd
