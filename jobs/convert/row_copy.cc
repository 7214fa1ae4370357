#include "jobs/convert/row_copy.h"

#include <algorithm>
#include <limits>

#include "base/stopped.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "jobs/rows_at_once.h"
#include "jobs/sets/narrow_rows.h"

namespace embd {
namespace {

/// The sections or chunks that have not begun yet, in the order of their rows.
class PartsToCome {
 public:
  explicit PartsToCome(std::span<const RowSection> parts) : parts_(parts) {}

  /// Returns the next one and removes it, if it begins at row `row`; otherwise null.
  const RowSection* take(std::uint64_t row) {
    if (parts_.empty() || parts_.front().rows.first != row) return nullptr;
    const RowSection* part = &parts_.front();
    parts_ = parts_.subspan(1);
    return part;
  }
  std::uint64_t rows_to_next(std::uint64_t row) const {
    return parts_.empty() ? std::numeric_limits<std::uint64_t>::max()
                          : parts_.front().rows.first - row;
  }

 private:
  std::span<const RowSection> parts_;
};

/// Copies the rows of one input after the other to the outputs, with their metadata.
class RowCopy {
 public:
  RowCopy(const Ids& ids, const RowParts& parts, const std::stop_token& stop, Outputs& outputs)
      : ids_(ids),
        parts_(parts),
        stop_(stop),
        outputs_(outputs),
        sections_(parts.sections),
        chunks_(parts.chunks),
        columns_(parts.columns.size()),
        text_columns_(parts.text_columns.size()) {}

  /// Copies the rows [range.first, range.end) of `input` behind those that were copied before.
  Result<void> copy(const VectorReader& input, RowRange range) {
    const std::uint64_t dim = input.info().dim;
    while (range.first < range.end) {
      if (stop_.stop_requested()) return fail_stopped();
      EMBD_TRY(begin_parts());
      const std::uint64_t count =
          std::min({rows_at_once(dim), range.end - range.first, sections_.rows_to_next(num_rows_),
                    chunks_.rows_to_next(num_rows_)});
      buffer_.resize(count * dim);
      EMBD_TRY(input.read(range.first, count, buffer_));
      EMBD_TRY(read_columns(input, range.first, count));
      const MatrixView stored(buffer_.data(), count, dim);
      if (parts_.unpacked_dim > 0) signs_ = signs_of(stored, parts_.unpacked_dim);
      RowBatch batch;
      batch.rows = parts_.unpacked_dim > 0 ? signs_ : stored;
      batch.ids = slice_ids(ids_, num_rows_, count);
      if (parts_.texts) batch.texts = EMBD_TRY(input.row_texts()->texts(range.first, count));
      EMBD_TRY(outputs_.append(batch));
      num_rows_ += count;
      range.first += count;
    }
    return {};
  }

  /// Begins the sections and the chunk that start with the next row.
  Result<void> begin_parts() {
    while (const RowSection* section = sections_.take(num_rows_))
      EMBD_TRY(outputs_.begin_section(section->metadata));
    while (const RowSection* chunk = chunks_.take(num_rows_))
      EMBD_TRY(outputs_.begin_chunk(chunk->metadata));
    return {};
  }

 private:
  Result<void> read_columns(const VectorReader& input, std::uint64_t first, std::uint64_t count) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      EMBD_TRY(input.table()->read_column(parts_.columns[c].name, first, count, columns_[c]));
    EMBD_TRY(outputs_.set_columns(std::vector<Bytes>(columns_.begin(), columns_.end())));
    for (std::size_t c = 0; c < text_columns_.size(); ++c)
      text_columns_[c] =
          EMBD_TRY(input.table()->read_text_column(parts_.text_columns[c], first, count));
    return outputs_.set_text_columns(
        std::vector<std::span<const std::string>>(text_columns_.begin(), text_columns_.end()));
  }

  const Ids& ids_;
  const RowParts& parts_;
  const std::stop_token& stop_;
  Outputs& outputs_;
  std::uint64_t num_rows_ = 0;  // the number of rows copied so far
  PartsToCome sections_;
  PartsToCome chunks_;
  std::vector<float> buffer_;
  Matrix signs_;  // of the rows in buffer_, if they are unpacked
  std::vector<std::vector<std::byte>> columns_;
  std::vector<std::vector<std::string>> text_columns_;
};

}  // namespace

Result<void> copy_rows(const Readers& sets, RowRange taken, const Ids& ids, const RowParts& parts,
                       Outputs& outputs, const std::stop_token& stop) {
  RowCopy rows(ids, parts, stop, outputs);
  std::uint64_t input_begin = 0;
  for (const auto& input : sets) {
    const std::uint64_t input_end = input_begin + input->info().num_rows;
    const std::uint64_t first = std::clamp(taken.first, input_begin, input_end);
    const std::uint64_t end = std::clamp(taken.end, input_begin, input_end);
    EMBD_TRY(rows.copy(*input, {first - input_begin, end - input_begin}));
    input_begin = input_end;
  }
  return rows.begin_parts();  // for sections without rows at the end
}

}  // namespace embd
