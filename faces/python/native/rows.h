#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "embd/index.h"
#include "embd/matrix.h"
#include "embd/vectors.h"
#include "faces/python/native/bindings.h"

namespace embd::python {

/// A two-dimensional NumPy array of float32.
using FloatRows = nanobind::ndarray<nanobind::numpy, float, nanobind::ndim<2>>;
/// The type of an argument that has rows of numbers, [n, dim]. An array with another type of
/// number, or one that is not C-contiguous, is converted.
using RowsArgument =
    nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// Returns a view of the array's memory.
inline MatrixView view_of(const RowsArgument& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1)};
}

/// The type of an argument that has rows of packed bits, eight values in a byte. It is not
/// converted.
using BitsArgument = nanobind::ndarray<const std::uint8_t, nanobind::ndim<2>, nanobind::c_contig,
                                       nanobind::device::cpu>;

/// Returns a view of the array's memory.
inline PackedBits view_of(const BitsArgument& bits) {
  return {bits.data(), bits.shape(0), bits.shape(1)};
}

/// Returns an array as a Python object. NumPy is imported here first, because nanobind turns any
/// exception of its own import of NumPy into a TypeError, even KeyboardInterrupt.
template <class Array>
nanobind::object to_python(Array array) {
  nanobind::module_::import_("numpy");
  return nanobind::cast(std::move(array));
}

/// Memory for an array [rows, cols] that is filled first and then given to NumPy.
template <class T>
class NewArray {
 public:
  /// Allocates the memory. It is not set to 0, because the caller fills all of it.
  NewArray(std::size_t rows, std::size_t cols)
      : values_(new T[rows * cols]), rows_(rows), cols_(cols) {}

  std::span<T> values() noexcept { return {values_.get(), rows_ * cols_}; }
  /// Returns the array [rows, cols], which owns the memory from now on. The object is empty
  /// afterwards.
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

/// Returns the values of a vector as a NumPy array [n], without copying them. The array owns the
/// memory.
template <class T>
nanobind::object array_of(std::vector<T> values) {
  auto* moved = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(moved,
                                [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return to_python(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(
      moved->data(), {moved->size()}, owner));
}

/// Returns memory for rows × cols values. Throws std::bad_alloc if their size in bytes is too
/// large.
template <class T>
NewArray<T> new_array(std::size_t rows, std::size_t cols) {
  if (cols != 0 && rows > PTRDIFF_MAX / sizeof(T) / cols) throw std::bad_alloc();
  return NewArray<T>(rows, cols);
}

/// Returns the ids of rows. `object` is None (no ids), an array of integers, or a list, tuple or
/// array of str or of int. Raises TypeError, naming the place of the item, if an item is of another
/// type or str and int are mixed. Raises the exception for invalid_argument if a number is negative
/// or has more than 64 bits.
Ids ids_of(nanobind::handle object);
/// Returns ids that must be numbers. Raises TypeError if they are str or None, and what ids_of()
/// raises.
std::vector<std::uint64_t> numbers_of(nanobind::handle object);
/// Returns ids as a Python object: None, a NumPy array of uint64, or a list of str.
nanobind::object from_ids(Ids ids);

}  // namespace embd::python
