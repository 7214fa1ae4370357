#include "jobs/analysis/pair_report.h"

#include <algorithm>

#include "base/try.h"

namespace embd {
namespace {

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

}  // namespace

Result<void> WaitingPairs::for_each(
    const std::function<Result<void>(std::span<const NearPair>)>& function) {
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

}  // namespace embd
