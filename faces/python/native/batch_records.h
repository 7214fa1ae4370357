#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "embd/texts.h"
#include "embd/vectors.h"
#include "native/texts.h"

namespace embd::python {

/// Reads records from a Python iterator of tuples (texts, ids) or (texts, ids, first texts). Texts
/// are given in the forms that Texts takes, ids in the forms that ids_of() takes. A first text
/// becomes the only further field of its record. The next tuple is requested when all records of
/// the last one were read.
///
/// The GIL must be held when the object is made and destroyed. next() is called without it, on any
/// thread.
class BatchRecords final : public RecordReader {
 public:
  /// `name` is the name of the source in messages.
  BatchRecords(nanobind::object batches, std::string name);

  Result<bool> next(Record& record) override;
  const std::string& name() const noexcept override { return name_; }

  /// Throws the Python exception that made next() fail, if there was one.
  void raise_again() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool fetch();

  nanobind::object batches_;
  std::string name_;
  std::optional<Texts> texts_;
  std::optional<Texts> first_texts_;
  Ids ids_;
  std::size_t place_ = 0;  // in the batch
  std::uint64_t row_ = 0;
  std::exception_ptr raised_;
};

}  // namespace embd::python
