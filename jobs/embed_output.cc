#include "jobs/embed_output.h"

#include <fmt/format.h>

#include "base/try.h"
#include "formats/json_text.h"

namespace embd {

Result<EmbedOutput> EmbedOutput::create(Outputs outputs, RowFields fields,
                                        const std::string& row_report) {
  EmbedOutput output(std::move(outputs), std::move(fields));
  if (!row_report.empty()) output.row_report_ = EMBD_TRY(OutputFile::create(row_report));
  return output;
}

std::string EmbedOutput::report_line(const RowBatch& batch, std::size_t i) const {
  const RowNote& note = batch.notes[i];
  std::string line = fmt::format("{{\"row\":{},\"line\":{},", num_rows_ + i, note.line);
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&batch.ids)) {
    line += fmt::format("\"id\":{},", (*numbers)[i]);
  } else if (const auto* strings = std::get_if<std::vector<std::string>>(&batch.ids)) {
    line += "\"id\":";
    append_json_string((*strings)[i], line);
    line += ',';
  }
  if (note.windows > 1) line += fmt::format("\"windows\":{},", note.windows);
  return line + fmt::format("\"tokens\":{},\"truncated\":{}}}\n", note.tokens, note.truncated);
}

Result<void> EmbedOutput::append(const RowBatch& batch) {
  for (std::size_t i = 0; i < batch.notes.size(); ++i) {
    if (batch.notes[i].truncated) ++num_truncated_;
    if (row_report_) EMBD_TRY(row_report_->write(as_bytes(report_line(batch, i))));
  }
  EMBD_TRY(batch.fields.empty() ? outputs_.append(batch.rows, batch.ids, batch.texts)
                                : fields_.append(batch, outputs_));
  num_rows_ += batch.rows.rows();
  return {};
}

Result<void> EmbedOutput::finish() {
  EMBD_TRY(outputs_.finish());
  return row_report_ ? row_report_->finish() : Result<void>();
}

}  // namespace embd
