#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace embd::test {

/// Returns the path of all-MiniLM-L6-v2 as an EMBD file: the environment variable EMBD_MODEL or
/// else the place where the fetch script puts it. Empty if there is no file.
inline std::filesystem::path real_model() {
  if (const char* path = std::getenv("EMBD_MODEL")) return path;
  const std::filesystem::path fetched =
      std::filesystem::path(EMBD_TEST_DATA) / "../../models/all-MiniLM-L6-v2.weights";
  return std::filesystem::exists(fetched) ? fetched : std::filesystem::path();
}

/// Skips the test if the model is not there. Stands at the top of a test that needs the model.
#define EMBD_NEEDS_REAL_MODEL()         \
  if (embd::test::real_model().empty()) \
  GTEST_SKIP() << "needs all-MiniLM-L6-v2: scripts/check.sh fetches it, or set EMBD_MODEL"

}  // namespace embd::test
