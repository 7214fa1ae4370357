#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace embd::test {

/// all-MiniLM-L6-v2 as an EMBD file: EMBD_MODEL, else where the fetch script puts it. Empty if it
/// is in neither place.
inline std::filesystem::path real_model() {
  if (const char* path = std::getenv("EMBD_MODEL")) return path;
  const std::filesystem::path fetched =
      std::filesystem::path(EMBD_TEST_DATA) / "../../models/all-MiniLM-L6-v2.weights";
  return std::filesystem::exists(fetched) ? fetched : std::filesystem::path();
}

/// At the top of a test that needs it.
#define EMBD_NEEDS_REAL_MODEL()         \
  if (embd::test::real_model().empty()) \
  GTEST_SKIP() << "needs all-MiniLM-L6-v2: scripts/check.sh fetches it, or set EMBD_MODEL"

}  // namespace embd::test
