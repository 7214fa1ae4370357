#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_parser.h"

namespace embd {

/// The content of the header and the footer: the version, the flags, and the places of all
/// sections.
struct EmbdSections {
  std::uint16_t version_major = 0;
  std::uint16_t version_minor = 0;
  std::uint32_t flags = 0;
  EmbdSection metadata;
  EmbdSection vocab;  ///< The vocabulary; empty if the file has none.
  EmbdSection index;  ///< The index: the descriptors, directly followed by the names.
  std::uint64_t names_start = 0;
  EmbdSection data;

  bool has_vocab() const noexcept { return (flags & embd_layout::vocab_embedded) != 0; }
  bool is_aligned() const noexcept { return (flags & embd_layout::tensors_aligned) != 0; }
  bool has_checksums() const noexcept { return (flags & embd_layout::checksum_enabled) != 0; }
};

/// Reads the header and the footer. Checks that all sections are inside the file and do not
/// overlap, and that the checksum of the header is right.
Result<EmbdSections> read_sections(Bytes file);

}  // namespace embd
