// Bytes of text a second through the tokenizer on one core, and what it costs to make one.
//
// The text is EMBD_BENCH_TEXT, a file of one text a line, or else the licences that every Debian
// system keeps in /usr/share/common-licenses: English prose, about 0.3 MB, in lines of about 70
// bytes.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/split.h"
#include "tests/tokenizer/wordpiece/test_vocabulary.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

namespace embd {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string& prose() {
  static const std::string text = [] {
    if (const char* path = std::getenv("EMBD_BENCH_TEXT")) return read_file(path);
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/share/common-licenses")) {
      if (!entry.is_symlink()) all += read_file(entry.path());
    }
    return all;
  }();
  return text;
}

std::size_t total_bytes(const std::vector<std::string_view>& texts) {
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  return bytes;
}

/// The texts one after the other, `max_length` the argument.
void encode_all(benchmark::State& state, const std::vector<std::string_view>& texts) {
  const WordPieceTokenizer tokenizer(testing::bert_vocabulary());
  TokenizerWorker worker(tokenizer);
  const TextOptions options{.max_length = static_cast<std::uint32_t>(state.range(0))};
  std::vector<std::int32_t> ids;
  std::uint64_t tokens = 0;
  for (auto _ : state) {
    for (const std::string_view text : texts) {
      ids.clear();
      tokens += worker.encode(text, options, {&ids}).value().tokens;
      benchmark::DoNotOptimize(ids.data());
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(total_bytes(texts)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(texts.size()));
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
}

void encode_lines(benchmark::State& state) {
  encode_all(state, testing::split(prose(), '\n'));
}
BENCHMARK(encode_lines)->Arg(256);

/// All of it as a single text: no cost per text.
void encode_one_text(benchmark::State& state) {
  encode_all(state, {prose()});
}
BENCHMARK(encode_one_text)->Arg(0)->Arg(256);

/// The vocabulary's own words that are not ASCII, shuffled by a fixed stride: the general path.
void encode_other_scripts(benchmark::State& state) {
  const auto& tokens = testing::bert_tokens();
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i * 7919 % tokens.size()];
    const bool ascii =
        token.find_first_not_of(
            "##abcdefghijklmnopqrstuvwxyz0123456789!\"$%&'()*+,-./:;<=>?@[\\]^_`{|}~") ==
        std::string_view::npos;
    if (!ascii) text.append(token).push_back(' ');
  }
  encode_all(state, {text});
}
BENCHMARK(encode_other_scripts)->Arg(0);

void create_vocabulary(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(testing::bert_vocabulary());
}
BENCHMARK(create_vocabulary)->Unit(benchmark::kMicrosecond);

/// From the vocabulary to the first ids.
void create_and_encode(benchmark::State& state) {
  for (auto _ : state) {
    const WordPieceTokenizer tokenizer(testing::bert_vocabulary());
    TokenizerWorker worker(tokenizer);
    std::vector<std::int32_t> ids;
    benchmark::DoNotOptimize(worker.encode("The first sentence of a program.", {}, {&ids}));
  }
}
BENCHMARK(create_and_encode)->Unit(benchmark::kMicrosecond);

void hash(benchmark::State& state) {
  const WordPieceTokenizer tokenizer(testing::bert_vocabulary());
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.hash());
}
BENCHMARK(hash)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace embd
