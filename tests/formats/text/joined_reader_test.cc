#include "formats/text/open_records.h"

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/path_text.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

using Paths = std::vector<std::filesystem::path>;

class JoinedReaderTest : public test::TemporaryDirectory {
 protected:
  Paths paths(const std::vector<std::string>& names) const {
    Paths paths;
    for (const std::string& name : names) paths.push_back(path(name));
    return paths;
  }
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(path(name).parent_path());
    test::write_file(path(name), content);
  }
  /// "FILE:LINE TEXT" of each record.
  std::vector<std::string> records(RecordReader& reader) const {
    std::vector<std::string> found;
    Record record;
    while (true) {
      const auto more = reader.next(record);
      EXPECT_TRUE(more) << more.error().message();
      if (!more || !*more) return found;
      found.push_back(std::filesystem::path(record.file).filename().string() + ":" +
                      std::to_string(record.line) + " " + record.text);
    }
  }
  using Lines = std::vector<std::string>;
};

TEST_F(JoinedReaderTest, FilesFollowEachOtherEachInItsFormat) {
  write("b.txt", "one\ntwo");
  write("a.jsonl", "{\"text\":\"three\"}\n");
  write("c.csv", "text\nfour\n\"fi\nve\"\nsix\n");
  write("empty.txt", "");
  const auto reader = open_records(paths({"b.txt", "a.jsonl", "empty.txt", "c.csv"})).value();
  EXPECT_EQ(records(*reader), (Lines{"b.txt:1 one", "b.txt:2 two", "a.jsonl:1 three",
                                     "c.csv:2 four", "c.csv:3 fi\nve", "c.csv:5 six"}));
  EXPECT_EQ(reader->bytes_read(), *reader->file_bytes());
  EXPECT_EQ(reader->bytes_read(), 7U + 17 + 22);
  EXPECT_FALSE(*reader->skip());
}

TEST_F(JoinedReaderTest, AFolderStandsForItsTextsInTheOrderOfTheirPaths) {
  for (const char* name : {"d/b.txt", "d/a/z.md", "d/a.b/x.tsv", "d/B.jsonl", "d/.hidden.txt",
                           "d/.git/x.txt", "d/image.png", "d/a/notes", "d/c.text"})
    write(name, "text\n");
  if (!test::on_windows) std::filesystem::create_directory_symlink(path("d"), path("d/loop"));
  const auto files = input_files(paths({"x.txt", "d"})).value();
  EXPECT_EQ(files, paths({"x.txt", "d/B.jsonl", "d/a.b/x.tsv", "d/a/z.md", "d/b.txt", "d/c.text"}));
  write("none/x.png", "");
  EXPECT_EQ(input_files(paths({"none"})).error().code(), ErrorCode::missing);
  EXPECT_EQ(open_records(path("none")).error().code(), ErrorCode::missing);
  if (test::on_windows) return;
  std::filesystem::create_symlink("nowhere", path("d/.broken.txt"));
  EXPECT_TRUE(input_files(paths({"d"})));
  std::filesystem::create_symlink("nowhere", path("d/broken.txt"));
  EXPECT_EQ(input_files(paths({"d"})).error().file(), path("d/broken.txt"));
}

TEST_F(JoinedReaderTest, TheHashIsThatOfTheHashesLines) {
  write("a.txt", "one\n");
  write("b.txt", "two\n");
  const auto hash = [&](const std::vector<std::string>& names) {
    const auto reader = open_records(paths(names)).value();
    records(*reader);
    EXPECT_EQ(hash_of_inputs(paths(names)).value(), reader->sha256());
    return reader->sha256();
  };
  const auto line = [](const char* text) { return sha256_hex(as_bytes(text)) + "\n"; };
  EXPECT_EQ(hash({"a.txt", "b.txt"}), sha256_hex(as_bytes(line("one\n") + line("two\n"))));
  EXPECT_EQ(hash({"b.txt", "a.txt"}), sha256_hex(as_bytes(line("two\n") + line("one\n"))));
  EXPECT_EQ(hash({"a.txt"}), sha256_hex(as_bytes("one\n")));
}

TEST_F(JoinedReaderTest, IdsMayBeTheFilesNamesWithLines) {
  write("a.txt", "one\n\nthree\n");
  write("b.txt", "four\n");
  InputOptions options = {.id_from = IdSource::file, .skip_empty = true};
  const auto reader = open_records(paths({"a.txt", "b.txt"}), options).value();
  Lines ids;
  for (Record record; reader->next(record).value();)
    ids.push_back(std::get<std::string>(record.id));
  EXPECT_EQ(ids, (Lines{text_of_path(path("a.txt")) + ":1", text_of_path(path("a.txt")) + ":3",
                        text_of_path(path("b.txt")) + ":1"}));
  EXPECT_EQ(open_records("-", options).error().code(), ErrorCode::invalid_argument);
  options.id_field = "id";
  write("c.jsonl", "{}\n");
  EXPECT_EQ(open_records(path("c.jsonl"), options).error().code(), ErrorCode::invalid_argument);
}

/// Whatever stands where, all parts together have every record once, and each begins with the hash
/// that the one before it ended with.
TEST_F(JoinedReaderTest, PartsOfSeveralFilesFitTogether) {
  write("a.txt", "one\ntwo\nthree\n");
  write("b.csv", "text\nfour\n\"fi\nve\"\n");
  write("empty.txt", "");
  write("c.txt", "six");
  const Paths files = paths({"empty.txt", "a.txt", "b.csv", "empty.txt", "c.txt"});
  const Lines whole = records(*open_records(files).value());
  ASSERT_EQ(whole.size(), 6U);
  for (std::uint64_t count = 1; count < 40; ++count) {
    Lines all;
    std::string before;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto part = PartReader::open(files, {}, {i, count}).value();
      EXPECT_EQ(part->num_records_before(), all.size());
      if (i > 0) {
        EXPECT_EQ(part->sha256_before(), before) << i << " of " << count;
      }
      for (std::string& record : records(*part)) all.push_back(std::move(record));
      before = part->sha256_so_far();
    }
    EXPECT_EQ(all, whole) << count;
    EXPECT_EQ(before, hash_of_inputs(files).value());
  }
}

TEST_F(JoinedReaderTest, WhatCannotBeReadIsNamed) {
  write("a.txt", "one\n");
  write("b.jsonl", "{\"text\":\"two\"}\nno\n");
  const auto refusal = [&](const Paths& files) {
    const auto reader = open_records(files);
    if (!reader) return reader.error().message();
    for (Record record;;) {
      const auto more = (*reader)->next(record);
      if (!more) return more.error().message();
      if (!*more) return std::string();
    }
  };
  EXPECT_NE(refusal(paths({"a.txt", "b.jsonl"})).find("b.jsonl: line 2"), std::string::npos);
  EXPECT_NE(refusal(paths({"a.txt", "none.txt"})).find("none.txt"), std::string::npos);
  EXPECT_NE(refusal({path("a.txt"), "-"}).find("alone"), std::string::npos);
  if (!test::on_windows) {
    EXPECT_NE(refusal({path("a.txt"), "/dev/null"}).find("alone"), std::string::npos);
  }
  EXPECT_EQ(open_records(Paths()).error().code(), ErrorCode::invalid_argument);
}

TEST_F(JoinedReaderTest, AFileThatChangesMeanwhileIsNoticed) {
  write("a.txt", "one\n");
  write("b.txt", "two\n");
  const auto reader = open_records(paths({"a.txt", "b.txt"})).value();
  Record record;
  ASSERT_TRUE(reader->next(record).value());
  write("b.txt", "two and more\n");
  const auto more = reader->next(record);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), ErrorCode::io_failed);
  EXPECT_NE(more.error().message().find("b.txt"), std::string::npos);
}

}  // namespace
}  // namespace embd
