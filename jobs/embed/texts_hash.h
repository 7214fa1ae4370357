#pragma once

#include "base/checksum.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/record_stream.h"

namespace embd {

/// Computes the hash of all records up to the end of a block. The hash of a block includes the hash
/// of the block before it.
class TextsHasher {
 public:
  void add(const RecordStream::Row& record);
  TextsHash end_block();

 private:
  Sha256 hash_;
};

}  // namespace embd
