#include <fmt/format.h>

#include "base/try.h"
#include "embd/vectors.h"
#include "formats/vectors/row_range.h"

namespace embd {

Result<std::vector<std::string>> TableSource::read_text_column(std::string_view name,
                                                               std::uint64_t /*first*/,
                                                               std::uint64_t /*count*/) const {
  return fail(ErrorCode::invalid_argument, fmt::format("no column of texts is named {:?}", name));
}

Result<void> VectorReader::read(std::uint64_t first, std::uint64_t count,
                                std::span<float> out) const {
  EMBD_TRY(check_rows(first, count, info().num_rows));
  const std::uint64_t dim = info().dim;
  if (out.size() != count * dim) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("the output has room for {} values, expected room for {} rows of {} values",
                    out.size(), count, dim));
  }
  return read_rows(first, count, out);
}

}  // namespace embd
