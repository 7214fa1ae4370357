#include <fmt/format.h>

#include "base/guard.h"
#include "base/try.h"
#include "embd/searcher.h"

namespace embd {

Result<RowTexts> read_row_texts(const std::filesystem::path& path, const RowHits& hits,
                                std::uint64_t num_rows, const InputOptions& options) {
  return guarded([&]() -> Result<RowTexts> {
    RowTexts texts;
    for (const auto& of_query : hits)
      for (const RowHit& hit : of_query) texts.try_emplace(hit.row);
    const auto reader = EMBD_TRY(open_records(path, options));
    Record record;
    std::uint64_t num_texts = 0;
    for (; EMBD_TRY(reader->next(record)); ++num_texts)
      if (const auto wanted = texts.find(num_texts); wanted != texts.end())
        wanted->second = record.text;
    if (num_texts == num_rows) return texts;
    return fail_in(path, ErrorCode::bad_count,
                   fmt::format("{} texts for {} rows, expected one for each", num_texts, num_rows));
  });
}

}  // namespace embd
