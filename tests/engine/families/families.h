#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "tests/support/gzip.h"
#include "tests/support/npy.h"
#include "tests/support/split.h"
#include "tests/support/temporary_directory.h"

// Families of encoders besides BERT, and their references: ids of transformers and vectors and
// logits in float64 (tests/data/families).

namespace embd::test {

inline const std::filesystem::path families = std::filesystem::path(EMBD_TEST_DATA) / "families";

/// The greatest difference from the reference, as a part of the largest value.
inline constexpr double vector_bar = 2e-6;

/// Returns the texts or pairs of a model with their ids.
inline std::vector<nlohmann::json> read_cases(const std::string& name) {
  std::vector<nlohmann::json> cases;
  const std::string lines = testing::read_gzip(families / (name + ".jsonl.gz"));
  for (const std::string_view line : testing::split(lines, '\n'))
    cases.push_back(nlohmann::json::parse(line));
  return cases;
}

/// Returns the largest magnitude, at least 1.
inline double largest_of(std::span<const double> values) {
  double largest = 1;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Copies a model's folder. Folders that differ only in their modules share an encoder.
inline void copy_folder(const std::string& name, const std::filesystem::path& to) {
  const auto copy = [&](const std::string& from) {
    // The library of GCC 12 takes what is there for the same file on Windows, and copies nothing.
    for (const auto& entry : std::filesystem::directory_iterator(families / from)) {
      const std::filesystem::path copied = to / entry.path().filename();
      std::filesystem::remove_all(copied);
      std::filesystem::copy(entry.path(), copied, std::filesystem::copy_options::recursive);
    }
  };
  std::filesystem::remove_all(to);
  std::filesystem::create_directories(to);
  if (name.starts_with("dense_")) copy("dense_encoder");
  if (name.starts_with("pool_") || name == "layer_norm") copy("pool_encoder");
  copy(name);
  const std::filesystem::path packed = to / "tokenizer.json.gz";
  if (std::filesystem::exists(packed))
    std::ofstream(to / "tokenizer.json") << testing::read_gzip(packed);
}

/// The texts of a sentence model, their ids and their vectors.
struct Golden {
  explicit Golden(const std::string& name)
      : rows(read_npy(families / (name + ".npy")).as<double>()) {
    for (const nlohmann::json& one : read_cases(name)) {
      texts.push_back(one["text"]);
      ids.push_back(one["ids"]);
    }
  }
  std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }

  std::vector<double> rows;
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
};

/// A copy of a folder in which single settings are changed.
class FamilySettingsTest : public TemporaryDirectory {
 protected:
  /// Expects the error about a setting after `change` was applied to a file of the folder.
  void expect_refused(const char* name, const char* file, const nlohmann::json& change,
                      std::string_view what) {
    SCOPED_TRACE(what);
    const std::filesystem::path folder = path("folder");
    copy_folder(name, folder);
    if (change.is_null()) {
      std::filesystem::remove(folder / file);
    } else {
      auto settings = nlohmann::json::parse(std::ifstream(folder / file));
      settings.merge_patch(change);
      std::ofstream(folder / file) << settings;
    }
    const auto model = Model::open(folder);
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message().find(what), std::string::npos) << model.error().message();
  }
};

}  // namespace embd::test
