#pragma once

#include "embd/model.h"
#include "jobs/embed/row_maker.h"

namespace embd {

/// Makes vectors of texts. Everything that it refers to must outlive it.
class TextRows final : public RowMaker {
 public:
  TextRows(const Model& model, const EncodeOptions& options) : model_(model), options_(options) {}

  Result<Recipe> recipe() const override { return model_.recipe(options_); }
  std::uint32_t dim() const override {
    return options_.truncate_dim == 0 ? model_.dim() : options_.truncate_dim;
  }
  std::uint32_t max_length() const override {
    return options_.max_length.value_or(model_.max_length());
  }
  std::string_view too_long() const override {
    return "a text may have: allow truncation, or embed the text in windows";
  }
  Result<Report> make_rows(RecordStream& records, RowSink& sink,
                           const std::stop_token& stop) const override {
    return encode_records(model_, records, sink, options_, stop);
  }

 private:
  const Model& model_;
  const EncodeOptions& options_;
};

}  // namespace embd
