#include "formats/jsonl/jsonl_writer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/try.h"
#include "formats/ids.h"
#include "formats/json_text.h"
#include "formats/plain_rows.h"

namespace embd::jsonl {
namespace {

class JsonlWriter final : public VectorWriter {
 public:
  JsonlWriter(OutputFile file, std::uint64_t dim) : file_(std::move(file)), dim_(dim) {}

  Result<void> append(MatrixView rows, const Ids& ids) override {
    EMBD_TRY(check_append(rows, dim_));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      line_ = "{\"id\":";
      EMBD_TRY(append_id(ids, i));
      line_ += ",\"embedding\":[";
      EMBD_TRY(append_values(rows.row(i)));
      line_ += "]}\n";
      EMBD_TRY(file_.write(as_bytes(line_)));
      ++num_rows_;
    }
    return {};
  }

  Result<void> finish() override { return file_.finish(); }

 private:
  Result<void> append_id(const Ids& ids, std::size_t i) {
    if (count_ids(ids)) return append_json_id(ids, i, line_);
    line_ += fmt::to_string(num_rows_);
    return {};
  }

  Result<void> append_values(std::span<const float> values) {
    std::array<char, 32> digits;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        return fail(ErrorCode::bad_value,
                    fmt::format("row {}: value {} is {}, which JSON has no word for", num_rows_, i,
                                values[i]));
      }
      if (i != 0) line_ += ',';
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[i]).ptr;
      line_.append(digits.data(), end);
    }
    return {};
  }

  OutputFile file_;
  std::uint64_t dim_;
  std::uint64_t num_rows_ = 0;
  std::string line_;
};

}  // namespace

std::unique_ptr<VectorWriter> make_jsonl_writer(OutputFile file, std::uint64_t dim) {
  return std::make_unique<JsonlWriter>(std::move(file), dim);
}

Result<std::unique_ptr<VectorWriter>> create_jsonl(const std::filesystem::path& path,
                                                   std::uint64_t dim, const WriteOptions& options) {
  if (options.element_type != ElementType::f32) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("JSON Lines holds f32, not {}", element_name(options.element_type)));
  }
  return make_jsonl_writer(EMBD_TRY(OutputFile::create(path)), dim);
}

}  // namespace embd::jsonl
