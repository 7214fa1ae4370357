#include "engine/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/try.h"
#include "engine/feeds.h"

namespace embd {
namespace {

/// Texts of random lengths, each beginning with its own number.
std::vector<std::string> make_texts(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(std::to_string(i) + std::string(random() % 200, 'x'));
  }
  return texts;
}

/// Notices when it is called from two threads at once.
class OneAtATime {
 public:
  class Entry {
   public:
    explicit Entry(std::atomic<bool>& busy) : busy_(busy) { EXPECT_FALSE(busy_.exchange(true)); }
    ~Entry() { busy_ = false; }

   private:
    std::atomic<bool>& busy_;
  };
  Entry enter() { return Entry(busy_); }

 private:
  std::atomic<bool> busy_ = false;
};

class VectorSource final : public TextSource {
 public:
  explicit VectorSource(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  Result<bool> next(std::string& text) override {
    const auto entry = busy_.enter();
    if (read == fail_at) return fail(ErrorCode::bad_csv, "the source's own");
    if (read == throw_at) throw std::runtime_error("thrown by the source");
    if (read == texts_.size()) return false;
    text = texts_[read++];
    return true;
  }
  std::atomic<std::size_t> read = 0;
  std::size_t fail_at = SIZE_MAX;
  std::size_t throw_at = SIZE_MAX;

 private:
  std::vector<std::string> texts_;
  OneAtATime busy_;
};

class VectorSink final : public RowSink {
 public:
  Result<void> write(MatrixView rows, std::span<const RowReport> row_reports) override {
    const auto entry = busy_.enter();
    EXPECT_EQ(rows.rows(), row_reports.size());
    if (values.size() >= fail_at) return fail(ErrorCode::io_failed, "disk full");
    values.insert(values.end(), rows.values().begin(), rows.values().end());
    reports.insert(reports.end(), row_reports.begin(), row_reports.end());
    written = values.size();
    return {};
  }
  std::vector<float> values;
  std::vector<RowReport> reports;
  std::atomic<std::size_t> written = 0;
  std::size_t fail_at = SIZE_MAX;

 private:
  OneAtATime busy_;
};

const TokenEstimate estimate(2, 40);
const FeedOptions feed_options = {.width = 1, .estimate = estimate, .buffer_tokens = 600};

using TextFeed = StreamFeed<std::string, TextSource>;

std::string_view text_of(const Block& block, std::size_t row) {
  return std::get<std::string_view>(block.buffer.inputs[row]);
}

Inputs inputs_of(const std::vector<std::string_view>& texts) {
  return std::span<const std::string_view>(texts);
}

/// Stands for the model: a row is the number at the front of its text.
Result<Report> write_numbers(const Block& block) {
  Report report;
  for (const std::size_t i : block.rows) {
    block.buffer.rows[i] = std::stof(std::string(text_of(block, i)));
    if (!block.buffer.reports.empty()) {
      block.buffer.reports[i].tokens = static_cast<std::uint32_t>(text_of(block, i).size());
    }
    ++report.rows;
  }
  return report;
}

class PipelineTest : public testing::TestWithParam<int> {
 protected:
  static PipelineOptions options() {
    return {.threads = GetParam(), .batch_tokens = 64, .estimate = estimate};
  }
};

TEST_P(PipelineTest, StreamDeliversEveryRowInOrder) {
  const std::vector<std::string> texts = make_texts(3000);
  VectorSource source(texts);
  VectorSink sink;
  TextFeed feed(source, sink, feed_options);
  const auto report = run_pipeline(feed, options(), write_numbers, {});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->rows, texts.size());
  ASSERT_EQ(sink.values.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(sink.values[i], static_cast<float>(i));
    ASSERT_EQ(sink.reports[i].tokens, texts[i].size());
  }
}

TEST_P(PipelineTest, SpanFillsTheCallersRows) {
  const std::vector<std::string> texts = make_texts(500);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<float> rows(texts.size(), -1);
  SpanFeed feed(inputs_of(views), rows, {}, feed_options);
  ASSERT_TRUE(run_pipeline(feed, options(), write_numbers, {}));
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(rows[i], static_cast<float>(i));
}

TEST_P(PipelineTest, NothingComesOfNothing) {
  VectorSource source({});
  VectorSink sink;
  TextFeed stream(source, sink, feed_options);
  const auto report = run_pipeline(stream, options(), write_numbers, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->rows, 0U);
  SpanFeed span(Inputs(), {}, {}, feed_options);
  EXPECT_TRUE(run_pipeline(span, options(), write_numbers, {}));
}

TEST_P(PipelineTest, BlocksAreBoundedAndLongestFirst) {
  const std::vector<std::string> texts = make_texts(800);
  VectorSource source(texts);
  VectorSink sink;
  TextFeed feed(source, sink, feed_options);
  std::atomic<bool> sorted = true;
  std::atomic<std::int64_t> largest = 0;
  const auto encode = [&](const Block& block) {
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const std::string_view text = text_of(block, block.rows[i]);
      if (i > 0 && text.size() > text_of(block, block.rows[i - 1]).size()) sorted = false;
      tokens += estimate(text);
    }
    if (tokens > largest) largest = tokens;
    return write_numbers(block);
  };
  ASSERT_TRUE(run_pipeline(feed, options(), encode, {}));
  EXPECT_TRUE(sorted);
  EXPECT_LE(largest, 64 + 20);
}

TEST_P(PipelineTest, ReadsAheadByAFewBuffersOnly) {
  const std::vector<std::string> texts = make_texts(5000);
  VectorSource source(texts);
  VectorSink sink;
  TextFeed feed(source, sink, feed_options);
  std::atomic<std::size_t> most = 0;
  const auto encode = [&](const Block& block) {
    const std::size_t ahead = source.read - sink.written;
    if (ahead > most) most = ahead;
    return write_numbers(block);
  };
  ASSERT_TRUE(run_pipeline(feed, options(), encode, {}));
  EXPECT_LE(most, 3U * 600 / 2);
}

TEST_P(PipelineTest, TheFirstErrorEndsTheRun) {
  {
    VectorSource source(make_texts(1000));
    source.fail_at = 700;
    VectorSink sink;
    TextFeed feed(source, sink, feed_options);
    const auto report = run_pipeline(feed, options(), write_numbers, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), ErrorCode::bad_csv);
  }
  {
    VectorSource source(make_texts(1000));
    VectorSink sink;
    sink.fail_at = 1;
    TextFeed feed(source, sink, feed_options);
    const auto report = run_pipeline(feed, options(), write_numbers, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().what(), "disk full");
  }
  {
    VectorSource source(make_texts(1000));
    VectorSink sink;
    TextFeed feed(source, sink, feed_options);
    const auto encode = [](const Block& block) -> Result<Report> {
      if (text_of(block, block.rows[0]).starts_with("5")) throw std::bad_alloc();
      return write_numbers(block);
    };
    const auto report = run_pipeline(feed, options(), encode, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), ErrorCode::out_of_memory);
  }
}

TEST_P(PipelineTest, WhatASourceThrowsBecomesAnError) {
  VectorSource source(make_texts(1000));
  source.throw_at = 500;
  VectorSink sink;
  TextFeed feed(source, sink, feed_options);
  const auto report = run_pipeline(feed, options(), write_numbers, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().what(), "thrown by the source");
}

TEST_P(PipelineTest, StopsWhenTold) {
  VectorSource source(make_texts(100000));
  VectorSink sink;
  TextFeed feed(source, sink, feed_options);
  std::stop_source stop;
  std::atomic<int> blocks = 0;
  const auto encode = [&](const Block& block) {
    if (++blocks == 20) stop.request_stop();
    return write_numbers(block);
  };
  const auto report = run_pipeline(feed, options(), encode, stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::cancelled);
  EXPECT_LE(blocks, 20 + GetParam());
}

TEST_P(PipelineTest, StrictFeedsNameTheByteAndTheText) {
  std::vector<std::string> texts = make_texts(300);
  texts[250] = "good \xff bad";
  FeedOptions strict = feed_options;
  strict.strict_utf8 = true;
  VectorSource source(texts);
  VectorSink sink;
  TextFeed stream(source, sink, strict);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<float> rows(texts.size());
  SpanFeed span(inputs_of(views), rows, {}, strict);
  for (Feed* feed : {static_cast<Feed*>(&stream), static_cast<Feed*>(&span)}) {
    const auto report = run_pipeline(*feed, options(), write_numbers, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), ErrorCode::invalid_utf8);
    EXPECT_EQ(report.error().offset(), 5U);
    EXPECT_EQ(report.error().line(), 251U);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, PipelineTest, testing::Values(1, 2, 3, 8),
                         testing::PrintToStringParamName());

TEST(Pipeline, OneBlockHiresNobody) {
  const std::vector<std::string_view> texts = {"0 one short text"};
  std::vector<float> rows(1);
  SpanFeed feed(inputs_of(texts), rows, {}, feed_options);
  const auto caller = std::this_thread::get_id();
  std::thread::id encoder;
  const auto encode = [&](const Block& block) {
    encoder = std::this_thread::get_id();
    return write_numbers(block);
  };
  ASSERT_TRUE(
      run_pipeline(feed, {.threads = 8, .batch_tokens = 256, .estimate = {2, 256}}, encode, {}));
  EXPECT_EQ(encoder, caller);
}

/// One text, however long, or few short ones may use a team; blocks beside others may not.
TEST(Pipeline, ABlockThatIsAloneMayUseATeam) {
  const auto threads_of = [](const std::vector<std::string>& texts, int threads) {
    std::vector<float> rows(texts.size());
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    SpanFeed feed(inputs_of(views), rows, {}, feed_options);
    std::mutex mutex;
    std::vector<int> allowed;
    const auto encode = [&](const Block& block) -> Result<Report> {
      const std::lock_guard lock(mutex);
      allowed.push_back(block.threads);
      return Report{};
    };
    EXPECT_TRUE(run_pipeline(
        feed, {.threads = threads, .team = 2, .batch_tokens = 64, .estimate = {2, 256}}, encode,
        {}));
    return allowed;
  };
  const std::string long_text(900, 'x');
  EXPECT_EQ(threads_of({long_text}, 2), std::vector{2});
  EXPECT_EQ(threads_of({long_text}, 64), std::vector{2});
  EXPECT_EQ(threads_of({"a", "b", "c"}, 2), std::vector{2});
  EXPECT_EQ(threads_of({long_text, long_text}, 2), (std::vector{1, 1}));
}

TEST(Pipeline, EqualTextsAreSharedOutEvenly) {
  const std::string text(120, 'x');  // 32 tokens, estimated
  const std::vector<std::string_view> texts(24, text);
  std::vector<float> rows(texts.size());
  SpanFeed feed(inputs_of(texts), rows, {}, feed_options);
  std::vector<std::size_t> blocks;
  std::mutex mutex;
  const auto encode = [&](const Block& block) -> Result<Report> {
    const std::lock_guard lock(mutex);
    blocks.push_back(block.rows.size());
    return Report{};
  };
  // 768 tokens are three blocks of 256; four threads get four of 192.
  ASSERT_TRUE(
      run_pipeline(feed, {.threads = 4, .batch_tokens = 256, .estimate = {2, 256}}, encode, {}));
  EXPECT_EQ(blocks, std::vector<std::size_t>(4, 6));
}

}  // namespace
}  // namespace embd
