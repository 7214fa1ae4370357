#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "embd/index.h"
#include "embd/matrix.h"
#include "native/error.h"

namespace embd::python {

using FloatRows = nanobind::ndarray<nanobind::numpy, float, nanobind::ndim<2>>;
/// The array type that rows are taken as: converted where they are another kind of number or not
/// C-contiguous.
using RowsArgument =
    nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

inline MatrixView view_of(const RowsArgument& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1)};
}

/// Rows of packed bits, eight values a byte, taken as they are.
using BitsArgument = nanobind::ndarray<const std::uint8_t, nanobind::ndim<2>, nanobind::c_contig,
                                       nanobind::device::cpu>;

inline PackedBits view_of(const BitsArgument& bits) {
  return {bits.data(), bits.shape(0), bits.shape(1)};
}

/// The array as an object of Python. Imports NumPy here, because nanobind makes a TypeError of
/// whatever its own import of NumPy raises, KeyboardInterrupt too.
template <class Array>
nanobind::object to_python(Array array) {
  nanobind::module_::import_("numpy");
  return nanobind::cast(std::move(array));
}

/// Values that NumPy will own.
template <class T>
class NewArray {
 public:
  NewArray(std::size_t rows, std::size_t cols)
      : values_(new T[rows * cols]), rows_(rows), cols_(cols) {}  // not set to 0: filled below

  std::span<T> values() noexcept { return {values_.get(), rows_ * cols_}; }
  /// The array [rows, cols]; this holds nothing afterwards.
  nanobind::object release() {
    const nanobind::capsule owner(values_.get(),
                                  [](void* p) noexcept { delete[] static_cast<T*>(p); });
    T* data = values_.release();
    return to_python(
        nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(data, {rows_, cols_}, owner));
  }

 private:
  std::unique_ptr<T[]> values_;
  std::size_t rows_;
  std::size_t cols_;
};

/// A vector as a NumPy array [n] that owns it.
template <class T>
nanobind::object array_of(std::vector<T> values) {
  auto* moved = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(moved,
                                [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return to_python(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(
      moved->data(), {moved->size()}, owner));
}

/// Room for rows × cols values, or raises MemoryError's embd form.
template <class T>
NewArray<T> new_array(std::size_t rows, std::size_t cols) {
  if (cols != 0 && rows > PTRDIFF_MAX / sizeof(T) / cols) throw std::bad_alloc();
  return NewArray<T>(rows, cols);
}

}  // namespace embd::python
