#include "jobs/outputs/place_columns.h"

#include <array>

#include "base/bytes.h"

namespace embd {
namespace {

constexpr std::array column_names = {"byte_begin", "byte_end", "character_begin", "character_end"};

std::array<std::size_t, column_names.size()> values_of(const TextPlace& place) {
  return {place.bytes.begin, place.bytes.end, place.characters.begin, place.characters.end};
}

}  // namespace

std::vector<NumberColumn> place_columns() {
  std::vector<NumberColumn> columns;
  for (const char* name : column_names) columns.push_back({.name = name, .type = ElementType::i64});
  return columns;
}

void append_places(std::span<const RowNote> notes, std::vector<std::vector<std::byte>>& columns) {
  const std::size_t first = columns.size();
  columns.resize(first + column_names.size());
  for (const RowNote& note : notes) {
    const auto values = values_of(note.place.value_or(TextPlace()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<std::int64_t>(values[i]);
      const Bytes bytes = std::as_bytes(std::span(&value, 1));
      columns[first + i].insert(columns[first + i].end(), bytes.begin(), bytes.end());
    }
  }
}

}  // namespace embd
