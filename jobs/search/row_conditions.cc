#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "embd/searcher.h"

namespace embd {

Result<ColumnCondition> parse_condition(std::string_view text) {
  // The name ends where the first symbol begins; "<=" is no "<", so the longest that stands there.
  std::size_t at = text.size();
  std::string_view symbol;
  Relation relation = Relation::equal;
  for (const auto& [name, named] : relation_symbols) {
    const std::size_t found = text.find(name);
    if (found > at || (found == at && name.size() < symbol.size())) continue;
    at = found;
    symbol = name;
    relation = named;
  }
  if (symbol.empty() || at == 0)
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("the condition is {:?}, expected NAME=VALUE or another relation (!=, <, "
                    "<=, >, >=), such as level=ERROR or year>=2020",
                    text));
  return ColumnCondition{.column = std::string(text.substr(0, at)),
                         .values = {std::string(text.substr(at + symbol.size()))},
                         .relation = relation};
}

void RowConditions::add(ColumnCondition condition) {
  const auto same = std::ranges::find_if(columns, [&](const ColumnCondition& other) {
    return other.column == condition.column && other.relation == Relation::equal &&
           condition.relation == Relation::equal;
  });
  if (same == columns.end()) {
    columns.push_back(std::move(condition));
  } else {
    std::ranges::move(condition.values, std::back_inserter(same->values));
  }
}

}  // namespace embd
