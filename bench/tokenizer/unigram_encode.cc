// embd's side of unigram_peers.py:
//
//   unigram_encode TOKENIZER_JSON
//
// prints the CPU seconds that the trie takes to build, to be checked and to be opened, then reads
// lines from standard input, each a number of rounds and a file, and answers each with the CPU
// seconds that the file's lines took in that many rounds, and the number of their ids.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/split.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"
#include "tokenizer/double_array.h"
#include "tokenizer/tokenizer_worker.h"

namespace {

/// CPU seconds that `work` takes.
template <class Work>
double seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void time_tables(const embd::testing::TokenizerJson& json) {
  const embd::unigram::PieceTables tables = json.tables();
  std::vector<std::uint32_t> units;
  const double build = seconds([&] { units = embd::build_double_array(tables.texts).value(); });
  const double check = seconds([&] { embd::check_double_array(units, tables.texts).value(); });
  const double open = seconds([&] { (void)json.tokenizer(); });
  fmt::print("{} pieces, {} units: built in {:.3f} s, checked in {:.3f} s, opened in {:.4f} s\n",
             tables.texts.size(), units.size(), build, check, open);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto json = embd::testing::TokenizerJson::read(argv[1]);
  time_tables(json);
  const auto tokenizer = json.tokenizer();
  embd::TokenizerWorker worker(*tokenizer);
  std::fflush(stdout);
  int rounds = 0;
  std::string path;
  while (std::cin >> rounds >> path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto lines = embd::testing::split(text, '\n');
    std::vector<std::int32_t> ids;
    std::size_t num_ids = 0;
    const double taken = seconds([&] {
      for (int i = 0; i < rounds; ++i) {
        num_ids = 0;
        for (const std::string_view line : lines) {
          ids.clear();
          worker.encode_plain(line, {}, {&ids}).value();
          num_ids += ids.size();
        }
      }
    });
    fmt::print("{} {}\n", taken, num_ids);
    std::fflush(stdout);
  }
}
