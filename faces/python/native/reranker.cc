#include "embd/reranker.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>

#include "base/try.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "formats/recipe_json.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

Reranker open_reranker(const std::filesystem::path& path, const nb::dict& given) {
  const LoadOptions options = load_options(given);
  return run_long([&](std::stop_token) { return Reranker::open(path, options); });
}

/// Makes pairs of two sequences of texts, which must have the same length. Keeps the texts alive.
class Pairs {
 public:
  Pairs(nb::handle first, nb::handle second) : first_(first), second_(second) {
    check_are_pairs(first_, second_);
    pairs_.reserve(first_.views().size());
    for (std::size_t i = 0; i < first_.views().size(); ++i)
      pairs_.push_back({first_.views()[i], second_.views()[i]});
  }

  std::span<const TextPair> views() const noexcept { return pairs_; }

 private:
  Texts first_;
  Texts second_;
  std::vector<TextPair> pairs_;
};

class PairsInOrder final : public PairSource {
 public:
  explicit PairsInOrder(std::span<const TextPair> pairs) : pairs_(pairs) {}
  Result<bool> next(std::string& first, std::string& second) override {
    if (pairs_.empty()) return false;
    first = pairs_.front().first;
    second = pairs_.front().second;
    pairs_ = pairs_.subspan(1);
    return true;
  }

 private:
  std::span<const TextPair> pairs_;
};

/// Copies scores into memory that has room for all of them, and counts them. Another thread may
/// read the count at any time.
class CountedScores final : public ScoreSink {
 public:
  explicit CountedScores(std::span<float> scores) : scores_(scores) {}
  Result<void> write(MatrixView /*logits*/, MatrixView scores,
                     std::span<const RowReport> /*reports*/) override {
    std::ranges::copy(scores.values(), scores_.begin());
    scores_ = scores_.subspan(scores.values().size());
    count_ += scores.rows();
    return {};
  }
  std::size_t count() const noexcept { return count_; }

 private:
  std::span<float> scores_;
  std::atomic<std::size_t> count_ = 0;
};

nb::object score(const Reranker& reranker, nb::handle first, nb::handle second,
                 const ScoreOptions& options, const nb::object& progress) {
  const Pairs pairs(first, second);
  auto scores = new_array<float>(pairs.views().size(), reranker.labels().size());
  CountedScores sink(scores.values());
  const auto tell = [&] {
    if (!progress.is_none()) progress(sink.count());
  };
  run_long(
      [&](std::stop_token stop) {
        PairsInOrder source(pairs.views());
        return reranker.score(source, sink, options, std::move(stop));
      },
      tell);
  tell();
  return scores.release();
}

using Ranked = std::tuple<std::size_t, float, float, bool>;

std::vector<Ranked> rank(const Reranker& reranker, const nb::str& query, nb::handle documents,
                         std::optional<std::size_t> k, const ScoreOptions& options) {
  const std::string_view text = utf8_of(query);
  const Texts batch(documents);
  const auto ranked = run_long([&](std::stop_token stop) {
    return reranker.rank(text, batch.views(), k.value_or(batch.views().size()), options,
                         std::move(stop));
  });
  std::vector<Ranked> documents_in_order;
  documents_in_order.reserve(ranked.size());
  for (const auto& [index, score, logit, truncated] : ranked)
    documents_in_order.emplace_back(index, score, logit, truncated);
  return documents_in_order;
}

using IdsAndTypes = std::pair<std::vector<std::int32_t>, std::vector<std::uint8_t>>;

std::vector<IdsAndTypes> tokenize_pairs(const Reranker& reranker, nb::handle first,
                                        nb::handle second, const ScoreOptions& options) {
  const Pairs pairs(first, second);
  return run_long([&](std::stop_token stop) -> Result<std::vector<IdsAndTypes>> {
    std::vector<IdsAndTypes> all;
    for (const TextPair& pair : pairs.views()) {
      if (stop.stop_requested()) return fail_stopped();
      Tokens tokens = EMBD_TRY(reranker.tokenize(pair, options));
      all.emplace_back(std::move(tokens.ids), std::move(tokens.types));
    }
    return all;
  });
}

}  // namespace

void bind_reranker(nb::module_& module) {
  nb::class_<Reranker>(module, "Reranker")
      .def_prop_ro("name", &Reranker::name)
      .def_prop_ro("labels", &Reranker::labels)
      .def_prop_ro("activation",
                   [](const Reranker& reranker) {
                     return name_of(reranker.activation(), score_activation_names);
                   })
      .def_prop_ro("max_length", &Reranker::max_length)
      .def_prop_ro("max_positions", &Reranker::max_positions)
      .def_prop_ro("compute",
                   [](const Reranker& reranker) { return compute_name(reranker.compute()); })
      .def_prop_ro("instruction_set", &Reranker::instruction_set)
      .def_prop_ro(
          "prompts", [](const Reranker& reranker) { return dict_of(reranker.prompts()); },
          nb::sig("def prompts(self) -> dict[str, str]"))
      .def_prop_ro("default_prompt_name", &Reranker::default_prompt_name)
      .def_prop_ro("notes", [](const Reranker& reranker) { return pairs_of(reranker.notes()); })
      .def(
          "recipe",
          [](const Reranker& reranker, const ScoreOptions& options) {
            return recipe_to_json(
                run_long([&](std::stop_token) { return reranker.recipe(options); }));
          },
          "options"_a, "Returns the recipe as a JSON object.")
      .def("score", &score, "first"_a, "second"_a, "options"_a, "progress"_a = nb::none(),
           "Returns the scores of pairs, float32 [n, labels]. Pair i is text i of `first` and text "
           "i "
           "of `second`.",
           nb::sig("def score(self, first: object, second: object, options: ScoreOptions, "
                   "progress: object = None) -> numpy.typing.NDArray[numpy.float32]"))
      .def("rank", &rank, "query"_a, "documents"_a, "k"_a, "options"_a,
           "Returns (index, score, logit, truncated) of the best k documents, best first.")
      .def("tokenize", &tokenize_pairs, "first"_a, "second"_a, "options"_a,
           "Returns the token ids and the token types of each pair.");
  module.def("open_reranker", &open_reranker, "path"_a, "options"_a);
}

}  // namespace embd::python
