#include "jobs/row_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"

namespace embd {
namespace {

constexpr std::string_view nothing_said = "{}";

/// Appends the sections of a set whose rows begin at `first_row`, and what fills the gaps.
void append_sections(const VectorReader& set, std::uint64_t first_row,
                     std::vector<RowSection>& all) {
  std::uint64_t end = 0;
  const auto fill_up_to = [&](std::uint64_t row) {
    if (row > end) all.push_back({{first_row + end, first_row + row}, std::string(nothing_said)});
  };
  for (const auto& [rows, metadata] : set.sections()) {
    fill_up_to(rows.first);
    all.push_back({{first_row + rows.first, first_row + rows.end}, metadata});
    end = rows.end;
  }
  fill_up_to(set.info().num_rows);
}

/// What sections have of the rows taken, which are then counted from 0.
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
    words.push_back(fmt::format("{} ({} {} as {})", name, dim, element_name(type), compression));
  return words.empty() ? "no columns beside them" : fmt::format("{}", fmt::join(words, ", "));
}

Result<void> check_columns(const OpenSet& set, const OpenSet& first) {
  if (by_name(set->columns()) == by_name(first->columns())) return {};
  return std::unexpected(
      Error(ErrorCode::invalid_argument,
            fmt::format("rows with {}, {} has {}; --column NAME takes that column alone",
                        in_words(set->columns()), first.path.native(), in_words(first->columns())))
          .in_file(set.path.native()));
}

}  // namespace

Result<RowParts> joined_parts(const Readers& sets, RowRange taken, const Room& room) {
  RowParts parts;
  parts.column = sets[0]->info().column;
  if (room.columns) parts.columns = sets[0]->columns();
  parts.texts = room.texts && sets[0]->has_texts();
  bool has_sections = false;
  std::vector<RowSection> sections;
  std::uint64_t num_rows = 0;
  for (const OpenSet& set : sets) {
    if (room.columns) EMBD_TRY(check_columns(set, sets[0]));
    if (room.texts && set->has_texts() != parts.texts) {
      return std::unexpected(
          Error(ErrorCode::invalid_argument,
                fmt::format("rows with{} texts, those of {} have {}", parts.texts ? "out" : "",
                            sets[0].path.native(), parts.texts ? "some" : "none"))
              .in_file(set.path.native()));
    }
    if (set->info().column != parts.column) parts.column.clear();
    has_sections = has_sections || !set->sections().empty();
    append_sections(*set, num_rows, sections);
    num_rows += set->info().num_rows;
  }
  if (room.sections && has_sections) parts.sections = clipped(std::move(sections), taken);
  return parts;
}

std::string kept_compression(const Readers& sets) {
  const auto is_cvc = [](const auto& set) { return set->info().format == "cvc"; };
  if (!std::ranges::all_of(sets, is_cvc)) return {};
  const std::string& first = sets[0]->info().encoding;
  const auto is_first = [&](const auto& set) { return set->info().encoding == first; };
  if (first != "mixed" && std::ranges::all_of(sets, is_first)) return first;
  return sets[0]->columns().empty() ? "lossless" : "none";
}

std::string parts_left_out(const VectorReader& set, const Room& room) {
  std::vector<std::string> words;
  if (const std::size_t count = set.sections().size(); !room.sections && count > 0)
    words.push_back(fmt::format("{} section{}", count, count == 1 ? "" : "s"));
  if (!room.columns)
    for (const NumberColumn& column : set.columns())
      words.push_back(fmt::format("column {}", column.name));
  if (!room.texts && set.has_texts()) words.emplace_back("texts");
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace embd
