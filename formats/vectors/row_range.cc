#include "formats/vectors/row_range.h"

#include <fmt/format.h>

#include "base/try.h"

namespace embd {

Result<void> check_rows(std::uint64_t first, std::uint64_t count, std::uint64_t num_rows) {
  if (first <= num_rows && count <= num_rows - first) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} rows were asked for, beginning with row {}, but there are {} rows",
                          count, first, num_rows));
}

}  // namespace embd
