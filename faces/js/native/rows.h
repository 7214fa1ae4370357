#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "embd/model.h"
#include "faces/js/native/answer.h"

namespace embd::js {

/// Returns views of `count` texts, which are one after the other in memory, given their sizes.
inline std::vector<std::string_view> texts_of(const char* bytes, const std::uint32_t* sizes,
                                              std::uint32_t count) {
  std::vector<std::string_view> texts;
  texts.reserve(count);
  for (std::uint32_t i = 0; i < count; bytes += sizes[i], ++i) texts.emplace_back(bytes, sizes[i]);
  return texts;
}

/// A source of texts that are in memory.
class TextList final : public TextSource {
 public:
  explicit TextList(std::vector<std::string_view> texts) : texts_(std::move(texts)) {}
  Result<bool> next(std::string& text) override;

 private:
  std::vector<std::string_view> texts_;
  std::size_t next_ = 0;
};

/// Collects rows in memory, with the reports on them.
class RowList final : public RowSink {
 public:
  /// `windows` is true if rows belong to windows, of which a text may have several.
  explicit RowList(bool windows) : windows_(windows) {}
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;

  /// Returns a JSON object with the number of rows, their dimension and, as lists, the values of
  /// the reports on them.
  nlohmann::json facts() const;
  std::vector<float> values() && { return std::move(values_); }

 private:
  bool windows_;
  std::size_t dim_ = 0;
  std::vector<float> values_;
  std::vector<RowReport> reports_;
};

/// Encodes a list of texts and stores their rows in the answer.
Result<std::int32_t> answer_rows(Answer& answer, const Model& model, const char* texts,
                                 const std::uint32_t* sizes, std::uint32_t count,
                                 const EncodeOptions& how);

}  // namespace embd::js
