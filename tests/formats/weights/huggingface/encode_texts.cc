// embd's side of check_tokenizers.py:
//
//   encode_texts folder FOLDER
//   encode_texts unigram|normalized TOKENIZER_JSON
//   encode_texts time FOLDER FILE ROUNDS
//
// reads a tokenizer: that of a folder, or a Unigram file with rules that no folder may have. Then
// it reads texts from standard input, each as its size in bytes, a line feed and that many bytes,
// and answers each with a line in JSON: its ids, with the special tokens around it for a folder; or
// its normalized form. "error" means that there are none, and "ranges" that other ids were found
// when ranges were asked for. With `time` it tokenizes the lines of a file ROUNDS times instead,
// and prints the CPU seconds of a round and the number of ids.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/folder_tokenizer.h"
#include "tests/support/split.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/unigram/normalized_text.h"

namespace {

std::string ids_line(embd::TokenizerWorker& worker, const std::string& text, bool with_special) {
  const auto encode = [&](const embd::TokenOutput& out) {
    return with_special ? worker.encode(text, {}, out) : worker.encode_plain(text, {}, out);
  };
  std::vector<std::int32_t> ids;
  if (!encode({&ids})) return "error";
  // Asking for ranges takes another way, to the same ids.
  std::vector<std::int32_t> ids_with_ranges;
  std::vector<embd::ByteRange> ranges;
  const auto encoded = encode({.ids = &ids_with_ranges, .ranges = &ranges});
  if (!encoded || ids_with_ranges != ids || ranges.size() != ids.size()) return "ranges";
  for (const embd::ByteRange& range : ranges)
    if (range.begin > range.end || range.end > text.size()) return "ranges";
  return nlohmann::json(ids).dump();
}

std::string normalized_line(const embd::UnigramTokenizer& tokenizer, const std::string& text) {
  embd::unigram::NormalizedText reader(tokenizer.normalizer(), text);
  std::string normalized;
  for (embd::unigram::NormalizedCharacter c; reader.next(c);) normalized += c.text;
  return nlohmann::json(normalized).dump(-1, ' ', true);
}

/// Answers each text of standard input with a line.
int answer(const std::function<std::string(const std::string&)>& line_for) {
  std::ios::sync_with_stdio(false);
  std::string size;
  std::string text;
  while (std::getline(std::cin, size)) {
    text.resize(std::stoul(size));
    if (!std::cin.read(text.data(), static_cast<std::streamsize>(text.size()))) return 2;
    std::cout << line_for(text) << '\n';
  }
  return 0;
}

int time_file(embd::TokenizerWorker& worker, const char* path, int rounds) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto lines = embd::testing::split(text, '\n');
  std::vector<std::int32_t> ids;
  std::size_t num_ids = 0;
  const std::clock_t start = std::clock();
  for (int i = 0; i < rounds; ++i) {
    num_ids = 0;
    for (const std::string_view line : lines) {
      ids.clear();
      worker.encode(line, {}, {&ids}).value();
      num_ids += ids.size();
    }
  }
  std::cout << static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / rounds << ' ' << num_ids
            << '\n';
  return 0;
}

int use_unigram(const char* path, bool wants_normalized) {
  const auto json = embd::testing::TokenizerJson::read(path);
  const auto tokenizer = json.tokenizer();
  embd::TokenizerWorker worker(*tokenizer);
  return answer([&](const std::string& text) {
    return wants_normalized ? normalized_line(*tokenizer, text) : ids_line(worker, text, false);
  });
}

int use_folder(int argc, char** argv) {
  auto read = embd::huggingface::read_folder_tokenizer(argv[2], "");
  if (!read) {
    std::cerr << read.error().message() << '\n';
    return 1;
  }
  const auto data = embd::testing::FolderTokenizerData::create(*std::move(read));
  if (!data) {
    std::cerr << data.error().message() << '\n';
    return 1;
  }
  embd::TokenizerWorker worker((*data)->tokenizer());
  if (argc == 5) return time_file(worker, argv[3], std::stoi(argv[4]));
  return answer([&](const std::string& text) { return ids_line(worker, text, true); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (argc == 3 && mode == "folder") return use_folder(argc, argv);
  if (argc == 5 && mode == "time") return use_folder(argc, argv);
  if (argc == 3 && (mode == "unigram" || mode == "normalized"))
    return use_unigram(argv[2], mode == "normalized");
  return 2;
}
