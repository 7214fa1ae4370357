#include "embd/texts.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <stop_token>
#include <thread>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "base/checksum.h"
#include "base/os/file_descriptor.h"
#include "base/path_text.h"
#include "formats/text/open_records.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class RecordReaderTest : public test::TemporaryDirectory {
 protected:
  /// All texts of a file of this content.
  std::vector<std::string> texts(const std::string& content, const InputOptions& options) {
    std::ofstream(path("in"), std::ios::binary) << content;
    auto reader = open_records(path("in"), options);
    EXPECT_TRUE(reader) << reader.error().message();
    std::vector<std::string> all;
    Record record;
    while (reader) {
      const auto more = (*reader)->next(record);
      EXPECT_TRUE(more) << more.error().message();
      if (!more || !*more) break;
      all.push_back(record.text);
    }
    return all;
  }
};

std::string csv_field(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

TEST_F(RecordReaderTest, CsvGivesBackWhatWasQuotedAcrossEveryBuffer) {
  // Fields of every length up to beyond the stream's buffer, of the characters that matter.
  std::mt19937 random(1);
  std::vector<std::string> expected;
  std::string content = "text\r\n";
  for (const std::size_t length : {0, 1, 7, 4096, 262141, 262144, 262147, 700000}) {
    std::string text;
    while (text.size() < length) {
      constexpr std::array<const char*, 6> pieces = {"a", ",", "\"", "\r", "\n", "é"};
      text += pieces[random() % pieces.size()];
    }
    content += csv_field(text) + "\r\n";
    expected.push_back(text);
  }
  EXPECT_EQ(texts(content, {.format = InputFormat::csv}), expected);
}

TEST_F(RecordReaderTest, ALineOfAnyLengthIsOneText) {
  const std::string line(3'000'000, 'x');
  EXPECT_EQ(texts(line + "\r\n\n" + line, {}), (std::vector<std::string>{line, "", line}));
}

TEST_F(RecordReaderTest, LineEndsAndMarksAreNoText) {
  EXPECT_EQ(texts("\xEF\xBB\xBF"
                  "a\r\nb\rc\n\xEF\xBB\xBF"
                  "d\r",
                  {}),
            (std::vector<std::string>{"a", "b\rc",
                                      "\xEF\xBB\xBF"
                                      "d\r"}));
  EXPECT_TRUE(texts("", {}).empty());
}

TEST_F(RecordReaderTest, AJsonDocumentIsReadOnlyAsWhatSomebodySaysItIs) {
  std::ofstream(path("in.json")) << "{\"text\": \"one\"}\n";
  const auto reader = open_records(path("in.json"), {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::unsupported);
  EXPECT_NE(reader.error().message().find("on a line of its own"), std::string::npos);
  EXPECT_TRUE(open_records(path("in.json"), {.format = InputFormat::jsonl}));
  EXPECT_TRUE(open_records(path("in.json"), {.format = InputFormat::txt}));
}

TEST_F(RecordReaderTest, WhatIsKnownToBeNoTextIsRefusedWithAWayOut) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> starts = {
      {"\x1F\x8B\x08\0\0"s, "unpack"},
      {"\x28\xB5\x2F\xFD\x04"s, "unpack"},
      {"\xFD\x37zXZ\0\0"s, "unpack"},
      {"BZh91AY&SY\x01"s, "unpack"},
      {"PK\x03\x04\x14"s, "take the texts out"},
      {"\xFF\xFE"s + "a\0"s, "convert it to UTF-8"},
      {"\xFE\xFF\0a"s, "convert it to UTF-8"},
      {"PAR1\x15\x04"s, "choose parquet"},
      {"ARROW1\0\0"s, "a library for Arrow"},
      {"%PDF-1.7\n"s, "convert it to text"},
      {"SQLite format 3\0"s, "take the texts out"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"s, "convert it to text"},
      {"\x89PNG\r\n\x1A\n"s, "recognize its text"},
      {"\x7F\x45LF\x02"s, "take the texts out"},
  };
  for (const auto& [start, way] : starts) {
    std::ofstream(path("in"), std::ios::binary) << start << "more\n";
    for (const InputFormat format : {InputFormat::txt, InputFormat::jsonl, InputFormat::csv}) {
      const auto reader = open_records(path("in"), {.format = format});
      ASSERT_FALSE(reader) << way;
      EXPECT_EQ(reader.error().code(), ErrorCode::unsupported);
      EXPECT_NE(reader.error().message().find(way), std::string::npos) << reader.error().message();
      EXPECT_EQ(reader.error().file(), path("in"));
    }
  }
  EXPECT_EQ(texts("PAR1 is a word\n", {}), std::vector<std::string>{"PAR1 is a word"});
  EXPECT_EQ(texts("\x1F\n", {}), std::vector<std::string>{"\x1F"});
}

TEST_F(RecordReaderTest, TextsOfAnotherEncodingAreConverted) {
  std::ofstream(path("in"), std::ios::binary) << "text\ncaf\xE9\n\"\xFC\n\xFC\"\n";
  auto reader =
      open_records(path("in"), {.format = InputFormat::csv, .encoding = "latin-1"}).value();
  Record record;
  ASSERT_TRUE(reader->next(record).value());
  EXPECT_EQ(record.text, "café");
  ASSERT_TRUE(reader->next(record).value());
  EXPECT_EQ(record.text, "ü\nü");
  EXPECT_EQ(record.line, 3U);
  EXPECT_EQ(reader->bytes_read(), std::filesystem::file_size(path("in")));
}

TEST_F(RecordReaderTest, FieldsOfATableArePartedByItsDelimiter) {
  const auto of = [&](char delimiter) {
    return InputOptions{.format = InputFormat::csv, .delimiter = delimiter};
  };
  EXPECT_EQ(texts("n;text\n1;\"a;b\"\n2;c, d\n", of(';')),
            (std::vector<std::string>{"a;b", "c, d"}));
  EXPECT_EQ(texts("n\ttext\n1\t\"a\tb\"\n", of('\t')), std::vector<std::string>{"a\tb"});
  EXPECT_EQ(texts("text|n\n|1\n\"\"|2\n", of('|')), (std::vector<std::string>{"", ""}));
  std::ofstream(path("in.csv")) << "n;text\n1;\"a\"b\n";
  Record record;
  const auto wrong = open_records(path("in.csv"), of(';')).value()->next(record);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("expected ';'"), std::string::npos);
  for (const char delimiter : {'"', '\n', '\r', 'a', '0', '\0', '\xE9'}) {
    const auto refused = open_records(path("in.csv"), of(delimiter));
    ASSERT_FALSE(refused) << static_cast<int>(delimiter);
    EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_FALSE(open_records(path("in.csv"), {.format = InputFormat::tsv, .delimiter = ';'}));
}

TEST_F(RecordReaderTest, EmptyTextsAreLeftOutOnRequest) {
  const std::pair<InputFormat, const char*> files[] = {
      {InputFormat::txt, "\na\n \t\r\n\nb\n\n"},
      {InputFormat::jsonl,
       "{\"text\":\"\"}\n{\"text\":\"a\"}\n{\"text\":\" \"}\n{\"text\":\"\"}\n{\"text\":\"b\"}\n"},
      {InputFormat::tsv, "text\na\n\n\n\nb\n"}};
  for (const auto& [format, content] : files) {
    std::ofstream(path("in"), std::ios::binary) << content;
    auto reader = open_records(path("in"), {.format = format, .skip_empty = true}).value();
    Record record;
    ASSERT_TRUE(reader->next(record).value());
    EXPECT_EQ(record.text, "a");
    EXPECT_EQ(record.line, 2U);
    ASSERT_TRUE(reader->skip().value());
    EXPECT_FALSE(reader->next(record).value());
    EXPECT_EQ(reader->bytes_read(), std::filesystem::file_size(path("in")));
  }
  EXPECT_TRUE(is_blank(" \t\n\v\f\r"));
  EXPECT_FALSE(is_blank(" \u3000"));
}

TEST_F(RecordReaderTest, BytesThatAreNotUtf8AreAnErrorAtTheirLine) {
  const auto read = [&](InputFormat format, InvalidText invalid) -> Result<std::string> {
    auto reader = open_records(path("in"), {.format = format, .invalid_text = invalid}).value();
    Record record;
    if (auto first = reader->next(record); !first) return std::unexpected(first.error());
    if (auto second = reader->next(record); !second) return std::unexpected(second.error());
    return record.text;
  };
  const std::pair<InputFormat, const char*> files[] = {
      {InputFormat::txt, "a\nb\xE9\n"},
      {InputFormat::jsonl, "{\"text\":\"a\"}\n{\"text\":\"b\xE9\"}\n"},
      {InputFormat::csv, "text\na\nb\xE9\n"},
      {InputFormat::tsv, "text\na\nb\xE9\n"}};
  for (const auto& [format, content] : files) {
    std::ofstream(path("in"), std::ios::binary) << content;
    const auto refused = read(format, InvalidText::refuse);
    EXPECT_EQ(refused.error().code(), ErrorCode::invalid_utf8);
    const bool has_header = format == InputFormat::csv || format == InputFormat::tsv;
    EXPECT_EQ(refused.error().line(), has_header ? 3U : 2U);
    EXPECT_EQ(refused.error().file(), text_of_path(path("in")));
    EXPECT_EQ(read(format, InvalidText::replace).value(), "b\xEF\xBF\xBD");
  }
}

TEST_F(RecordReaderTest, CountsAndHashesWhatItReads) {
  const std::string content = "\xEF\xBB\xBF one\ntwo";
  std::ofstream(path("in"), std::ios::binary) << content;
  auto reader = open_records(path("in"), {}).value();
  EXPECT_EQ(reader->file_bytes(), content.size());
  Record record;
  while (reader->next(record).value()) {
  }
  EXPECT_EQ(record.line, 2U);
  EXPECT_EQ(reader->bytes_read(), content.size());
  EXPECT_EQ(reader->sha256(), sha256_hex(as_bytes(content)));
}

TEST_F(RecordReaderTest, HashesTheBytesOfTheRecordsSoFar) {
  // Lines that end before, at and behind the end of the reader's buffer, and one longer than it.
  std::string content = "\xEF\xBB\xBFtext,n\n";
  for (const std::size_t size : {0U, 1U, 262'000U, 130U, 14U, 524'288U, 600'001U, 3U})
    content += std::string(size, 'x') + ",\"\n\"\n";
  std::ofstream(path("in.csv"), std::ios::binary) << content;
  const auto reader = open_records(path("in.csv"), {}).value();
  for (Record record;;) {
    const std::string_view so_far = std::string_view(content).substr(0, reader->bytes_read());
    EXPECT_EQ(reader->sha256(), sha256_hex(as_bytes(so_far))) << record.line;
    if (!reader->next(record).value()) break;
  }
  EXPECT_EQ(reader->bytes_read(), content.size());
}

TEST_F(RecordReaderTest, AFileThatChangesWhileItIsReadIsAnError) {
  using Change = void (*)(const std::filesystem::path&);
  const Change changes[] = {
      [](const std::filesystem::path& file) { std::ofstream(file, std::ios::app) << "three\n"; },
      [](const std::filesystem::path& file) { std::filesystem::resize_file(file, 1); },
      [](const std::filesystem::path& file) {
        std::filesystem::last_write_time(
            file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
      }};
  for (const Change change : changes) {
    std::ofstream(path("in"), std::ios::binary) << "one\ntwo\n";
    auto reader = open_records(path("in"), {}).value();
    change(path("in"));
    Record record;
    Result<bool> more = true;
    while (more && *more) more = reader->next(record);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code(), ErrorCode::io_failed);
    EXPECT_NE(more.error().message().find("changed while it was read"), std::string::npos);
  }
}

TEST_F(RecordReaderTest, IdsOfTablesAreNumbersOnlyIfTheyLookLikeThem) {
  const auto first_id = [&](const std::string& id, IdType type) {
    std::ofstream(path("in"), std::ios::binary) << "id,text\n" + id + ",a\n";
    auto reader =
        open_records(
            path("in"),
            {.format = InputFormat::csv, .text_field = {}, .id_field = "id", .id_type = type})
            .value();
    Record record;
    const auto more = reader->next(record);
    return more ? record.id : RecordId();
  };
  EXPECT_EQ(first_id("17", IdType::automatic), RecordId(std::uint64_t{17}));
  EXPECT_EQ(first_id("0", IdType::automatic), RecordId(std::uint64_t{0}));
  for (const char* text : {"017", "-1", "1.5", "", "18446744073709551616", "x"})
    EXPECT_EQ(first_id(text, IdType::automatic), RecordId(std::string(text)));
  EXPECT_EQ(first_id("17", IdType::string), RecordId(std::string("17")));
  EXPECT_EQ(first_id("x", IdType::number), RecordId());
}

TEST_F(RecordReaderTest, FurtherFieldsOfATableAreAJsonArray) {
  std::ofstream(path("in"), std::ios::binary)
      << "year,text,name\n-1.5e2,a,\"say \"\"x\"\"\"\n[1],b,é\n1 2,c,1.10\n3,d,\xFF\n";
  InputOptions options = {.format = InputFormat::csv, .text_field = {}, .id_field = {}};
  options.fields = {"name", "year"};
  options.number_fields = {"year"};
  auto reader = open_records(path("in"), options).value();
  Record record;
  for (const char* expected :
       {R"(["say \"x\"","-1.5e2",-150.0])", R"(["é","[1]","[1]"])", R"(["1.10","1 2","1 2"])"}) {
    ASSERT_TRUE(reader->next(record).value());
    EXPECT_EQ(record.fields, expected);
  }
  const Error error = reader->next(record).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(error.line(), 5U);
}

TEST_F(RecordReaderTest, NumbersThatJsonReadersRoundAreNoKeys) {
  std::ofstream(path("in")) << R"({"text":"a","key":18446744073709551615})" << '\n'
                            << R"({"text":"a","key":1e30})" << '\n'
                            << R"({"text":"a","key":18446744073709551616})" << '\n';
  const auto read_third = [&](const InputOptions& options) {
    auto reader = open_records(path("in"), options).value();
    Record record;
    EXPECT_TRUE(reader->next(record).value());
    EXPECT_EQ(record.fields, "[18446744073709551615]");
    EXPECT_TRUE(reader->next(record).value());
    return reader->next(record);
  };
  InputOptions options;
  options.format = InputFormat::jsonl;
  options.fields = {"key"};
  EXPECT_EQ(read_third(options).error().code(), ErrorCode::bad_value);
  EXPECT_EQ(read_third(options).error().line(), 3U);
  options.number_fields = std::exchange(options.fields, {});
  EXPECT_TRUE(read_third(options).value());
}

TEST_F(RecordReaderTest, IdsOfJsonLinesAreStringsOrWholeNumbersOf64Bits) {
  const auto refusal = [&](const char* id) {
    std::ofstream(path("in")) << R"({"text":"a","id":)" << id << "}\n";
    auto reader =
        open_records(path("in"), {.format = InputFormat::jsonl, .id_field = "id"}).value();
    Record record;
    const auto read = reader->next(record);
    return read ? std::string() : read.error().what();
  };
  for (const char* id : {"0", "18446744073709551615", R"("")", R"("x")"})
    EXPECT_EQ(refusal(id), "");
  EXPECT_TRUE(refusal("18446744073709551616").contains("a whole number beyond 64 bits"));
  EXPECT_TRUE(refusal("1.0").contains("a number with a fraction or exponent"));
  EXPECT_TRUE(refusal("-1").contains("a negative number"));
  for (const char* id : {"true", "null", "[1]", "{}"}) EXPECT_NE(refusal(id), "") << id;
}

TEST_F(RecordReaderTest, TokenIdsAreATextWithoutSpaces) {
  InputOptions options = {.format = InputFormat::jsonl, .id_field = "id", .token_ids_field = "ids"};
  EXPECT_EQ(texts(R"({"id":"x","ids":[ 101, 7 ,102],"text":"a"})"
                  "\n"
                  R"({"further":[1,[2]],"ids":[2147483647],"id":1,"last":{"ids":[3]}})",
                  options),
            (std::vector<std::string>{"[101,7,102]", "[2147483647]"}));
  options.id_field.clear();
  options.number_fields = {"year"};
  EXPECT_EQ(texts(R"({"year":3,"ids":[0]})", options), std::vector<std::string>{"[0]"});
  EXPECT_TRUE(open_records(path("in"), options).value()->has_token_ids());
  EXPECT_FALSE(open_records(path("in"), {}).value()->has_token_ids());
}

TEST_F(RecordReaderTest, WhatIsNoTokenIdIsRefusedWithItsLine) {
  const auto refusal = [&](const std::string& value, InputOptions options = {}) {
    std::ofstream(path("in")) << R"({"ids":[1]})" << '\n' << R"({"ids":)" << value << "}\n";
    options.format = InputFormat::jsonl;
    options.token_ids_field = "ids";
    auto reader = open_records(path("in"), options).value();
    Record record;
    EXPECT_TRUE(options.fields.empty() ? reader->next(record).value() : true);
    const auto more = reader->next(record);
    EXPECT_FALSE(more) << value;
    EXPECT_TRUE(more || more.error().line()) << value;
    return more ? ErrorCode() : more.error().code();
  };
  for (const char* value :
       {"[-1]", "[1.0]", "[1e2]", "[null]", "[true]", "[\"1\"]", "[[1]]", "[{}]",
        "[18446744073709551616]", "\"1 2\"", "7", "{\"a\":[1]}", "null"})
    EXPECT_EQ(refusal(value), ErrorCode::bad_type) << value;
  for (const char* value : {"[]", "[2147483648]", "[1,18446744073709551615]"})
    EXPECT_EQ(refusal(value), ErrorCode::bad_value) << value;
  for (const char* value : {"[1", "[1,]", "[01]"})
    EXPECT_EQ(refusal(value), ErrorCode::bad_json) << value;
  EXPECT_EQ(refusal(R"([1],"ids":[1])"), ErrorCode::duplicate);
  EXPECT_EQ(refusal("[1]", {.fields = {"ids"}}), ErrorCode::bad_type);
}

TEST_F(RecordReaderTest, OnlyJsonLinesHasTokenIds) {
  std::ofstream(path("in")) << "text,ids\n";
  const auto refused = [&](InputOptions options) {
    options.token_ids_field = "ids";
    const auto reader = open_records(path("in"), options);
    return !reader && reader.error().code() == ErrorCode::invalid_argument;
  };
  for (const InputFormat format : {InputFormat::txt, InputFormat::csv, InputFormat::tsv})
    EXPECT_TRUE(refused({.format = format}));
  EXPECT_TRUE(refused({.format = InputFormat::jsonl, .text_field = "text"}));
  EXPECT_TRUE(refused({.format = InputFormat::jsonl, .id_field = "ids"}));
  EXPECT_FALSE(refused({.format = InputFormat::jsonl}));
}

#if !defined(_WIN32)  // it has no pipes with names
TEST_F(RecordReaderTest, WhoeverWaitsForAPipeIsStopped) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const FileDescriptor keeps_open(::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC));
  const auto write = [&](std::string_view bytes) {
    return ::write(keeps_open.get(), bytes.data(), bytes.size()) == std::ssize(bytes);
  };
  std::stop_source stop;
  const auto stop_later = [&] {
    return std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      stop.request_stop();
    });
  };
  ASSERT_TRUE(write("a line\nhalf a "));
  auto reader = open_records(path("pipe"), {}, stop.get_token()).value();
  Record record;
  EXPECT_TRUE(reader->next(record).value());
  EXPECT_EQ(record.text, "a line");
  {
    const std::jthread stopper = stop_later();
    EXPECT_EQ(reader->next(record).error().code(), ErrorCode::cancelled);
  }
  stop = {};
  const std::jthread stopper = stop_later();
  EXPECT_EQ(open_records(path("pipe"), {}, stop.get_token()).error().code(), ErrorCode::cancelled);
}
#endif

TEST_F(RecordReaderTest, AbsentInputIsAnErrorOfTheSystem) {
  EXPECT_EQ(open_records(path("none"), {}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(open_records(path("none") / "deeper", {}).error().code(), ErrorCode::not_found);
}

TEST_F(RecordReaderTest, AFolderWithoutTextsIsAnError) {
  EXPECT_EQ(open_records(directory(), {}).error().code(), ErrorCode::missing);
}

/// The texts of a TSV file, the number of warnings, and the error.
struct TsvResult {
  std::vector<std::string> texts;
  int warnings = 0;
  std::string error;
};

class TsvTest : public test::TemporaryDirectory {
 protected:
  TsvResult read(const std::string& rows) const {
    std::ofstream(path("in.tsv"), std::ios::binary) << rows;
    TsvResult result;
    const auto warn = [&](std::string_view warning) {
      ++result.warnings;
      EXPECT_TRUE(warning.starts_with(text_of_path(path("in.tsv")) + ": line ")) << warning;
    };
    const auto reader = open_records(path("in.tsv"), {.on_warning = warn}).value();
    Record record;
    Result<bool> more = reader->next(record);
    for (; more && *more; more = reader->next(record)) result.texts.push_back(record.text);
    if (!more) result.error = more.error().message();
    return result;
  }
};

TEST_F(TsvTest, AQuoteIsACharacterUnlessOnlyQuotingExplainsIt) {
  using Texts = std::vector<std::string>;
  const auto expect = [&](const std::string& rows, const Texts& texts, int warnings) {
    const TsvResult found = read("id\ttext\n" + rows);
    EXPECT_EQ(found.error, "") << rows;
    EXPECT_EQ(found.texts, texts) << rows;
    EXPECT_EQ(found.warnings, warnings) << rows;
  };
  expect("1\t\"a\" cat\n2\t5\" disk\n3\tthe \"end\"\n4\t\"a\" or \"b\"\n",
         {"\"a\" cat", "5\" disk", "the \"end\"", "\"a\" or \"b\""}, 0);
  expect("1\t\"b \"\"inner\"\" q\"\n", {"b \"inner\" q"}, 1);
  expect("1\t\"\"\"\"\r\n", {"\""}, 1);
  expect("1\t\"tab\there\"\n2\t\"\t\"\n", {"tab\there", "\t"}, 1);
  expect("\"1\t2\"\tx\n", {"x"}, 1);
  // Read as quoting, these would be other texts as well; they stay as they are.
  expect("1\t\"plain\"\n2\t\"\"\n", {"\"plain\"", "\"\""}, 1);
  expect("\"So\tit goes\"\n", {"it goes\""}, 1);
}

TEST_F(TsvTest, AnErrorSaysTheRule) {
  for (const char* row : {"1\t\"two\nlines\"\n", "1\t\"a\"b\tc\"\n", "1\ta\tb\n"}) {
    const TsvResult found = read(std::string("id\ttext\n") + row);
    EXPECT_NE(found.error.find("there is no quoting"), std::string::npos) << found.error;
    EXPECT_NE(found.error.find("as csv, with a tab as the delimiter"), std::string::npos);
  }
  EXPECT_EQ(read("text\n\"two\nlines\"\n").warnings, 1);
}

TEST_F(RecordReaderTest, HalvesOfSurrogatePairsAreRefusedOrReplaced) {
  const std::string line = "{\"text\":\"a\\ud800b\\ud83d\\ude00\"}\n";
  EXPECT_EQ(texts(line, {.format = InputFormat::jsonl, .invalid_text = InvalidText::replace}),
            std::vector<std::string>{"a\uFFFDb\U0001F600"});
  std::ofstream(path("in")) << line;
  Record record;
  const auto refused =
      open_records(path("in"), {.format = InputFormat::jsonl}).value()->next(record);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_utf8);
  EXPECT_NE(refused.error().message().find("\\ud800 is half of a surrogate pair"),
            std::string::npos);
  EXPECT_EQ(refused.error().line(), 1U);
}

TEST_F(RecordReaderTest, NumbersOfATableAreDecimals) {
  std::ofstream(path("in")) << "text,n\na,+5\nb,-7\nc, 1.50 \nd,1e-400\ne,+0.5\n"
                               "f,18446744073709551615\ng,nan\nh,1e999\ni,0x1\n";
  auto reader =
      open_records(path("in"), {.format = InputFormat::csv, .number_fields = {"n"}}).value();
  Record record;
  for (const char* fields : {"[5]", "[-7]", "[1.5]", "[0.0]", "[0.5]", "[18446744073709551615]",
                             "[\"nan\"]", "[\"1e999\"]", "[\"0x1\"]"}) {
    ASSERT_TRUE(reader->next(record).value());
    EXPECT_EQ(record.fields, fields);
  }
}

/// Reads "/dev/zero" and pipes that never end, too: a test without the limit would not end.
TEST_F(RecordReaderTest, ALineThatDoesNotEndIsRefusedAtTheLimit) {
  constexpr std::uint64_t limit = 1'000'000;
  const auto refused = [&](const std::filesystem::path& file, InputFormat format, bool is_field) {
    const auto reader = open_records(file, {.format = format,
                                            .text_field = format == InputFormat::csv ? "1" : "",
                                            .has_header = format != InputFormat::csv,
                                            .max_text_bytes = limit});
    Record record;
    const auto read = reader ? (*reader)->next(record) : std::unexpected(reader.error());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::bad_value);
    EXPECT_EQ(read.error().line(), 1U);
    EXPECT_EQ(read.error().file(), file);
    EXPECT_EQ(read.error().what().starts_with(is_field ? "a field in quotes has more than 1000000 "
                                                       : "the line has more than 1000000 bytes"),
              true)
        << read.error().what();
  };
  if (!test::on_windows) {
    refused("/dev/zero", InputFormat::txt, false);
    refused("/dev/zero", InputFormat::csv, false);
  }
  std::ofstream(path("in")) << "{\"text\":\"" << std::string(limit, 'x') << "\"}\n";
  refused(path("in"), InputFormat::jsonl, false);
  std::ofstream field(path("in"));
  field << '"';
  for (std::uint64_t i = 0; i < limit; ++i) field << "a\n";
  field << "\"\n";
  field.close();
  refused(path("in"), InputFormat::csv, true);

  const std::string fits(limit - 1, 'x');
  EXPECT_EQ(texts(fits + "\n", {.max_text_bytes = limit}), std::vector<std::string>{fits});
}

}  // namespace
}  // namespace embd
