#include "jobs/row_ids.h"

#include <limits>

#include "base/try.h"
#include "embd/searcher.h"

namespace embd {

std::string id_text(const Ids& ids, std::uint64_t row) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return (*strings)[row];
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  return std::to_string(numbers != nullptr ? (*numbers)[row] : row);
}

std::vector<std::string> id_strings(const Ids& ids, std::uint64_t num_rows) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return *strings;
  std::vector<std::string> strings;
  strings.reserve(num_rows);
  for (std::uint64_t row = 0; row < num_rows; ++row) strings.push_back(id_text(ids, row));
  return strings;
}

std::string record_id_text(const RecordId& id) {
  if (const auto* string = std::get_if<std::string>(&id)) return *string;
  const auto* number = std::get_if<std::uint64_t>(&id);
  return number != nullptr ? std::to_string(*number) : std::string();
}

Result<std::uint64_t> number_after(std::uint64_t first, std::uint64_t count) {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  if (count <= last - first) return first + count;
  return fail(ErrorCode::invalid_argument,
              "the ids begin at {}, so there are too few numbers for all rows, because the "
              "greatest id is {}",
              first, last);
}

Ids ids_of(std::vector<RecordId> row_ids) {
  if (row_ids.empty() || std::holds_alternative<std::monostate>(row_ids.front())) return Ids{};
  if (std::holds_alternative<std::uint64_t>(row_ids.front())) {
    std::vector<std::uint64_t> numbers;
    for (const RecordId& id : row_ids) numbers.push_back(std::get<std::uint64_t>(id));
    return numbers;
  }
  std::vector<std::string> strings;
  for (RecordId& id : row_ids) strings.push_back(std::move(std::get<std::string>(id)));
  return strings;
}

}  // namespace embd
