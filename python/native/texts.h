#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "native/arrow.h"

namespace embd::python {

/// The texts of a Python object where they lie, which this keeps alive: a list, a tuple, or what
/// ArrowStrings reads. embd/_texts.py turns all else into one of these. Made, moved and destroyed
/// with the GIL held. Raises: TypeError for an item that is no str, named by its place;
/// UnicodeEncodeError for a lone surrogate; what ArrowStrings raises.
class Texts {
 public:
  explicit Texts(nanobind::handle object);

  std::span<const std::string_view> views() const noexcept { return views_; }

 private:
  nanobind::object items_;  // a tuple: nobody else can take a str out of it
  std::optional<ArrowStrings> arrow_;
  std::vector<std::string_view> views_;
};

/// The UTF-8 of a str, which lives as long as it.
std::string_view utf8_of(nanobind::handle string);

}  // namespace embd::python
