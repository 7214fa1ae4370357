#pragma once

#include "base/checksum.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/record_stream.h"

namespace embd {

/// The hash of all records up to the end of a block: each block's goes into the next one's.
class TextsHasher {
 public:
  void add(const RecordStream::Row& record);
  TextsHash end_block();

 private:
  Sha256 hash_;
};

}  // namespace embd
