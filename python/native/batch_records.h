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

/// Texts and ids out of a Python iterator of tuples: texts as Texts takes them, ids as ids_of()
/// does; and, in a third place, first texts, which become the only further field of their records.
/// Asks for the next tuple when one is used up. Made and destroyed with the GIL held, read on
/// any thread without it.
class BatchRecords final : public RecordReader {
 public:
  /// `name`: what messages call the source.
  BatchRecords(nanobind::object batches, std::string name);

  Result<bool> next(Record& record) override;
  const std::string& name() const noexcept override { return name_; }

  /// Throws what the iterator has raised, for which next() has failed.
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
