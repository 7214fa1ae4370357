#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>
#include <vector>

namespace embd::python {

/// The strings of a column of another Python library, such as pyarrow or polars. They are read in
/// place through the Arrow C data interface
/// (https://arrow.apache.org/docs/format/CDataInterface.html), without being copied. The object
/// keeps the column alive.
class ArrowStrings {
 public:
  /// Returns true if `object` has __arrow_c_stream__ or __arrow_c_array__.
  static bool offered_by(nanobind::handle object);

  /// Takes an array, a chunked array or a table with one column. Raises ValueError if the object
  /// gives a stream that cannot be read.
  explicit ArrowStrings(nanobind::handle object);
  ~ArrowStrings();
  ArrowStrings(ArrowStrings&&) noexcept;

  /// Returns a view of each string, valid as long as this object. The column may have strings with
  /// 32-bit or 64-bit offsets, string views, or a dictionary of such strings. Raises TypeError if
  /// it has another type, and ValueError if a row is null, naming the row, or if a table has
  /// several columns.
  std::vector<std::string_view> views() const;

 private:
  struct Chunks;
  std::unique_ptr<Chunks> chunks_;
};

}  // namespace embd::python
