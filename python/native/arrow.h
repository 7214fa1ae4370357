#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>
#include <vector>

namespace embd::python {

/// Strings of another library's column, read where they lie by the Arrow C data interface
/// (https://arrow.apache.org/docs/format/CDataInterface.html). Keeps the column alive.
class ArrowStrings {
 public:
  /// Whether `object` has __arrow_c_stream__ or __arrow_c_array__.
  static bool offered_by(nanobind::handle object);

  /// An array, a chunked array or a table of one column, of strings with 32-bit or 64-bit offsets,
  /// string views, or a dictionary of such. Raises: TypeError for another type, ValueError for a
  /// null, named by its row, and for a table of several columns.
  explicit ArrowStrings(nanobind::handle object);
  ~ArrowStrings();
  ArrowStrings(ArrowStrings&&) noexcept;

  std::vector<std::string_view> views() const;

 private:
  struct Chunks;
  std::unique_ptr<Chunks> chunks_;
};

}  // namespace embd::python
