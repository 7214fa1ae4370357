#include "jobs/row_ids.h"

#include <string>

namespace embd {

std::vector<std::string> id_strings(const Ids& ids, std::uint64_t num_rows) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return *strings;
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  std::vector<std::string> strings;
  strings.reserve(num_rows);
  for (std::uint64_t i = 0; i < num_rows; ++i)
    strings.push_back(std::to_string(numbers != nullptr ? (*numbers)[i] : i));
  return strings;
}

}  // namespace embd
