#include <fmt/format.h>

#include <algorithm>

#include "analysis/duplicates.h"
#include "base/guard.h"
#include "base/os/cpu.h"
#include "base/try.h"
#include "embd/dedupe.h"
#include "jobs/analysis/analysis_input.h"
#include "jobs/analysis/kept_rows.h"
#include "jobs/analysis/pair_report.h"
#include "jobs/analysis/source_roles.h"
#include "jobs/recipe_check.h"

namespace embd {
namespace {

class Deduplication {
 public:
  Deduplication(const Model* model, AnalysisSource source, const DedupeFileOptions& options,
                const std::stop_token& stop)
      : model_(model),
        source_(std::move(source)),
        options_(options),
        threads_(options.dedupe.threads > 0 ? options.dedupe.threads : available_threads()),
        stop_(stop) {}

  Result<DedupeReport> run(const std::vector<std::filesystem::path>& outputs) {
    EMBD_TRY(check_options(options_.dedupe));
    KeptRows kept_rows = EMBD_TRY(plan(outputs));
    const bool needs_texts = std::ranges::any_of(
        outputs, [](const auto& path) { return path.extension() == ".parquet"; });
    input_ = EMBD_TRY(read_analysis_input(source_, model_, encode(), needs_texts, stop_));
    const CosineRows rows =
        EMBD_TRY(in_file(source_.path(), CosineRows::create(input_.rows, threads_)));
    kept_.assign(rows.size(), true);
    report_.rows = rows.size();
    EMBD_TRY(options_.against.empty() ? find_groups(rows) : find_leaks_in(rows));
    report_.kept = static_cast<std::uint64_t>(std::ranges::count(kept_, true));
    EMBD_TRY(kept_rows.write(input_, kept_, stop_));
    EMBD_TRY(kept_rows.finish());
    if (table_) EMBD_TRY(table_->finish());
    return report_;
  }

 private:
  EncodeOptions encode() const {
    EncodeOptions encode = options_.encode;
    encode.threads = options_.dedupe.threads;
    return encode;
  }

  Result<KeptRows> plan(const std::vector<std::filesystem::path>& outputs) {
    PathRoles roles;
    const bool are_texts = EMBD_TRY(holds_texts(source_));
    EMBD_TRY(add_source_roles(source_, "the input", roles));
    if (!options_.against.empty()) {
      against_ = {.paths = {options_.against}, .read = options_.read, .input = options_.input};
      EMBD_TRY(add_source_roles(against_, "the file to compare with", roles));
    }
    roles.writes("the report", options_.report);
    return KeptRows::plan(outputs, source_, are_texts || !source_.texts.empty(), std::move(roles));
  }

  NearPairSink into(WaitingPairs* waiting) {
    return [this, waiting](std::span<const NearPair> pairs) -> Result<void> {
      report_.pairs += pairs.size();
      if (!options_.against.empty())
        for (const NearPair& pair : pairs) kept_[pair.row] = false;
      return waiting != nullptr ? waiting->add(pairs) : Result<void>();
    };
  }

  Result<void> find_groups(const CosineRows& rows) {
    std::optional<WaitingPairs> waiting;
    if (!options_.report.empty()) waiting.emplace(options_.report);
    const DuplicateGroups found =
        EMBD_TRY(group_duplicates(rows, options_.dedupe, input_.lengths, threads_,
                                  into(waiting ? &*waiting : nullptr), stop_));
    report_.groups = found.num_groups;
    report_.recall = found.recall;
    for (std::uint64_t row = 0; row < kept_.size(); ++row)
      kept_[row] = found.representatives[row] == row;
    if (!waiting) return {};
    const std::vector<std::uint64_t> groups = numbers_of_groups(found.representatives);
    table_ = EMBD_TRY(write_pairs(options_.report, *waiting, input_.ids, input_.ids,
                                  {groups, found.representatives}));
    return {};
  }

  /// Returns the number of each row's group. Groups are numbered in the order of their first rows.
  /// A row without duplicates is a group of its own, and occurs in no pair.
  static std::vector<std::uint64_t> numbers_of_groups(
      const std::vector<std::uint64_t>& representatives) {
    std::vector<std::uint64_t> sizes(representatives.size());
    for (const std::uint64_t representative : representatives) ++sizes[representative];
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::vector<std::uint64_t> numbers(representatives.size(), none);  // at the representatives
    std::vector<std::uint64_t> groups;
    std::uint64_t next = 0;
    for (const std::uint64_t representative : representatives) {
      if (numbers[representative] == none && sizes[representative] > 1)
        numbers[representative] = next++;
      groups.push_back(numbers[representative]);
    }
    return groups;
  }

  Result<void> find_leaks_in(const CosineRows& rows) {
    const AnalysisInput others =
        EMBD_TRY(read_analysis_input(against_, model_, encode(), false, stop_));
    if (input_.recipe && others.recipe)
      EMBD_TRY(check_recipes(*input_.recipe, *others.recipe, source_.path().native(),
                             against_.path().native(), false));
    const CosineRows other_rows =
        EMBD_TRY(in_file(against_.path(), CosineRows::create(others.rows, threads_)));
    std::optional<WaitingPairs> waiting;
    if (!options_.report.empty()) waiting.emplace(options_.report);
    report_.recall = EMBD_TRY(pair_sets(rows, other_rows, options_.dedupe, threads_,
                                        into(waiting ? &*waiting : nullptr), stop_));
    report_.groups = static_cast<std::uint64_t>(std::ranges::count(kept_, false));
    if (waiting)
      table_ = EMBD_TRY(write_pairs(options_.report, *waiting, input_.ids, others.ids, {}));
    return {};
  }

  const Model* model_;
  AnalysisSource source_;
  AnalysisSource against_;
  const DedupeFileOptions& options_;
  int threads_;
  const std::stop_token& stop_;
  AnalysisInput input_;
  std::vector<bool> kept_;
  std::unique_ptr<RowTable> table_;
  DedupeReport report_;
};

}  // namespace

Result<DedupeReport> dedupe_file(const Model* model,
                                 const std::vector<std::filesystem::path>& inputs,
                                 const std::vector<std::filesystem::path>& outputs,
                                 const DedupeFileOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<DedupeReport> {
    AnalysisSource source = {
        .paths = inputs, .texts = options.texts, .read = options.read, .input = options.input};
    return Deduplication(model, std::move(source), options, stop).run(outputs);
  });
}

}  // namespace embd
