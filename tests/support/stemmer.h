#pragma once

#include "embd/terms.h"

namespace embd::test {

/// Why a test of stems is skipped in a build without the stemmer (EMBD_STEMMER=OFF).
inline constexpr const char* no_stemmer = "this build has no stemmer";

/// Returns true if this build has the stemmer for English.
inline bool has_stemmer() {
  return terms("text").has_value();
}

}  // namespace embd::test
