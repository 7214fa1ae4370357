#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_parser.h"

namespace embd {

/// The content of header and footer: the version, the flags, and where everything else lies.
struct EmbdSections {
  std::uint16_t version_major = 0;
  std::uint16_t version_minor = 0;
  std::uint32_t flags = 0;
  EmbdSection metadata;
  EmbdSection vocab;  ///< empty if the file has none
  EmbdSection index;  ///< the descriptors and, right behind them, the names
  std::uint64_t names_start = 0;
  EmbdSection data;

  bool has_vocab() const noexcept { return (flags & embd_layout::vocab_embedded) != 0; }
  bool is_aligned() const noexcept { return (flags & embd_layout::tensors_aligned) != 0; }
  bool has_checksums() const noexcept { return (flags & embd_layout::checksum_enabled) != 0; }
};

/// Reads header and footer: all sections lie inside the file and clear of each other, the header's
/// checksum is right.
Result<EmbdSections> read_sections(Bytes file);

}  // namespace embd
