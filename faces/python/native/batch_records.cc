#include "native/batch_records.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "native/error.h"
#include "native/ids.h"

namespace nb = nanobind;

namespace embd::python {

BatchRecords::BatchRecords(nb::object batches, std::string name)
    : batches_(nb::steal(PyObject_GetIter(batches.ptr()))), name_(std::move(name)) {
  if (!batches_.is_valid()) throw nb::python_error();
}

/// Takes the next tuple of the iterator. Returns false at its end. Throws what Python raised. The
/// caller holds the GIL.
bool BatchRecords::fetch() {
  texts_.reset();
  first_texts_.reset();
  place_ = 0;
  const nb::object pair = nb::steal(PyIter_Next(batches_.ptr()));
  if (!pair.is_valid()) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return false;
  }
  texts_.emplace(pair[0]);
  ids_ = ids_of(pair[1]);
  const std::size_t count = texts_->views().size();
  if (const auto num_ids = count_ids(ids_); num_ids && *num_ids != count) {
    raise_invalid(fmt::format("{} ids were given for {} texts, expected one id for each text",
                              *num_ids, count));
  }
  if (nb::len(pair) == 2) return true;
  first_texts_.emplace(pair[2]);
  check_are_pairs(*first_texts_, *texts_);
  return true;
}

Result<bool> BatchRecords::next(Record& record) {
  while (!texts_ || place_ == texts_->views().size()) {
    const nb::gil_scoped_acquire held;
    try {
      if (!fetch()) return false;
    } catch (...) {
      raised_ = std::current_exception();
      return fail(ErrorCode::io_failed, "an exception was raised while the texts were read");
    }
  }
  record.text = texts_->views()[place_];
  record.id = {};
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids_)) {
    record.id = (*numbers)[place_];
  } else if (auto* strings = std::get_if<std::vector<std::string>>(&ids_)) {
    record.id = std::move((*strings)[place_]);
  }
  if (first_texts_) {
    record.fields = '[';
    append_json_string(first_texts_->views()[place_], record.fields);
    record.fields += ']';
  }
  ++place_;
  record.line = ++row_;
  return true;
}

}  // namespace embd::python
