// The parts of a file hold every record once, whatever its form and however many parts there are.
#include "formats/text/open_records.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "base/checksum.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

struct Form {
  std::string name;
  InputOptions options = {};
};

void PrintTo(const Form& form, std::ostream* out) {
  *out << form.name;
}

class Parts : public test::TemporaryDirectory, public testing::WithParamInterface<Form> {
 protected:
  std::string random_content(std::mt19937& random) const;
};

/// A file of up to 20 records, with everything that may stand around them.
std::string Parts::random_content(std::mt19937& random) const {
  const std::string& name = GetParam().name;
  const std::string line_end = random() % 2 == 0 ? "\n" : "\r\n";
  std::string content = random() % 3 == 0 ? "\xEF\xBB\xBF" : "";
  if (name == "in.csv" || name == "in.tsv") content += name == "in.csv" ? "key,text" : "key\ttext";
  if (name == "in.csv" || name == "in.tsv") content += line_end;
  const std::size_t count = random() % 20;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string word(random() % 4 == 0 ? 0 : random() % 30, 'w');
    if (name == "in.txt") content += word;
    if (name == "in.jsonl")
      content += R"({"key":)" + std::to_string(i) + R"(,"text":")" + word + "\"}";
    if (name == "in.csv") content += std::to_string(i) + ",\"" + word + "\n\"\"x\n\"";
    if (name == "in.tsv") content += std::to_string(i) + "\t" + word;
    if (i + 1 < count || random() % 2 == 0) content += line_end;
  }
  return content;
}

std::vector<Record> all_of(RecordReader& reader) {
  std::vector<Record> records;
  for (Record record;;) {
    const auto more = reader.next(record);
    EXPECT_TRUE(more) << more.error().message();
    if (!more || !*more) return records;
    records.push_back(record);
  }
}

std::string sha256_of(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return sha256_hex(as_bytes(content.view()));
}

TEST_P(Parts, HoldEveryRecordOnceAndKnowTheirPlace) {
  std::mt19937 random(1);
  const auto path = this->path(GetParam().name);
  for (int round = 0; round < 60; ++round) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << random_content(random);
    const auto whole = all_of(*open_records(path, GetParam().options).value());
    for (const std::uint64_t count : {1, 2, 3, 5, 17, 1000}) {
      SCOPED_TRACE(testing::Message() << "file " << round << " in " << count << " parts");
      std::size_t next = 0;
      std::string hash;  // at the end of the part before
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto part = PartReader::open(path, GetParam().options, {i, count});
        ASSERT_TRUE(part) << part.error().message();
        EXPECT_EQ((*part)->num_records_before(), next);
        if (i > 0) {
          EXPECT_EQ((*part)->sha256_before(), hash);
        }
        for (const Record& record : all_of(**part)) {
          ASSERT_LT(next, whole.size());
          EXPECT_EQ(record.text, whole[next].text);
          EXPECT_EQ(record.id, whole[next].id);
          EXPECT_EQ(record.line, whole[next].line);
          ++next;
        }
        EXPECT_LE((*part)->bytes_read(), *(*part)->file_bytes() + 100);
        hash = (*part)->sha256_so_far();
      }
      EXPECT_EQ(next, whole.size());
      EXPECT_EQ(hash, sha256_of(path));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Parts,
                         testing::Values(Form{"in.txt"}, Form{"in.jsonl", {.id_field = "key"}},
                                         Form{"in.csv", {.id_field = "key"}},
                                         Form{"in.tsv", {.id_field = "key"}},
                                         Form{"in.txt", {.skip_empty = true}},
                                         Form{"in.tsv", {.id_field = "key", .skip_empty = true}}),
                         [](const auto& form) {
                           return form.param.name.substr(3) +
                                  (form.param.options.skip_empty ? "_without_empty_texts" : "");
                         });

class PartsOfFiles : public test::TemporaryDirectory {};

TEST_F(PartsOfFiles, AreCountedFromZeroAndOfFiles) {
  std::ofstream(path("in.txt")) << "a\n";
  EXPECT_EQ(PartReader::open(path("in.txt"), {}, {2, 2}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(PartReader::open("/dev/null", {}, {0, 2}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(PartReader::open("-", {}, {0, 2}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(PartReader::open(path("none"), {}, {0, 2}).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace embd
