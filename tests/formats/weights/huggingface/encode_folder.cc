// embd's side of check_tokenizers.py:
//
//   encode_folder FOLDER [FILE ROUNDS]
//
// reads the tokenizer of a folder. Then it reads texts from standard input, each as its size in
// bytes, a line feed and that many bytes, and answers each with a line: its ids with the special
// tokens around it, in JSON. "ranges" means that other ids were found when ranges were asked for.
// With a FILE, it tokenizes its lines ROUNDS times instead and prints the CPU seconds of a round
// and the number of ids.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/folder_tokenizer.h"
#include "tests/support/split.h"
#include "tokenizer/tokenizer_worker.h"

namespace {

std::string ids_line(embd::TokenizerWorker& worker, const std::string& text) {
  std::vector<std::int32_t> ids;
  if (const auto encoded = worker.encode(text, {}, {&ids}); !encoded)
    return encoded.error().message();
  // Asking for ranges takes another way, to the same ids.
  std::vector<std::int32_t> ids_with_ranges;
  std::vector<embd::ByteRange> ranges;
  const auto encoded = worker.encode(text, {}, {.ids = &ids_with_ranges, .ranges = &ranges});
  if (!encoded || ids_with_ranges != ids || ranges.size() != ids.size()) return "ranges";
  for (const embd::ByteRange& range : ranges)
    if (range.begin > range.end || range.end > text.size()) return "ranges";
  return nlohmann::json(ids).dump();
}

void time_file(embd::TokenizerWorker& worker, const char* path, int rounds) {
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
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) return 2;
  auto read = embd::huggingface::read_folder_tokenizer(argv[1], "");
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
  if (argc == 4) {
    time_file(worker, argv[2], std::stoi(argv[3]));
    return 0;
  }
  std::ios::sync_with_stdio(false);
  std::string size;
  std::string text;
  while (std::getline(std::cin, size)) {
    text.resize(std::stoul(size));
    if (!std::cin.read(text.data(), static_cast<std::streamsize>(text.size()))) return 2;
    std::cout << ids_line(worker, text) << '\n';
  }
}
