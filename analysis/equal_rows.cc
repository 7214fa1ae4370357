#include "analysis/equal_rows.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace embd {
namespace {

std::string_view bytes_of_row(MatrixView rows, std::size_t row) {
  return {reinterpret_cast<const char*>(rows.row(row).data()), sizeof(float) * rows.cols()};
}

}  // namespace

std::vector<std::uint32_t> first_of_equal(MatrixView rows) {
  std::vector<std::pair<std::size_t, std::uint32_t>> hashed(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row)
    hashed[row] = {std::hash<std::string_view>()(bytes_of_row(rows, row)),
                   static_cast<std::uint32_t>(row)};
  std::ranges::sort(hashed);
  std::vector<std::uint32_t> firsts(rows.rows());
  std::vector<std::uint32_t> different;  // Rows with one hash and different bytes.
  for (std::size_t i = 0; i < hashed.size(); ++i) {
    const auto [hash, row] = hashed[i];
    if (i == 0 || hashed[i - 1].first != hash) different.clear();
    const auto same = std::ranges::find_if(different, [&](std::uint32_t other) {
      return bytes_of_row(rows, other) == bytes_of_row(rows, row);
    });
    firsts[row] = same == different.end() ? row : *same;
    if (same == different.end()) different.push_back(row);
  }
  return firsts;
}

}  // namespace embd
