#include "faces/python/native/texts.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "faces/python/native/bindings.h"
#include "faces/python/native/long_call.h"

namespace nb = nanobind;

// The structures of the Arrow C data interface, with the names and the layout that it defines.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace embd::python {
namespace {

/// The number of texts that are taken within milliseconds.
constexpr std::size_t texts_between_looks = 65536;

/// Owns one of the structures above, and releases it when destroyed.
template <class T>
class Owned {
 public:
  Owned() { std::memset(&value_, 0, sizeof value_); }
  /// Takes the structure out of a capsule. The capsule's own is marked as released.
  explicit Owned(T* source) : value_(*source) { source->release = nullptr; }
  Owned(Owned&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  T* operator->() noexcept { return &value_; }
  const T& operator*() const noexcept { return value_; }
  T* get() noexcept { return &value_; }

 private:
  T value_;
};

template <class T>
T* pointer_of(const nb::object& capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return static_cast<T*>(pointer);
}

template <class T>
const T* buffer(const ArrowArray& array, std::int64_t i) {
  return static_cast<const T*>(array.buffers[i]);
}

bool is_null(const ArrowArray& array, std::int64_t i) {
  if (array.null_count == 0 || array.n_buffers == 0) return false;
  const auto* bits = buffer<std::uint8_t>(array, 0);
  return bits != nullptr && ((bits[i / 8] >> (i % 8)) & 1) == 0;
}

/// Returns the string at the place `i` of the buffers. The caller has added the array's offset.
template <class Offset>
std::string_view at_offsets(const ArrowArray& array, std::int64_t i) {
  const auto* offsets = buffer<Offset>(array, 1);
  const auto* bytes = buffer<char>(array, 2);
  return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

std::string_view at_view(const ArrowArray& array, std::int64_t i) {
  constexpr std::size_t view_bytes = 16;
  constexpr std::int32_t most_inline = 12;
  const auto* view = buffer<char>(array, 1) + static_cast<std::size_t>(i) * view_bytes;
  std::int32_t length = 0;
  std::memcpy(&length, view, sizeof length);
  if (length <= most_inline) return {view + 4, static_cast<std::size_t>(length)};
  std::int32_t number = 0;
  std::int32_t offset = 0;
  std::memcpy(&number, view + 8, sizeof number);
  std::memcpy(&offset, view + 12, sizeof offset);
  return {buffer<char>(array, 2 + number) + offset, static_cast<std::size_t>(length)};
}

using StringAt = std::string_view (*)(const ArrowArray&, std::int64_t);

StringAt string_at(std::string_view format) {
  if (format == "u") return at_offsets<std::int32_t>;
  if (format == "U") return at_offsets<std::int64_t>;
  if (format == "vu") return at_view;
  throw nb::type_error(
      ("the column has Arrow's format \"" + std::string(format) + "\", expected strings").c_str());
}

template <class Integer>
std::int64_t index_at(const ArrowArray& array, std::int64_t i) {
  return static_cast<std::int64_t>(buffer<Integer>(array, 1)[i]);
}

using IndexAt = std::int64_t (*)(const ArrowArray&, std::int64_t);

IndexAt dictionary_index(char format) {
  switch (format) {
    case 'c':
      return index_at<std::int8_t>;
    case 'C':
      return index_at<std::uint8_t>;
    case 's':
      return index_at<std::int16_t>;
    case 'S':
      return index_at<std::uint16_t>;
    case 'i':
      return index_at<std::int32_t>;
    case 'I':
      return index_at<std::uint32_t>;
    case 'l':
      return index_at<std::int64_t>;
    case 'L':
      return index_at<std::uint64_t>;
    default:
      throw nb::type_error("the column is a dictionary whose indices are not integers");
  }
}

[[noreturn]] void refuse_null(std::size_t row) {
  throw nb::value_error(
      ("row " + std::to_string(row) + " is null: fill or drop nulls first").c_str());
}

}  // namespace

struct ArrowStrings::Chunks {
  Owned<ArrowSchema> schema;
  std::vector<Owned<ArrowArray>> arrays;
};

bool ArrowStrings::offered_by(nb::handle object) {
  return nb::hasattr(object, "__arrow_c_stream__") || nb::hasattr(object, "__arrow_c_array__");
}

ArrowStrings::ArrowStrings(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    const nb::object capsule = object.attr("__arrow_c_stream__")();
    auto* stream = pointer_of<ArrowArrayStream>(capsule, "arrow_array_stream");
    const auto check = [&](int status) {
      if (status == 0) return;
      const char* what = stream->get_last_error(stream);
      throw nb::value_error(what == nullptr ? "the Arrow stream cannot be read" : what);
    };
    chunks_ = std::make_unique<Chunks>();
    check(stream->get_schema(stream, chunks_->schema.get()));
    while (true) {
      Owned<ArrowArray> array;
      check(stream->get_next(stream, array.get()));
      if (array->release == nullptr) break;
      chunks_->arrays.push_back(std::move(array));
    }
  } else {
    const auto capsules = nb::cast<nb::tuple>(object.attr("__arrow_c_array__")());
    chunks_ = std::make_unique<Chunks>(Chunks{
        .schema = Owned(pointer_of<ArrowSchema>(capsules[0], "arrow_schema")), .arrays = {}});
    chunks_->arrays.emplace_back(pointer_of<ArrowArray>(capsules[1], "arrow_array"));
  }
}

ArrowStrings::~ArrowStrings() = default;
ArrowStrings::ArrowStrings(ArrowStrings&&) noexcept = default;

std::vector<std::string_view> ArrowStrings::views() const {
  const ArrowSchema* schema = &*chunks_->schema;
  const bool table = std::string_view(schema->format) == "+s";
  if (table) {
    if (schema->n_children != 1) {
      throw nb::value_error(("the table has " + std::to_string(schema->n_children) +
                             " columns, expected one column of texts")
                                .c_str());
    }
    schema = schema->children[0];
  }
  const bool coded = schema->dictionary != nullptr;
  const StringAt string = string_at(coded ? schema->dictionary->format : schema->format);
  const IndexAt index = coded ? dictionary_index(schema->format[0]) : nullptr;

  std::vector<std::string_view> views;
  for (const auto& chunk : chunks_->arrays) {
    const ArrowArray& rows = *chunk;
    const ArrowArray& array = table ? *rows.children[0] : rows;
    const std::int64_t first = array.offset + (table ? rows.offset : 0);
    views.reserve(views.size() + static_cast<std::size_t>(rows.length));
    for (std::int64_t i = first; i < first + rows.length; ++i) {
      if (is_null(array, i)) refuse_null(views.size());
      if (!coded) {
        views.push_back(string(array, i));
        continue;
      }
      const ArrowArray& words = *array.dictionary;
      const std::int64_t word = words.offset + index(array, i);
      if (is_null(words, word)) refuse_null(views.size());
      views.push_back(string(words, word));
    }
  }
  return views;
}

std::string_view utf8_of(nb::handle string) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

Texts::Texts(nb::handle object) {
  if (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr())) {
    arrow_.emplace(object);
    views_ = arrow_->views();
    return;
  }
  items_ = nb::steal(PySequence_Tuple(object.ptr()));
  if (!items_.is_valid()) throw nb::python_error();
  const auto items = nb::borrow<nb::tuple>(items_);
  views_.reserve(items.size());
  for (const nb::handle item : items) {
    if (views_.size() % texts_between_looks == 0) check_signals();
    if (!PyUnicode_Check(item.ptr())) {
      const std::string type = nb::cast<std::string>(item.type().attr("__name__"));
      throw nb::type_error(
          ("text " + std::to_string(views_.size()) + " is " + type + ", expected str").c_str());
    }
    views_.push_back(utf8_of(item));
  }
}

void check_are_pairs(const Texts& first, const Texts& second) {
  if (first.views().size() == second.views().size()) return;
  raise_invalid(
      fmt::format("{} first texts of pairs were given for {} second texts, expected one first text "
                  "for each second text",
                  first.views().size(), second.views().size()));
}

}  // namespace embd::python
