#include "embd/split.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "jobs/split/blocks.h"
#include "tests/jobs/split/passage_rules.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using splitting::Block;
using splitting::BlockKind;
using splitting::Lines;
using test::KeptPassage;
using test::passages_of;

const Model& model() {
  static const Model opened =
      Model::open(fs::path(EMBD_TEST_DATA) / "families/distilbert_mean").value();
  return opened;
}

std::vector<KeptPassage> split_as(DocumentKind kind, std::string_view text,
                                  std::uint32_t max_tokens = 256) {
  auto passages =
      passages_of({"notes/a.md", text}, model(), {.kind = kind, .max_tokens = max_tokens});
  EXPECT_TRUE(passages) << passages.error().message();
  return passages.value_or(std::vector<KeptPassage>());
}

std::vector<std::string> texts_of(const std::vector<KeptPassage>& passages) {
  std::vector<std::string> texts;
  for (const KeptPassage& passage : passages) texts.push_back(passage.text);
  return texts;
}

using Texts = std::vector<std::string>;

/// Returns `count` words.
std::string words(int count) {
  std::string text = "cat";
  for (int i = 1; i < count; ++i) text += " sits";
  return text;
}

TEST(MarkdownBlocks, AreThoseOfCmark) {
  std::ifstream file(fs::path(EMBD_TEST_DATA) / "split/blocks.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto example = nlohmann::json::parse(line);
    const std::string markdown = example["markdown"];
    const Lines lines(markdown);
    std::set<std::string> found;
    std::set<std::string> texts;
    for (const Block& block : splitting::markdown_blocks(lines, 0)) {
      const std::string at = std::to_string(block.first + 1) + " ";
      switch (block.kind) {
        case BlockKind::heading:
          found.insert(at + "heading " + std::to_string(block.level));
          break;
        case BlockKind::lines:
        case BlockKind::fence:
          found.insert(at + "code");
          break;
        case BlockKind::table:
          found.insert(at + "table");
          break;
        case BlockKind::prose:
          texts.insert(at + "text");
      }
    }
    std::set<std::string> expected;
    for (const auto& block : example["blocks"]) {
      const std::string kind = block[1];
      const std::string name = std::to_string(block[0].get<int>()) + " " + kind;
      // Rules and lone markers are prose here, too, so there may be more of it.
      if (kind == "text")
        EXPECT_TRUE(texts.contains(name)) << name << " in\n" << markdown;
      else
        expected.insert(name);
    }
    EXPECT_EQ(found, expected) << markdown;
  }
  EXPECT_EQ(count, 1500);
}

TEST(MarkdownBlocks, DoNotShareTheHeadOfATable) {
  const std::string text = "Some\nwords\na|b\n-|-\n1|2\n";
  const Lines lines(text);
  const auto blocks = splitting::markdown_blocks(lines, 0);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].kind, BlockKind::prose);
  EXPECT_EQ(blocks[0].end, 2U);
  EXPECT_EQ(blocks[1].kind, BlockKind::table);
  EXPECT_EQ(blocks[1].first, 2U);
  EXPECT_EQ(blocks[1].end, 5U);
}

TEST(Split, KeepsItsRulesForRandomDocuments) {
  const std::vector<std::string> pieces = {"# ",
                                           "## Two ",
                                           "- ",
                                           "> ",
                                           "1. ",
                                           "```\n",
                                           "~~~",
                                           "    ",
                                           " ",
                                           "\t",
                                           "|",
                                           "a|b\n",
                                           "-|-\n",
                                           "---",
                                           "\n",
                                           "\n",
                                           "\n\n",
                                           "\r\n",
                                           "cat",
                                           "A cat. ",
                                           "No! ",
                                           "\xE3\x80\x82",
                                           "\xE7\x8C\xAB",
                                           "\xC3\xA9",
                                           "e.g. ",
                                           "3. ",
                                           "}",
                                           "\v",
                                           "http://a/b/c/d",
                                           "<!--"};
  std::mt19937 random(7);
  int num_passages = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    const auto length = random() % 200;
    for (std::size_t k = 0; k < length; ++k) text += pieces[random() % pieces.size()];
    const std::uint32_t max_tokens = 32 + random() % 8;
    for (const auto& [name, kind] : document_kind_names) {
      const auto passages = split_as(kind, text, max_tokens);
      const Lines lines(text);
      const std::uint32_t front =
          kind == DocumentKind::markdown ? splitting::front_matter_lines(lines) : 0;
      ASSERT_EQ(test::broken_rule(text, lines.begin(front), passages, model(), max_tokens), "")
          << name << ":\n"
          << text;
      num_passages += static_cast<int>(passages.size());
    }
  }
  EXPECT_GT(num_passages, 10'000);
}

TEST(Split, BeginsAPassageWithEachHeading) {
  const auto passages = split_as(DocumentKind::markdown,
                                 "Before.\n\n# Cats\n\nA cat sits.\n\n## *Red* [mats](x.md)\n"
                                 "### Old\n\nA mat.\n\n## Blue\n\nNo mat.\n");
  EXPECT_EQ(texts_of(passages),
            (Texts{"Before.", "# Cats\n\nA cat sits.", "## *Red* [mats](x.md)\n### Old\n\nA mat.",
                   "## Blue\n\nNo mat."}));
  ASSERT_EQ(passages.size(), 4U);
  EXPECT_EQ(passages[0].headings, Texts());
  EXPECT_EQ(passages[1].headings, Texts{"Cats"});
  EXPECT_EQ(passages[2].headings, (Texts{"Cats", "Red mats", "Old"}));
  EXPECT_EQ(passages[3].headings, (Texts{"Cats", "Blue"}));
  // The headings that a passage has itself are not in its context.
  EXPECT_EQ(passages[0].context, "Cats");
  EXPECT_EQ(passages[1].context, "");
  EXPECT_EQ(passages[2].context, "Cats");
  EXPECT_EQ(passages[3].title, "Cats");
  EXPECT_EQ(passages[2].first_line, 7U);
  EXPECT_EQ(passages[2].last_line, 10U);
}

TEST(Split, NamesADocumentWithoutTitle) {
  EXPECT_EQ(split_as(DocumentKind::markdown, "A cat.").at(0).context, "a");
  EXPECT_EQ(split_as(DocumentKind::text, "# A cat.").at(0).context, "a");
  EXPECT_EQ(split_as(DocumentKind::code, "cat()").at(0).context, "notes/a.md");
  EXPECT_EQ(split_as(DocumentKind::markdown, "A cat.").at(0).title, "");
}

TEST(Split, CutsFrontMatterOff) {
  for (const char* front : {"---\ntitle: a\n---\n", "---\na: b\n...\n", "+++\na = 1\n+++\n",
                            "\xEF\xBB\xBF---\r\na: b\r\n---\r\n"}) {
    const auto passages = split_as(DocumentKind::markdown, front + std::string("# Cats\n\nA cat."));
    EXPECT_EQ(texts_of(passages), Texts{"# Cats\n\nA cat."}) << front;
    EXPECT_EQ(passages.at(0).first_line, 4U);
  }
  EXPECT_EQ(split_as(DocumentKind::markdown, "---\n\nA cat.").at(0).text, "---\n\nA cat.");
  EXPECT_EQ(split_as(DocumentKind::text, "---\na: b\n---\n").at(0).text, "---\na: b\n---");
}

TEST(Split, KeepsAFenceWhole) {
  const std::string fence = "```sh\n# no heading\n\n" + words(12) + "\n```";
  const auto passages = split_as(DocumentKind::markdown,
                                 "# Cats\n\n" + words(9) + ".\n\n" + fence + "\n\nEnd.\n", 80);
  const Texts texts = texts_of(passages);
  EXPECT_NE(std::ranges::find_if(texts, [&](const auto& text) { return text.contains(fence); }),
            texts.end());
}

TEST(Split, RepeatsTheHeadOfWhatItDivides) {
  std::string table = "|a|b|\n|-|-|\n";
  for (int i = 0; i < 20; ++i) table += "|cat|sits|\n";
  const auto rows = split_as(DocumentKind::markdown, "# Cats\n\n" + table, 64);
  ASSERT_GT(rows.size(), 2U);
  EXPECT_TRUE(rows[0].text.starts_with("# Cats\n\n|a|b|\n|-|-|\n|cat|sits|"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_TRUE(rows[i].context.ends_with("\n|a|b|\n|-|-|") || rows[i].context == "|a|b|\n|-|-|")
        << rows[i].context;
    EXPECT_TRUE(rows[i].text.starts_with("|cat|sits|"));
  }
  std::string code = "```sh\n";
  for (int i = 0; i < 20; ++i) code += "cat sits mat\n";
  const auto lines = split_as(DocumentKind::markdown, code + "```\n\nEnd.\n", 64);
  ASSERT_GT(lines.size(), 2U);
  EXPECT_EQ(lines[1].context, "a\n```sh");
  // The closing fence is no passage of its own.
  EXPECT_EQ(lines[lines.size() - 2].text.substr(lines[lines.size() - 2].text.size() - 7),
            "mat\n```");
  EXPECT_EQ(lines.back().text, "End.");
  EXPECT_EQ(lines.back().context, "a");
}

TEST(Split, DividesAParagraphIntoSentences) {
  const std::string sentence = "The cat sits on the red mat e.g. in room 3. of the house.";
  const auto passages =
      split_as(DocumentKind::text, sentence + " " + sentence + "\n" + sentence + "\n", 40);
  EXPECT_EQ(texts_of(passages), (Texts{sentence, sentence, sentence}));
  EXPECT_EQ(passages.at(1).column, sentence.size() + 2);
  EXPECT_EQ(passages.at(2).first_line, 2U);
  EXPECT_EQ(passages.at(2).column, 1U);
}

TEST(Split, FindsTheEndsOfSentences) {
  const auto first_of = [](std::string_view text) {
    return text.substr(0, splitting::sentence_end(text, 0, text.size()));
  };
  EXPECT_EQ(first_of("A cat. A mat."), "A cat.");
  EXPECT_EQ(first_of("A cat?! \"A mat.\""), "A cat?!");
  EXPECT_EQ(first_of("(A cat.) A mat."), "(A cat.)");
  EXPECT_EQ(first_of("A cat\xE2\x80\xA6 A mat."), "A cat\xE2\x80\xA6");
  EXPECT_EQ(first_of("A cat, e.g. this one. A mat."), "A cat, e.g. this one.");
  EXPECT_EQ(first_of("See J. Smith. A mat."), "See J. Smith.");
  EXPECT_EQ(first_of("Chapter 3. Cats. A mat."), "Chapter 3. Cats.");
  EXPECT_EQ(first_of("a.b.c A cat. A mat."), "a.b.c A cat.");
  // Cat, full stop, cat; in Chinese.
  EXPECT_EQ(first_of("\xE7\x8C\xAB\xE3\x80\x82\xE7\x8C\xAB"), "\xE7\x8C\xAB\xE3\x80\x82");
  EXPECT_EQ(first_of("no end"), "no end");
}

TEST(Split, KeepsIndentedLinesOfCodeTogether) {
  const std::string f = "def f():\n    cat\n\n    return mat\n";
  const std::string g = "def g():\n    sits on the red mat in the old house of the cat\n";
  const auto passages = split_as(DocumentKind::code, f + "\n\n" + g, 48);
  EXPECT_EQ(texts_of(passages), (Texts{f.substr(0, f.size() - 1), g.substr(0, g.size() - 1)}));
  EXPECT_EQ(passages.at(0).last_line, 4U);
}

TEST(Split, ReadsLinesAsTheyAre) {
  EXPECT_EQ(split_as(DocumentKind::markdown, "").size(), 0U);
  EXPECT_EQ(split_as(DocumentKind::markdown, " \r\n\n\t\n").size(), 0U);
  EXPECT_EQ(split_as(DocumentKind::text, "\xEF\xBB\xBF").size(), 0U);
  const auto passages = split_as(DocumentKind::markdown, "\xEF\xBB\xBF# Cats\r\n\r\nA cat.\r\n");
  EXPECT_EQ(texts_of(passages), Texts{"# Cats\r\n\r\nA cat."});
  EXPECT_EQ(passages.at(0).bytes, (ByteRange{3, 19}));
  EXPECT_EQ(passages.at(0).column, 1U);
  EXPECT_EQ(passages.at(0).title, "Cats");
}

TEST(Split, TakesLongLinesAndDeepNesting) {
  for (const std::string& unit : {std::string("a"), std::string("cat "), std::string(">"),
                                  std::string("- "), std::string("\xE7\x8C\xAB"), std::string("#"),
                                  std::string("|a"), std::string("A cat. "), std::string(" ")}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    for (const auto& [name, kind] : document_kind_names) {
      const auto passages = split_as(kind, text);
      EXPECT_EQ(test::broken_rule(text, 0, passages, model(), 256), "") << unit << " as " << name;
    }
  }
}

TEST(Split, TakesALineOfTenMegabytes) {
  const std::string text(10'000'000, 'a');
  for (const auto& [name, kind] : document_kind_names)
    EXPECT_EQ(test::broken_rule(text, 0, split_as(kind, text), model(), 256), "") << name;
}

/// cmark-gfm completes each row of such a table with empty cells, which takes gigabytes.
TEST(Split, TakesATableWithManyColumns) {
  std::string text;
  for (const std::string_view cell : {"|a", "|-"}) {
    for (int column = 0; column < 4000; ++column) text += cell;
    text += '\n';
  }
  for (int row = 0; row < 20'000; ++row) text += "|a\n";
  const auto passages = split_as(DocumentKind::markdown, text);
  EXPECT_EQ(test::broken_rule(text, 0, passages, model(), 256), "");
}

TEST(Split, RefusesWhatIsNoText) {
  const auto code_of = [](std::string_view text, SplitOptions options = {}) {
    return passages_of({"a.md", text}, model(), options).error();
  };
  const Error nul = code_of(std::string_view("a\0b", 3));
  EXPECT_EQ(nul.code(), ErrorCode::unsupported);
  EXPECT_EQ(nul.file(), "a.md");
  const Error invalid = code_of("a\nb\xFF");
  EXPECT_EQ(invalid.code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(invalid.line(), 2U);
  EXPECT_EQ(code_of(std::string(max_document_bytes + 1, 'a')).code(), ErrorCode::bad_value);
  EXPECT_EQ(code_of("a", {.max_tokens = 31}).code(), ErrorCode::invalid_argument);
  const auto replaced =
      passages_of({"a.md", "a\nb\xFF"}, model(), {.invalid_text = InvalidText::replace});
  ASSERT_TRUE(replaced);
  EXPECT_EQ(texts_of(*replaced), Texts{"a\nb\xFF"});
}

TEST(Split, StopsWithTheErrorOfTheSink) {
  const auto stopped = split({"a.md", "A cat."}, model(), {}, [](const Passage&) -> Result<void> {
    return std::unexpected(Error(ErrorCode::io_failed, "full"));
  });
  EXPECT_EQ(stopped.error().code(), ErrorCode::io_failed);
}

TEST(Documents, HaveKinds) {
  EXPECT_EQ(document_kind("a/README.MD"), DocumentKind::markdown);
  EXPECT_EQ(document_kind("a.txt"), DocumentKind::text);
  EXPECT_EQ(document_kind("LICENSE"), DocumentKind::text);
  EXPECT_EQ(document_kind("a.py"), DocumentKind::code);
  EXPECT_EQ(document_kind("a.html").error().code(), ErrorCode::unsupported);
  EXPECT_EQ(document_kind("a.PDF").error().code(), ErrorCode::unsupported);
}

class DocumentFiles : public test::TemporaryDirectory {
 protected:
  void write(const std::string& name, std::string_view text) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
};

TEST_F(DocumentFiles, AreThoseInTheFolder) {
  if (test::on_windows) GTEST_SKIP() << "no links on Windows";
  for (const char* name : {"in/a/b.md", "in/a.md", "in/c.pdf", "in/d.png", "in/.git/e.md",
                           "in/.f.md", "in/g.py", "out.md"})
    write(name, "text");
  fs::create_symlink("../out.md", path("in/out.md"));
  fs::create_symlink("a.md", path("in/same.md"));
  fs::create_directory_symlink("..", path("in/up"));
  std::vector<std::string> skipped;
  const fs::path folder = path("in");
  const auto files = document_files({&folder, 1}, [&](const Error& error) {
    skipped.push_back(fs::path(error.file()).filename().string());
  });
  ASSERT_TRUE(files) << files.error().message();
  Texts names;
  for (const fs::path& file : *files) names.push_back(fs::relative(file, folder).string());
  EXPECT_EQ(names[0], "a.md");
  EXPECT_EQ(names, (Texts{"a.md", "a/b.md", "g.py", "a.md"}));  // same.md is a.md
  EXPECT_EQ(skipped, (Texts{"c.pdf", "out.md"}));
  fs::create_directory(path("empty"));
  const fs::path empty = path("empty");
  EXPECT_EQ(document_files({&empty, 1}).error().code(), ErrorCode::missing);
}

TEST_F(DocumentFiles, AreReadWhole) {
  write("a.md", "A cat.\n");
  EXPECT_EQ(read_document(path("a.md")).value(), "A cat.\n");
  write("a.txt", "%PDF-1.7\n");
  EXPECT_EQ(read_document(path("a.txt")).error().code(), ErrorCode::unsupported);
  write("a.txt",
        "\xFF\xFE"
        "a");
  EXPECT_EQ(read_document(path("a.txt")).error().code(), ErrorCode::unsupported);
  write("a.txt", std::string_view("a\0", 2));
  EXPECT_EQ(read_document(path("a.txt")).error().code(), ErrorCode::unsupported);
  write("a.txt", std::string(max_document_bytes + 1, 'a'));
  EXPECT_EQ(read_document(path("a.txt")).error().code(), ErrorCode::bad_value);
  EXPECT_EQ(read_document(path("none.md")).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace embd
