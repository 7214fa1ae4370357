#include "jobs/convert/row_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/messages.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "jobs/row_ids.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/narrow_rows.h"

namespace embd {
namespace {

/// Appends the sections or chunks of a set to `all`. The set has `num_rows` rows; its first row has
/// the number `first_row` in the joined sets. Gaps are filled with sections or chunks that have the
/// metadata `nothing`.
void append_parts(const std::vector<RowSection>& parts, std::uint64_t num_rows,
                  std::uint64_t first_row, std::string_view nothing, std::vector<RowSection>& all) {
  std::uint64_t end = 0;
  const auto fill_up_to = [&](std::uint64_t row) {
    if (row > end) all.push_back({{first_row + end, first_row + row}, std::string(nothing)});
  };
  for (const auto& [rows, metadata] : parts) {
    fill_up_to(rows.first);
    all.push_back({{first_row + rows.first, first_row + rows.end}, metadata});
    end = rows.end;
  }
  fill_up_to(num_rows);
}

/// The metadata of a set.
struct PartsOfSet {
  explicit PartsOfSet(const VectorReader& set) : texts(set.row_texts() != nullptr) {
    if (const TableSource* table = set.table()) {
      columns = table->columns();
      text_columns = table->text_columns();
    }
    if (const RowSectionSource* rows = set.row_sections()) {
      sections = rows->sections();
      chunks = rows->chunks();
    }
  }

  std::vector<NumberColumn> columns;
  std::vector<std::string> text_columns;
  std::vector<RowSection> sections;
  std::vector<RowSection> chunks;
  bool texts;
};

/// Returns the parts of sections that lie in `taken`, with rows numbered from the first row of
/// `taken`.
std::vector<RowSection> clipped(std::vector<RowSection> sections, RowRange taken) {
  std::vector<RowSection> kept;
  for (auto& [rows, metadata] : sections) {
    const RowRange left = {std::max(rows.first, taken.first), std::min(rows.end, taken.end)};
    if (left.first > left.end || (left.first == left.end && rows.first != rows.end)) continue;
    kept.push_back({{left.first - taken.first, left.end - taken.first}, std::move(metadata)});
  }
  return kept;
}

std::vector<NumberColumn> by_name(std::vector<NumberColumn> columns) {
  std::ranges::sort(columns, {}, &NumberColumn::name);
  return columns;
}

std::string in_words(const std::vector<NumberColumn>& columns) {
  std::vector<std::string> words;
  for (const auto& [name, type, dim, compression] : by_name(columns))
    words.push_back(fmt::format("{} ({} {} as {})", name, dim, element_name(type),
                                name_of(compression, cvc_compression_names)));
  return words.empty() ? "no columns beside the vectors"
                       : fmt::format("{}", fmt::join(words, ", "));
}

Result<void> check_columns(const OpenSet& set, const std::vector<NumberColumn>& columns,
                           const OpenSet& first, const std::vector<NumberColumn>& expected) {
  if (by_name(columns) == by_name(expected)) return {};
  return fail_in(set.path, ErrorCode::invalid_argument,
                 "the file has {}, but {} has {}: name a column to take that column alone",
                 in_words(columns), text_of_path(first.path), in_words(expected));
}

Result<void> check_text_columns(const OpenSet& set, std::vector<std::string> columns,
                                const OpenSet& first, std::vector<std::string> expected) {
  std::ranges::sort(columns);
  std::ranges::sort(expected);
  if (columns == expected) return {};
  return fail_in(set.path, ErrorCode::invalid_argument,
                 "the file has {} columns of texts ({}), but {} has {} ({}), expected the same "
                 "columns in all files",
                 columns.size(), fmt::join(columns, ", "), text_of_path(first.path),
                 expected.size(), fmt::join(expected, ", "));
}

/// The sections or chunks that have not begun yet, in the order of their rows.
class PartsToCome {
 public:
  explicit PartsToCome(std::span<const RowSection> parts) : parts_(parts) {}

  /// Returns the next one and removes it, if it begins at row `row`; otherwise null.
  const RowSection* take(std::uint64_t row) {
    if (parts_.empty() || parts_.front().rows.first != row) return nullptr;
    const RowSection* part = &parts_.front();
    parts_ = parts_.subspan(1);
    return part;
  }
  std::uint64_t rows_to_next(std::uint64_t row) const {
    return parts_.empty() ? std::numeric_limits<std::uint64_t>::max()
                          : parts_.front().rows.first - row;
  }

 private:
  std::span<const RowSection> parts_;
};

/// Copies the rows of one input after the other to the outputs, with their metadata.
class RowCopy {
 public:
  RowCopy(const Ids& ids, const RowParts& parts, const std::stop_token& stop, Outputs& outputs)
      : ids_(ids),
        parts_(parts),
        stop_(stop),
        outputs_(outputs),
        sections_(parts.sections),
        chunks_(parts.chunks),
        columns_(parts.columns.size()),
        text_columns_(parts.text_columns.size()) {}

  /// Copies the rows [range.first, range.end) of `input` behind those that were copied before.
  Result<void> copy(const VectorReader& input, RowRange range) {
    const std::uint64_t dim = input.info().dim;
    while (range.first < range.end) {
      if (stop_.stop_requested()) return fail_stopped();
      EMBD_TRY(begin_parts());
      const std::uint64_t count =
          std::min({rows_at_once(dim), range.end - range.first, sections_.rows_to_next(num_rows_),
                    chunks_.rows_to_next(num_rows_)});
      buffer_.resize(count * dim);
      EMBD_TRY(input.read(range.first, count, buffer_));
      EMBD_TRY(read_columns(input, range.first, count));
      const MatrixView stored(buffer_.data(), count, dim);
      if (parts_.unpacked_dim > 0) signs_ = signs_of(stored, parts_.unpacked_dim);
      RowBatch batch;
      batch.rows = parts_.unpacked_dim > 0 ? signs_ : stored;
      batch.ids = slice_ids(ids_, num_rows_, count);
      if (parts_.texts) batch.texts = EMBD_TRY(input.row_texts()->texts(range.first, count));
      EMBD_TRY(outputs_.append(batch));
      num_rows_ += count;
      range.first += count;
    }
    return {};
  }

  /// Begins the sections and the chunk that start with the next row.
  Result<void> begin_parts() {
    while (const RowSection* section = sections_.take(num_rows_))
      EMBD_TRY(outputs_.begin_section(section->metadata));
    while (const RowSection* chunk = chunks_.take(num_rows_))
      EMBD_TRY(outputs_.begin_chunk(chunk->metadata));
    return {};
  }

 private:
  Result<void> read_columns(const VectorReader& input, std::uint64_t first, std::uint64_t count) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      EMBD_TRY(input.table()->read_column(parts_.columns[c].name, first, count, columns_[c]));
    EMBD_TRY(outputs_.set_columns(std::vector<Bytes>(columns_.begin(), columns_.end())));
    for (std::size_t c = 0; c < text_columns_.size(); ++c)
      text_columns_[c] =
          EMBD_TRY(input.table()->read_text_column(parts_.text_columns[c], first, count));
    return outputs_.set_text_columns(
        std::vector<std::span<const std::string>>(text_columns_.begin(), text_columns_.end()));
  }

  const Ids& ids_;
  const RowParts& parts_;
  const std::stop_token& stop_;
  Outputs& outputs_;
  std::uint64_t num_rows_ = 0;  // the number of rows copied so far
  PartsToCome sections_;
  PartsToCome chunks_;
  std::vector<float> buffer_;
  Matrix signs_;  // of the rows in buffer_, if they are unpacked
  std::vector<std::vector<std::byte>> columns_;
  std::vector<std::vector<std::string>> text_columns_;
};

}  // namespace

Result<RowParts> joined_parts(const Readers& sets, RowRange taken, const Room& room) {
  RowParts parts;
  parts.column = sets[0]->info().column;
  parts.columns = room.columns ? PartsOfSet(*sets[0]).columns : std::vector<NumberColumn>();
  if (room.text_columns) parts.text_columns = PartsOfSet(*sets[0]).text_columns;
  parts.texts = room.texts && sets[0]->row_texts() != nullptr;
  bool has_sections = false;
  bool has_chunks = false;
  std::vector<RowSection> sections;
  std::vector<RowSection> chunks;
  std::uint64_t num_rows = 0;
  for (const OpenSet& set : sets) {
    const PartsOfSet own(*set);
    if (room.columns) EMBD_TRY(check_columns(set, own.columns, sets[0], parts.columns));
    if (room.text_columns)
      EMBD_TRY(check_text_columns(set, own.text_columns, sets[0], parts.text_columns));
    if (room.texts && own.texts != parts.texts) {
      return fail_in(
          set.path, ErrorCode::invalid_argument,
          "the rows have {}, but the rows of {} have {}, expected texts in all files or in none",
          parts.texts ? "no texts" : "texts", text_of_path(sets[0].path),
          parts.texts ? "texts" : "no texts");
    }
    const VectorSetInfo& info = set->info();
    if (info.column != parts.column) parts.column.clear();
    has_sections = has_sections || !own.sections.empty();
    append_parts(own.sections, info.num_rows, num_rows, "{}", sections);
    has_chunks = has_chunks || !own.chunks.empty();
    append_parts(own.chunks, info.num_rows, num_rows, "", chunks);
    num_rows += info.num_rows;
  }
  if (room.sections && has_sections) parts.sections = clipped(std::move(sections), taken);
  if (room.chunks && has_chunks) parts.chunks = clipped(std::move(chunks), taken);
  return parts;
}

void join_equal_sections(std::vector<RowSection>& sections) {
  std::vector<RowSection> joined;
  for (RowSection& section : sections) {
    if (!joined.empty() && joined.back().metadata == section.metadata)
      joined.back().rows.end = section.rows.end;
    else
      joined.push_back(std::move(section));
  }
  sections = std::move(joined);
}

CvcOptions::Compression kept_compression(const Readers& sets) {
  const auto is_compressed = [](const auto& set) { return format_of(set->info()).is_compressed; };
  if (!std::ranges::all_of(sets, is_compressed)) return CvcOptions::Compression::automatic;
  const std::string& first = sets[0]->info().encoding;
  const auto is_first = [&](const auto& set) { return set->info().encoding == first; };
  const auto compression = value_named(first, cvc_compression_names);  // nothing if it is "mixed"
  if (compression && std::ranges::all_of(sets, is_first)) return *compression;
  return PartsOfSet(*sets[0]).columns.empty() ? CvcOptions::Compression::lossless
                                              : CvcOptions::Compression::none;
}

std::string parts_left_out(const VectorReader& set, const Room& room) {
  const PartsOfSet parts(set);
  std::vector<std::string> words;
  if (const std::size_t count = parts.sections.size(); !room.sections && count > 0)
    words.push_back(counted(count, "section"));
  if (!room.columns)
    for (const NumberColumn& column : parts.columns)
      words.push_back(fmt::format("column {}", column.name));
  if (!room.text_columns)
    for (const std::string& name : parts.text_columns)
      words.push_back(fmt::format("column {}", name));
  if (!room.texts && parts.texts) words.emplace_back("texts");
  if (!room.chunks && !parts.chunks.empty()) words.emplace_back("chunk metadata");
  return fmt::format("{}", fmt::join(words, ", "));
}

Result<void> copy_rows(const Readers& sets, RowRange taken, const Ids& ids, const RowParts& parts,
                       Outputs& outputs, const std::stop_token& stop) {
  RowCopy rows(ids, parts, stop, outputs);
  std::uint64_t input_begin = 0;
  for (const auto& input : sets) {
    const std::uint64_t input_end = input_begin + input->info().num_rows;
    const std::uint64_t first = std::clamp(taken.first, input_begin, input_end);
    const std::uint64_t end = std::clamp(taken.end, input_begin, input_end);
    EMBD_TRY(rows.copy(*input, {first - input_begin, end - input_begin}));
    input_begin = input_end;
  }
  return rows.begin_parts();  // for sections without rows at the end
}

}  // namespace embd
