// embd's side of check_tokenizers.py:
//
//   encode_texts ids|normalized TOKENIZER_JSON
//
// reads texts from standard input, each as its size in bytes, a line feed and that many bytes, and
// answers each with a line: its ids, or its normalized form in JSON, or "error".
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tokenizer/unigram/tokenizer_json.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/unigram/normalized_text.h"

namespace {

std::string ids_line(embd::TokenizerWorker& worker, const std::string& text) {
  std::vector<std::int32_t> ids;
  if (!worker.encode_plain(text, {}, {&ids})) return "error";
  // Asking for ranges takes another way, to the same ids.
  std::vector<std::int32_t> ids_with_ranges;
  std::vector<embd::ByteRange> ranges;
  const auto encoded = worker.encode_plain(text, {}, {.ids = &ids_with_ranges, .ranges = &ranges});
  if (!encoded || ids_with_ranges != ids) return "ranges";
  return nlohmann::json(ids).dump();
}

std::string normalized_line(const embd::UnigramTokenizer& tokenizer, const std::string& text) {
  embd::unigram::NormalizedText reader(tokenizer.normalizer(), text);
  std::string normalized;
  for (embd::unigram::NormalizedCharacter c; reader.next(c);) normalized += c.text;
  return nlohmann::json(normalized).dump(-1, ' ', true);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool wants_ids = std::string(argv[1]) == "ids";
  const auto json = embd::testing::TokenizerJson::read(argv[2]);
  const auto tokenizer = json.tokenizer();
  embd::TokenizerWorker worker(*tokenizer);
  std::ios::sync_with_stdio(false);
  std::string size;
  std::string text;
  while (std::getline(std::cin, size)) {
    text.resize(std::stoul(size));
    if (!std::cin.read(text.data(), static_cast<std::streamsize>(text.size()))) return 2;
    std::cout << (wants_ids ? ids_line(worker, text) : normalized_line(*tokenizer, text)) << '\n';
  }
}
