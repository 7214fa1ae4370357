// Term indexes of random texts whose words are as frequent as those of a language: building,
// opening, searching.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "embd/terms.h"

namespace {

using namespace embd;

constexpr std::size_t num_words = 400000;
constexpr std::size_t words_of_text = 110;

/// Makes words of the ranks of a distribution of Zipf. The most frequent rank is 0.
class Words {
 public:
  explicit Words(std::uint64_t seed) : random_(seed) {
    for (std::size_t i = 0; i < num_words; ++i)
      sums_.push_back((sums_.empty() ? 0 : sums_.back()) + 1 / std::pow(i + 1, 1.05));
  }
  std::string text() {
    std::uniform_real_distribution<double> place(0, sums_.back());
    std::string text;
    for (std::size_t i = 0; i < words_of_text; ++i) {
      const auto found = std::upper_bound(sums_.begin(), sums_.end(), place(random_));
      text += word(static_cast<std::size_t>(found - sums_.begin())) + ' ';
    }
    return text;
  }
  /// Returns six words, two of them among the 200 most frequent.
  std::string query() {
    std::string query;
    for (std::size_t i = 0; i < 6; ++i)
      query += word(i < 2 ? random_() % 200 : 200 + random_() % 20000) + ' ';
    return query;
  }

 private:
  /// Returns a word of syllables: the digits of its rank.
  static std::string word(std::size_t rank) {
    std::string word;
    for (std::size_t left = rank + 1; left > 0; left /= 90) {
      word += "bcdfghjklmnprstvwz"[left % 18];
      word += "aeiou"[left / 18 % 5];
    }
    return word + 'n';
  }

  std::mt19937_64 random_;
  std::vector<double> sums_;
};

const TermIndex& index_of(std::size_t rows) {
  static std::size_t held_rows = 0;
  static std::unique_ptr<TermIndex> held;
  if (held_rows != rows) {
    Words words(1);
    auto builder = TermIndexBuilder::create().value();
    for (std::size_t i = 0; i < rows; ++i) builder.add(words.text()).value();
    held = std::make_unique<TermIndex>(std::move(builder).finish().value());
    held_rows = rows;
  }
  return *held;
}

void build(benchmark::State& state) {
  Words words(1);
  std::vector<std::string> texts(10000);
  std::size_t bytes = 0;
  for (std::string& text : texts) bytes += (text = words.text()).size();
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (auto _ : state) benchmark::DoNotOptimize(TermIndex::build(views).value().num_rows());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK(build)->Unit(benchmark::kMillisecond);

void open(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "terms_bench.terms";
  index_of(static_cast<std::size_t>(state.range(0))).save(folder).value();
  for (auto _ : state) benchmark::DoNotOptimize(TermIndex::open(folder).value().num_rows());
  std::filesystem::remove_all(folder);
}
BENCHMARK(open)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond);

void search(benchmark::State& state) {
  const TermIndex& index = index_of(static_cast<std::size_t>(state.range(0)));
  Words words(2);
  std::vector<std::vector<std::string>> queries;
  for (int i = 0; i < 100; ++i) queries.push_back(index.query(words.query()).value().texts);
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(index.search(queries[i++ % queries.size()], 100).value());
}
BENCHMARK(search)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMicrosecond);

}  // namespace
