#include "jobs/embed/journal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

#include "base/try.h"
#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

constexpr std::uint64_t dim = 3;

/// Rows on their way to a journal, with the memory that they lie in.
struct Block {
  std::vector<float> values;
  RowBatch batch;
  Journal::Source source;
};

class JournalTest : public test::TemporaryDirectory {
 protected:
  JournalTest() {
    add({.ids = std::vector<std::uint64_t>{7, 8}}, {{.line = 1}, {.line = 2, .tokens = 5}});
    add({.ids = std::vector<std::string>{"", "naïve"}, .texts = {"a cat", ""}},
        {{.line = 3}, {.line = 4, .truncated = true}});
    add({.fields = {"[1]"}}, {{.line = 9, .tokens = 8, .window = 1, .windows = 4}});
  }
  void add(RowBatch batch, std::vector<RowNote> notes) {
    Block& block = blocks_.emplace_back();
    for (std::size_t i = 0; i < notes.size() * dim; ++i)
      block.values.push_back(static_cast<float>(i) - 1.5F);
    block.batch = std::move(batch);
    block.batch.notes = std::move(notes);
    block.source.num_records = blocks_.size();
    block.source.hash.fill(static_cast<std::byte>(blocks_.size()));
  }

  std::filesystem::path file() const { return path("a.npy.journal"); }
  Result<Journal> open(bool force = false) const {
    return Journal::open(file(), conditions_, dim, force);
  }
  /// A journal of all blocks. Returns where its header and each block ends.
  std::vector<std::uint64_t> write_journal() {
    Journal journal = open().value();
    std::vector<std::uint64_t> ends = {std::filesystem::file_size(file())};
    for (Block& block : blocks_) {
      block.batch.rows = {block.values.data(), block.batch.notes.size(), dim};
      EXPECT_TRUE(journal.append(block.batch, block.source));
      ends.push_back(std::filesystem::file_size(file()));
    }
    return ends;
  }
  /// That the journal gives back the first `count` blocks and no more.
  void expect_blocks(Journal& journal, std::size_t count) const;

  Conditions conditions_ = {{"pooling", "\"cls\""}, {"model", "\"12\""}};
  std::vector<Block> blocks_;
};

void JournalTest::expect_blocks(Journal& journal, std::size_t count) const {
  ASSERT_EQ(journal.sources().size(), count);
  std::size_t i = 0;
  std::uint64_t num_rows = 0;
  const auto each = [&](const RowBatch& found) -> Result<void> {
    const auto& [values, batch, source] = blocks_[i];
    EXPECT_EQ(journal.sources()[i].num_records, source.num_records);
    EXPECT_EQ(journal.sources()[i].hash, source.hash);
    EXPECT_TRUE(std::ranges::equal(found.rows.values(), values));
    EXPECT_TRUE(found.notes == batch.notes);
    EXPECT_EQ(found.ids, batch.ids);
    EXPECT_EQ(found.texts, batch.texts);
    EXPECT_EQ(found.fields, batch.fields);
    num_rows += found.rows.rows();
    ++i;
    return {};
  };
  ASSERT_TRUE(journal.for_each(each));
  EXPECT_EQ(i, count);
  EXPECT_EQ(journal.num_rows(), num_rows);
}

TEST_F(JournalTest, GivesBackWhatWasAppended) {
  write_journal();
  {
    Journal journal = open().value();
    expect_blocks(journal, blocks_.size());
    EXPECT_EQ(journal.windows_of_unfinished_text(), 2U);
    ASSERT_TRUE(journal.remove());
  }  // On Windows the name is there until the file is closed.
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(JournalTest, GoesOnWhereItEnded) {
  write_journal();
  {
    Journal journal = open().value();
    ASSERT_TRUE(journal.append(blocks_[0].batch, blocks_[0].source));
  }
  blocks_.push_back(blocks_[0]);
  Journal journal = open().value();
  expect_blocks(journal, blocks_.size());
  EXPECT_EQ(journal.windows_of_unfinished_text(), 0U);
}

/// A kill or a full disk can leave any beginning of a journal.
TEST_F(JournalTest, CutAnywhereItHasTheBlocksThatAreWhole) {
  const std::vector<std::uint64_t> ends = write_journal();
  const std::string whole = test::content(file());
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    test::write_file(file(), whole.substr(0, size));
    auto journal = open();
    ASSERT_TRUE(journal) << journal.error().message();
    const auto num_whole =
        std::ranges::count_if(ends, [&](std::uint64_t end) { return end <= size; });
    expect_blocks(*journal, num_whole > 0 ? static_cast<std::size_t>(num_whole) - 1 : 0);
  }
}

TEST_F(JournalTest, ABlockWithADamagedByteIsCutOffWithAllBehindIt) {
  const std::vector<std::uint64_t> ends = write_journal();
  const std::string whole = test::content(file());
  for (std::size_t at = ends[0]; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    test::write_file(file(), damaged);
    auto journal = open();
    ASSERT_TRUE(journal) << journal.error().message();
    expect_blocks(*journal,
                  static_cast<std::size_t>(
                      std::ranges::count_if(ends, [&](auto end) { return end <= at; }) - 1));
  }
}

TEST_F(JournalTest, ADamagedHeaderIsAnErrorAndNothingIsLost) {
  const std::vector<std::uint64_t> ends = write_journal();
  const std::string whole = test::content(file());
  for (std::size_t at = 0; at < ends[0]; ++at) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    test::write_file(file(), damaged);
    const auto journal = open();
    ASSERT_FALSE(journal);
    EXPECT_EQ(journal.error().file(), file());
    EXPECT_EQ(test::content(file()), damaged);
  }
  // A length that leads past the end is no header that was cut: blocks follow.
  for (const char length : {'\x01', '\x7f'}) {
    std::string damaged = whole;
    damaged[11] = length;
    test::write_file(file(), damaged);
    EXPECT_EQ(open().error().code(), ErrorCode::file_too_short);
    EXPECT_EQ(test::content(file()), damaged);
  }
  ASSERT_TRUE(open(/*force=*/true));
  EXPECT_EQ(test::content(file()), whole.substr(0, ends[0]));
}

TEST_F(JournalTest, OtherConditionsAreNamedAndNothingIsLost) {
  write_journal();
  const std::string before = test::content(file());
  conditions_["pooling"] = "\"mean\"";
  conditions_["prompt"] = "\"q: \"";
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::recipe_mismatch);
  EXPECT_EQ(refused.error().what(), "the journal was begun with another pooling, prompt");
  EXPECT_EQ(test::content(file()), before);
  Journal journal = open(/*force=*/true).value();
  expect_blocks(journal, 0);
}

TEST_F(JournalTest, WhatIsNoJournalIsLeftAlone) {
  for (const std::string content : {"a text", "EMBDJRNx and more than a header", "E M"}) {
    test::write_file(file(), content);
    EXPECT_EQ(open().error().code(), ErrorCode::bad_magic) << content;
    EXPECT_EQ(test::content(file()), content);
  }
  std::filesystem::remove(file());
#if !defined(_WIN32)  // it has no pipes with names, and no links
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(open().error().code(), ErrorCode::io_failed);
  std::filesystem::remove(file());
  test::write_file(path("elsewhere"), "");
  std::filesystem::create_symlink(path("elsewhere"), file());
  EXPECT_FALSE(open());
#endif
  EXPECT_EQ(Journal::open(path("none") / "x", conditions_, dim, false).error().code(),
            ErrorCode::not_found);
}

TEST_F(JournalTest, IsOneProcessesAtATime) {
  {
    const Journal journal = open().value();
    const auto second = open();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), ErrorCode::io_failed);
    EXPECT_NE(second.error().message().find("another process"), std::string::npos);
  }
  EXPECT_TRUE(open());
}

TEST_F(JournalTest, IsNeverOneThatWasRemoved) {
  std::atomic<int> lost = 0;
  const auto open_many = [&] {
    for (int i = 0; i < 1000; ++i)
      if (auto journal = open()) lost += !journal->remove();
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(open_many);
  threads.clear();
  EXPECT_EQ(lost, 0);
}

TEST_F(JournalTest, ChangedBehindItsBackItIsAnError) {
  const std::vector<std::uint64_t> ends = write_journal();
  Journal journal = open().value();
  std::string damaged = test::content(file());
  damaged[ends[1] + 20] = static_cast<char>(damaged[ends[1] + 20] ^ 1);
  test::write_file(file(), damaged);
  std::size_t num_given = 0;
  const auto done = journal.for_each([&](const RowBatch&) -> Result<void> {
    ++num_given;
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::checksum_mismatch);
  EXPECT_EQ(done.error().offset(), ends[1]);
  EXPECT_EQ(num_given, 1U);
}

TEST_F(JournalTest, AnErrorOfWhoeverTakesTheRowsIsPassedOn) {
  write_journal();
  Journal journal = open().value();
  const auto done = journal.for_each(
      [](const RowBatch&) -> Result<void> { return fail(ErrorCode::cancelled, "stop"); });
  EXPECT_EQ(done.error().code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace embd
