#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <span>
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

/// The texts of a Python object, read in place without being copied. The object is a list, a tuple,
/// or a column that ArrowStrings can read; embd/_texts.py converts all other objects to one of
/// these. This class keeps the object alive. The GIL must be held when it is made, moved and
/// destroyed.
class Texts {
 public:
  /// Raises TypeError if an item is not a str, naming its place, UnicodeEncodeError for a lone
  /// surrogate, and what ArrowStrings raises.
  explicit Texts(nanobind::handle object);

  /// Returns a view of each text in UTF-8, valid as long as this object.
  std::span<const std::string_view> views() const noexcept { return views_; }

 private:
  nanobind::object items_;  // a tuple, from which no other code can remove a str
  std::optional<ArrowStrings> arrow_;
  std::vector<std::string_view> views_;
};

/// Raises embd.Error (invalid_argument) unless there are as many first texts of pairs as second
/// texts.
void check_are_pairs(const Texts& first, const Texts& second);

/// Returns the UTF-8 bytes of a str. The view is valid as long as the str.
std::string_view utf8_of(nanobind::handle string);

}  // namespace embd::python
