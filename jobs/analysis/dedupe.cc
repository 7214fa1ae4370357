#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/near_pairs.h"
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/temporary_files.h"
#include "base/try.h"
#include "embd/dedupe.h"
#include "embd/vectors.h"
#include "formats/text/open_records.h"
#include "formats/vectors/ids.h"
#include "jobs/analysis/analysis_input.h"
#include "jobs/convert/row_parts.h"
#include "jobs/outputs/outputs.h"
#include "jobs/outputs/row_table.h"
#include "jobs/outputs/streams.h"
#include "jobs/recipe_check.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

/// Returns the rows that are kept as ranges of neighbouring rows.
RowSelection runs_of(const std::vector<bool>& kept) {
  RowSelection selection = {.num_file_rows = kept.size(), .ranges = {}};
  for (std::uint64_t row = 0; row < kept.size(); ++row) {
    if (!kept[row]) continue;
    if (selection.ranges.empty() || selection.ranges.back().end != row)
      selection.ranges.push_back({row, row});
    selection.ranges.back().end = row + 1;
  }
  return selection;
}

/// Returns the ids of the rows that are kept. If rows have no ids, their numbers in the whole input
/// become ids, as in a part.
Ids ids_of_kept(const Ids& ids, const RowSelection& selection) {
  const Ids all = count_ids(ids) ? ids : row_numbers({0, selection.num_file_rows});
  return select_ids(all, selection);
}

std::uint64_t count_rows(const RowSelection& selection) {
  std::uint64_t rows = 0;
  for (const RowRange& range : selection.ranges) rows += range.end - range.first;
  return rows;
}

/// Appends the selected rows of an input that is in memory, with their ids and texts.
Result<void> append_rows(const AnalysisInput& input, const RowSelection& selection, const Ids& ids,
                         Outputs& outputs) {
  std::uint64_t written = 0;
  for (RowRange range : selection.ranges) {
    while (range.first < range.end) {
      const std::uint64_t count =
          std::min(rows_at_once(input.rows.cols()), range.end - range.first);
      RowBatch batch;
      batch.rows = input.rows.slice(range.first, count);
      batch.ids = slice_ids(ids, written, count);
      if (!input.texts.empty()) {
        const auto first = input.texts.begin() + static_cast<std::ptrdiff_t>(range.first);
        batch.texts.assign(first, first + static_cast<std::ptrdiff_t>(count));
      }
      EMBD_TRY(outputs.append(batch));
      written += count;
      range.first += count;
    }
  }
  return {};
}

/// Copies the selected rows of a vector set with their columns and texts.
Result<void> copy_set(const AnalysisInput& input, const RowSelection& selection, const Ids& ids,
                      const RowParts& parts, Outputs& outputs, const std::stop_token& stop) {
  const Readers sets = {{{}, input.set}};
  std::uint64_t written = 0;
  for (const RowRange& range : selection.ranges) {
    const Ids of_run = slice_ids(ids, written, range.end - range.first);
    EMBD_TRY(copy_rows(sets, range, of_run, parts, outputs, stop));
    written += range.end - range.first;
  }
  return {};
}

InputFormat format_of_texts(const std::filesystem::path& file, const AnalysisSource& source) {
  return source.input.format.value_or(input_format_of(file));
}

/// Writes the rows of an input that are kept: its texts to files of texts, its vectors to vector
/// sets. Either all outputs appear, complete, or none does.
class KeptRows {
 public:
  /// Plans the outputs. "-", and names with the extension of a text file, get texts, if the input
  /// has a file of texts; others get vectors. Fails with invalid_argument for a name of another
  /// format than the texts have, for texts if there are none, and for a path that is also read
  /// (`roles`).
  static Result<KeptRows> plan(const std::vector<std::filesystem::path>& outputs,
                               const AnalysisSource& source, bool has_text_file, PathRoles roles) {
    KeptRows rows;
    std::vector<std::filesystem::path> texts = {source.texts};
    if (has_text_file && source.texts.empty()) texts = EMBD_TRY(input_files(source.paths));
    for (const std::filesystem::path& path : outputs) {
      const bool takes_texts = has_text_file && (path == "-" || has_name_of_texts(path));
      if (!takes_texts) {
        rows.vectors_.push_back(EMBD_TRY(resolve_output(path, {})));
        rows.vectors_.back().add_roles(roles, "the output");
        continue;
      }
      // Standard output takes the format of the first file.
      const auto wanted =
          path == "-" ? format_of_texts(texts.front(), source) : input_format_of(path);
      for (const std::filesystem::path& file : texts)
        if (format_of_texts(file, source) != wanted)
          return fail_in(path, ErrorCode::invalid_argument,
                         "the texts are kept byte for byte in the format of {}, expected an output "
                         "of the same format",
                         text_of_path(file));
      roles.writes("the output", path);
      rows.texts_.push_back(path);
    }
    EMBD_TRY(roles.check());
    return rows;
  }

  /// Writes the rows for which `kept` [rows] is true. finish() puts the files in place.
  Result<void> write(const AnalysisInput& input, const std::vector<bool>& kept,
                     const std::stop_token& stop) {
    EMBD_TRY(write_texts(input, kept));
    EMBD_TRY(write_vectors(input, kept, stop));
    for (OutputFile& file : text_files_) EMBD_TRY(file.prepare());
    for (Outputs& set : sets_) EMBD_TRY(set.prepare());
    return {};
  }
  /// Puts all files in place under their names. Call it after write().
  Result<void> finish() {
    for (Outputs& set : sets_) EMBD_TRY(set.finish());
    for (OutputFile& file : text_files_) EMBD_TRY(file.finish());
    return {};
  }

 private:
  KeptRows() = default;
  Result<void> write_texts(const AnalysisInput& input, const std::vector<bool>& kept) {
    if (texts_.empty()) return {};
    std::vector<bool> records(input.file->num_records());
    for (std::uint64_t row = 0; row < kept.size(); ++row)
      if (kept[row]) records[input.record_of_row[row]] = true;
    for (const std::filesystem::path& path : texts_) {
      text_files_.push_back(EMBD_TRY(open_stream(path)));
      EMBD_TRY(input.file->copy(records, text_files_.back()));
    }
    return {};
  }
  Result<void> write_vectors(const AnalysisInput& input, const std::vector<bool>& kept,
                             const std::stop_token& stop) {
    const RowSelection selection = runs_of(kept);
    const Ids ids = ids_of_kept(input.ids, selection);
    for (OutputTarget target : vectors_) {
      WriteOptions& write = target.options.write;
      write.num_rows = count_rows(selection);
      write.ids = ids;
      write.recipe = input.recipe;
      if (write.recipe)
        write.recipe->input_sha256.clear();  // The output has only some of its texts.
      write.parquet.texts =
          input.set != nullptr ? input.set->row_texts() != nullptr : !input.texts.empty();
      RowParts parts;
      if (input.set != nullptr) {
        parts = EMBD_TRY(joined_parts({{{}, input.set}}, {0, input.set->info().num_rows},
                                      target.format->room(target.path, write)));
        parts.sections.clear();  // Rows are missing now, so sections and chunks have no meaning.
        parts.chunks.clear();
        write.columns = parts.columns;
        write.cvc.column = parts.column;
      }
      sets_.push_back(EMBD_TRY(Outputs::create({target}, {.rows = {.dim = input.rows.cols()}})));
      EMBD_TRY(in_file(target.path, input.set != nullptr
                                        ? copy_set(input, selection, ids, parts, sets_.back(), stop)
                                        : append_rows(input, selection, ids, sets_.back())));
    }
    return {};
  }

  std::vector<std::filesystem::path> texts_;
  std::vector<OutputTarget> vectors_;
  std::vector<OutputFile> text_files_;
  std::vector<Outputs> sets_;
};

/// The groups that pairs of one set belong to; empty for pairs of two sets.
struct PairGroups {
  std::span<const std::uint64_t> groups = {};           ///< the group number of each row, [rows]
  std::span<const std::uint64_t> representatives = {};  ///< [rows]
};

std::vector<TableColumn> columns_of(std::span<const NearPair> pairs, const Ids& ids,
                                    const Ids& other_ids, const PairGroups& of_rows) {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> others;
  std::vector<float> similarities;
  std::vector<std::int64_t> groups;
  std::vector<std::uint64_t> representatives;
  for (const auto& [row, other, distance] : pairs) {
    rows.push_back(row);
    others.push_back(other);
    similarities.push_back(1 - distance);
    if (of_rows.groups.empty()) continue;
    groups.push_back(static_cast<std::int64_t>(of_rows.groups[row]));
    representatives.push_back(of_rows.representatives[row]);
  }
  std::vector<TableColumn> columns = {id_column("id", ids, rows),
                                      id_column("other", other_ids, others),
                                      {"similarity", std::move(similarities)}};
  if (!of_rows.groups.empty()) {
    columns.push_back({"group", std::move(groups)});
    columns.push_back(id_column("kept", ids, representatives));
  }
  return columns;
}

/// Pairs that wait on the disk until everything that the report says about them is known.
class WaitingPairs {
 public:
  /// `report` is the file that the pairs are for.
  explicit WaitingPairs(const std::filesystem::path& report) : spill_(SpillFile::beside(report)) {}
  Result<void> add(std::span<const NearPair> pairs) { return spill_.write(std::as_bytes(pairs)); }
  /// Calls function(pairs) for all pairs, some at a time, in the order in which they were added.
  Result<void> for_each(const std::function<Result<void>(std::span<const NearPair>)>& function) {
    std::vector<NearPair> pairs;
    for (std::uint64_t offset = 0; offset < spill_.size();) {
      const std::uint64_t count =
          std::min(RowTable::rows_at_once, (spill_.size() - offset) / sizeof(NearPair));
      pairs.resize(count);
      EMBD_TRY(spill_.read(offset, std::as_writable_bytes(std::span(pairs))));
      EMBD_TRY(function(pairs));
      offset += count * sizeof(NearPair);
    }
    return {};
  }

 private:
  SpillFile spill_;
};

/// Writes a table of pairs: the ids of both rows, their similarity and, for pairs of one set, the
/// number of their group and the id of the row that is kept. The file is complete, but not yet in
/// place.

Result<std::unique_ptr<RowTable>> write_pairs(const std::filesystem::path& path,
                                              WaitingPairs& pairs, const Ids& ids,
                                              const Ids& other_ids, const PairGroups& groups) {
  auto table = EMBD_TRY(create_table(path, columns_of({}, ids, other_ids, groups)));
  EMBD_TRY(pairs.for_each([&](std::span<const NearPair> some) {
    return table->append(columns_of(some, ids, other_ids, groups));
  }));
  EMBD_TRY(table->prepare());
  return table;
}

class Deduplication {
 public:
  Deduplication(const Model* model, AnalysisSource source, const DedupeFileOptions& options,
                const std::stop_token& stop)
      : model_(model),
        source_(std::move(source)),
        options_(options),
        threads_(threads_for(options.dedupe.threads)),
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
      EMBD_TRY(check_recipes(*input_.recipe, *others.recipe, text_of_path(source_.path()),
                             text_of_path(against_.path()), false));
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
