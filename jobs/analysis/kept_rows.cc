#include "jobs/analysis/kept_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "formats/text/open_records.h"
#include "formats/vectors/ids.h"
#include "jobs/convert/row_copy.h"
#include "jobs/outputs/streams.h"
#include "jobs/rows_at_once.h"

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

}  // namespace

Result<KeptRows> KeptRows::plan(const std::vector<std::filesystem::path>& outputs,
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
                       fmt::format("the texts are kept byte for byte in the format of {}, expected "
                                   "an output of the same format",
                                   file.native()));
    roles.writes("the output", path);
    rows.texts_.push_back(path);
  }
  EMBD_TRY(roles.check());
  return rows;
}

Result<void> KeptRows::write(const AnalysisInput& input, const std::vector<bool>& kept,
                             const std::stop_token& stop) {
  EMBD_TRY(write_texts(input, kept));
  EMBD_TRY(write_vectors(input, kept, stop));
  for (OutputFile& file : text_files_) EMBD_TRY(file.prepare());
  for (Outputs& set : sets_) EMBD_TRY(set.prepare());
  return {};
}

Result<void> KeptRows::write_texts(const AnalysisInput& input, const std::vector<bool>& kept) {
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

Result<void> KeptRows::write_vectors(const AnalysisInput& input, const std::vector<bool>& kept,
                                     const std::stop_token& stop) {
  const RowSelection selection = runs_of(kept);
  const Ids ids = ids_of_kept(input.ids, selection);
  for (OutputTarget target : vectors_) {
    WriteOptions& write = target.options.write;
    write.num_rows = count_rows(selection);
    write.ids = ids;
    write.recipe = input.recipe;
    if (write.recipe) write.recipe->input_sha256.clear();  // The output has only some of its texts.
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

Result<void> KeptRows::finish() {
  for (Outputs& set : sets_) EMBD_TRY(set.finish());
  for (OutputFile& file : text_files_) EMBD_TRY(file.finish());
  return {};
}

}  // namespace embd
