#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "embd/model.h"
#include "js/native/answer.h"

namespace embd::js {

/// Texts in memory, one after the other.
class TextList final : public TextSource {
 public:
  explicit TextList(std::vector<std::string_view> texts) : texts_(std::move(texts)) {}
  Result<bool> next(std::string& text) override;

 private:
  std::vector<std::string_view> texts_;
  std::size_t next_ = 0;
};

/// Rows in memory, and what became of the texts that they were made of.
class RowList final : public RowSink {
 public:
  /// `windows`: rows are of windows, of which a text may have several.
  explicit RowList(bool windows) : windows_(windows) {}
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;

  /// A member for each thing that is known of rows, with a value a row.
  nlohmann::json facts() const;
  std::vector<float> values() && { return std::move(values_); }

 private:
  bool windows_;
  std::size_t dim_ = 0;
  std::vector<float> values_;
  std::vector<RowReport> reports_;
};

/// Encodes a list of texts, and answers with their rows.
Result<std::int32_t> answer_rows(Answer& answer, const Model& model, const char* texts,
                                 const std::uint32_t* sizes, std::uint32_t count,
                                 const EncodeOptions& how);

}  // namespace embd::js
