// The time of no reader grows with the square of its input. Speed is not asserted.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>

#include "base/json.h"
#include "embd/texts.h"
#include "formats/vectors/formats.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/safetensors.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

/// Repeats `item(i)` for i below `count`, with commas between.
std::string listed(std::size_t count, const std::function<std::string(std::string)>& item,
                   const std::string& between = ",") {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : between) + item(std::to_string(i));
  return out;
}
std::string repeated(std::size_t count, const std::string& item) {
  return listed(count, [&](const std::string&) { return item; }, "");
}

using Path = std::filesystem::path;

struct Reader {
  std::string name;
  /// Makes an input with `count` of what may be too many.
  std::function<std::string(std::size_t count)> text;
  /// Reads the input from a file. Returns true if the input is good, or has the error that it is to
  /// have, so that all of it was read.
  std::function<bool(const Path& file)> read;
};

bool parses(const Path& file, auto parse) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse(text);
}
bool is_json(const Path& file) {
  return parses(file, [](std::string_view text) {
    return parse_json(text).has_value() && parse_ordered_json(text).has_value();
  });
}
std::function<bool(const Path&)> records(const InputOptions& options, bool is_good = true) {
  return [=](const Path& file) {
    const auto reader = open_records(file, options);
    if (!reader) return !is_good;
    Record record;
    Result<bool> more = (*reader)->next(record);
    while (more && *more) more = (*reader)->next(record);
    return more.has_value() == is_good;
  };
}
std::function<bool(const Path&)> vectors(const Format& format, bool is_good = true) {
  return [&format, is_good](const Path& file) {
    const auto reader = format.open(file, {});
    if (!reader) return !is_good;
    if (const TableSource* table = (*reader)->table()) (void)table->columns();
    return ((*reader)->ids() && (*reader)->verify()) == is_good;
  };
}
template <class Read>
std::function<bool(const Path&)> tokenizer(Read read) {
  return [=](const Path& file) {
    huggingface::TokenizerFiles files;
    auto json = huggingface::JsonFile::read(file);
    if (!json) return false;
    files.tokenizer = *std::move(json);
    (void)read(files, "PreTrainedTokenizerFast");
    return true;
  };
}

std::string with_header(const std::string& header) {
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i));
  return file + header;
}
std::string added_token(const std::string& id) {
  return R"({"id":)" + id +
         R"(,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,)" +
         R"("normalized":false,"special":true})";
}
std::string word_pieces(std::size_t count) {
  return R"({"added_tokens":[)" + listed(count, added_token) +
         R"(],"normalizer":{"type":"BertNormalizer","clean_text":true,)"
         R"("handle_chinese_chars":true,"strip_accents":null,"lowercase":true},)"
         R"("pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece",)"
         R"("unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
         R"("vocab":{)" +
         listed(count, [](const std::string& i) { return "\"w" + i + "\":" + i; }) + "}}}";
}
std::string unigram_pieces(std::size_t count) {
  return R"({"added_tokens":[)" + listed(count, added_token) +
         R"(],"model":{"type":"Unigram","unk_id":0,"vocab":[)" +
         listed(count, [](const std::string& i) { return "[\"w" + i + "\",-1.5]"; }) + "]}}";
}

const InputOptions jsonl = {.format = InputFormat::jsonl};
const InputOptions csv = {.format = InputFormat::csv, .text_field = "1", .has_header = false};
const InputOptions tsv = {.format = InputFormat::tsv, .text_field = "1", .has_header = false};
const InputOptions replacing = {.format = InputFormat::jsonl, .invalid_text = InvalidText::replace};

const Reader readers[] = {
    {"objects_in_an_object",
     [](std::size_t n) {
       return "{" + listed(n, [](const std::string& i) { return "\"k" + i + "\":{}"; }) + "}";
     },
     is_json},
    {"objects_in_an_array", [](std::size_t n) { return "[" + repeated(n, "{},") + "0]"; }, is_json},
    {"surrogate_pairs",
     [](std::size_t n) { return "\"" + repeated(n, "\\ud83d\\ude00\\\\") + "\""; }, is_json},
    {"open_brackets", [](std::size_t n) { return std::string(n, '['); },
     [](const Path& file) { return !is_json(file); }},
    {"safetensors_header",
     [](std::size_t n) {
       return with_header("{" +
                          listed(n,
                                 [](const std::string& i) {
                                   return "\"x" + i +
                                          R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
                                 }) +
                          "}");
     },
     [](const Path& file) { return huggingface::SafetensorsFile::open(file).has_value(); }},
    {"word_pieces", word_pieces, tokenizer(huggingface::read_wordpiece)},
    {"unigram_pieces", unigram_pieces, tokenizer(huggingface::read_unigram)},
    {"record_of_many_members",
     [](std::size_t n) {
       return "{" + listed(n, [](const std::string& i) { return "\"k" + i + "\":[{}]"; }) +
              ",\"text\":\"a\"}";
     },
     records(jsonl)},
    {"record_without_its_member",
     [](std::size_t n) {
       return "{" + listed(n, [](const std::string& i) { return "\"k" + i + "\":{}"; }) + "}";
     },
     records(jsonl, false)},
    {"half_surrogates",
     [](std::size_t n) { return "{\"text\":\"" + repeated(n, "\\ud800") + "\"}"; },
     records(replacing)},
    {"invalid_bytes", [](std::size_t n) { return "{\"text\":\"" + repeated(n, "a\xff") + "\"}"; },
     records(replacing)},
    {"csv_fields", [](std::size_t n) { return repeated(n, "\"a\"\"b\",") + "c\n"; }, records(csv)},
    {"csv_lines_of_a_field", [](std::size_t n) { return "\"" + repeated(n, "a\n") + "\""; },
     records(csv)},
    {"csv_doubled_quotes", [](std::size_t n) { return "\"" + repeated(n, "\"\"") + "\""; },
     records(csv)},
    {"tsv_fields", [](std::size_t n) { return "a\n" + repeated(n, "\"a\"\"b\t") + "c\n"; },
     records(tsv, false)},
    {"tsv_fields_of_three_quotes", [](std::size_t n) { return "a\n" + repeated(n, "\"\"\"\t"); },
     records(tsv, false)},
    {"jsonl_vectors", [](std::size_t n) { return repeated(n, "{\"id\":1,\"embedding\":[0.5]}\n"); },
     vectors(jsonl::format)},
    {"jsonl_numbers",
     [](std::size_t n) { return "{\"embedding\":[" + repeated(n, "0.5,") + "1]}"; },
     vectors(jsonl::format)},
    {"jsonl_columns",
     [](std::size_t n) {
       const std::string line = "{\"embedding\":[1]," +
                                listed(n, [](const std::string& i) { return "\"k" + i + "\":1"; }) +
                                "}\n";
       return line + line;
     },
     vectors(jsonl::format)},
    {"words", [](std::size_t n) { return repeated(n, "a 0.5\n"); }, vectors(word2vec::formats[2])},
    {"values_of_a_word", [](std::size_t n) { return "a" + repeated(n, " 0.5") + "\n"; },
     vectors(word2vec::formats[2])},
    {"words_after_a_shape",
     [](std::size_t n) { return std::to_string(n) + " 2\n" + repeated(n, "a 0.5 1\n"); },
     vectors(word2vec::formats[1])},
    {"words_of_which_the_last_is_wrong",
     [](std::size_t n) { return repeated(n, "a 0.5\n") + "b\n"; },
     vectors(word2vec::formats[2], false)},
};

class Growth : public test::TemporaryDirectory, public testing::WithParamInterface<Reader> {
 protected:
  /// Returns the processor time that reading an input takes.
  double seconds(std::size_t count) const {
    const std::string text = GetParam().text(count);
    std::ofstream(path("in"), std::ios::binary) << text;
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const std::clock_t begin = std::clock();
      EXPECT_TRUE(GetParam().read(path("in")));
      best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return best;
  }
};

TEST_P(Growth, IsNotThatOfASquare) {
  constexpr std::size_t factor = 8;
  constexpr double allowed = 3;  // times the factor; a square would take 8 times
  // Both inputs are too large for the processor's caches, so they are read at the same speed.
  constexpr double enough_seconds = 0.02;
  std::size_t count = 256;
  double small = seconds(count);
  for (; small < enough_seconds; small = seconds(count)) count *= 2;
  EXPECT_LT(seconds(count * factor), allowed * factor * small)
      << count << " took " << small << " s";
}

INSTANTIATE_TEST_SUITE_P(EveryReader, Growth, testing::ValuesIn(readers),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace embd
