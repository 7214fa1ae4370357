#include "jobs/outputs/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "jobs/outputs/place_columns.h"

namespace embd {
Result<Outputs> Outputs::create(const std::vector<OutputTarget>& targets, Content content) {
  Outputs outputs;
  for (const OutputTarget& target : targets)
    outputs.outputs_.push_back(EMBD_TRY(open_output(target, content.rows)));
  EMBD_TRY(outputs.check_room(content.fields));
  // A format with sections, but without columns of texts, stores the texts in its sections.
  if (outputs.have_room(&Room::sections)) content.fields.put_texts_into_sections();
  if (!content.row_report.empty())
    outputs.row_report_ = EMBD_TRY(OutputFile::create(content.row_report));
  outputs.fields_ = std::move(content.fields);
  outputs.places_ = content.places;
  if (content.digest_recipe) {
    outputs.digest_.emplace(*content.digest_recipe);
    if (outputs.needs_ids()) outputs.digest_of_named_.emplace(*content.digest_recipe);
  }
  outputs.digest_texts_ = content.digest_texts;
  return outputs;
}

bool Outputs::have_room(bool Room::* part) const noexcept {
  return std::ranges::any_of(outputs_, [&](const OpenOutput& output) { return output.room.*part; });
}

Result<void> Outputs::check_room(const RowFields& fields) const {
  if (!fields.sections().empty() && !have_room(&Room::sections))
    return fail(
        ErrorCode::invalid_argument,
        "sections were asked for, but no output is a CVC file, the only format that has sections");
  if (!fields.columns().empty() && !have_room(&Room::columns))
    return fail(ErrorCode::invalid_argument,
                "columns were asked for, but no output can store them: choose the format CVC, "
                "Parquet or JSON Lines, and rows that are not codes");
  if (!fields.text_columns().empty() && !have_room(&Room::text_columns) &&
      !have_room(&Room::sections))
    return fail(ErrorCode::invalid_argument,
                "columns of texts were asked for, but no output can store them: choose the format "
                "CVC, Parquet or JSON Lines, and rows that are not codes");
  return {};
}

bool Outputs::needs_ids() const noexcept {
  return std::ranges::any_of(outputs_, &OpenOutput::needs_ids);
}

bool Outputs::needs_texts(bool have_ids) const noexcept {
  return (digest_ && digest_texts_) || stores_texts(have_ids);
}

bool Outputs::stores_texts(bool have_ids) const noexcept {
  return (!have_ids && needs_ids()) ||
         std::ranges::any_of(outputs_, [](const OpenOutput& output) { return output.room.texts; });
}

std::string Outputs::report_line(const RowBatch& batch, std::size_t i) const {
  const RowNote& note = batch.notes[i];
  std::string line = fmt::format("{{\"row\":{},", num_rows_ + i);
  if (!batch.files.empty()) {
    line += "\"file\":";
    append_json_string(batch.files[i], line);
    line += ',';
  }
  line += fmt::format("\"line\":{},", note.line);
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&batch.ids)) {
    line += fmt::format("\"id\":{},", (*numbers)[i]);
  } else if (const auto* strings = std::get_if<std::vector<std::string>>(&batch.ids)) {
    line += "\"id\":";
    append_json_string((*strings)[i], line);
    line += ',';
  }
  if (note.windows > 1) line += fmt::format("\"windows\":{},", note.windows);
  if (note.place) {
    const auto& [bytes, characters] = *note.place;
    line += fmt::format("\"bytes\":[{},{}],\"characters\":[{},{}],", bytes.begin, bytes.end,
                        characters.begin, characters.end);
  }
  return line + fmt::format("\"tokens\":{},\"truncated\":{}}}\n", note.tokens, note.truncated);
}

Result<void> Outputs::append(const RowBatch& batch) {
  for (std::size_t i = 0; i < batch.notes.size(); ++i) {
    if (batch.notes[i].truncated) ++num_truncated_;
    if (batch.notes[i].is_blank) ++num_blank_;
    if (row_report_) EMBD_TRY(row_report_->write(as_bytes(report_line(batch, i))));
  }
  note_ids(batch);
  num_rows_ += batch.rows.rows();
  if (batch.fields.empty() && !places_) return append_rows(batch.rows, batch.ids, batch.texts);
  for (const RowFields::Piece& piece : EMBD_TRY(pieces_of(batch))) {
    if (piece.section != section_) EMBD_TRY(begin_section(piece.section));
    section_ = piece.section;
    EMBD_TRY(set_columns(std::vector<Bytes>(piece.columns.begin(), piece.columns.end())));
    EMBD_TRY(set_text_columns(
        std::vector<std::span<const std::string>>(piece.texts.begin(), piece.texts.end())));
    const std::span texts = batch.texts;
    EMBD_TRY(append_rows(batch.rows.slice(piece.first, piece.count),
                         slice_ids(batch.ids, piece.first, piece.count),
                         texts.empty() ? texts : texts.subspan(piece.first, piece.count)));
  }
  return {};
}

Result<std::vector<RowFields::Piece>> Outputs::pieces_of(const RowBatch& batch) const {
  std::vector<RowFields::Piece> pieces;
  if (!batch.fields.empty()) {
    pieces = EMBD_TRY(fields_.pieces(batch.fields));
  } else {
    pieces.push_back({.count = batch.rows.rows()});
  }
  if (!places_) return pieces;
  for (RowFields::Piece& piece : pieces)
    append_places(std::span(batch.notes).subspan(piece.first, piece.count), piece.columns);
  return pieces;
}

Result<void> Outputs::append_rows(MatrixView rows, const Ids& ids,
                                  std::span<const std::string> texts) {
  Ids from_texts;
  if (std::holds_alternative<std::monostate>(ids) && needs_ids()) {
    std::vector<std::string> unique;
    for (const std::string& text : texts) unique.push_back(unique_ids_.name(text));
    from_texts = std::move(unique);
  }
  EMBD_TRY(add_to_digests(rows, ids, from_texts, texts));
  for (OpenOutput& output : outputs_) {
    if (RowTextSink* sink = output.writer->row_texts()) EMBD_TRY(sink->set_texts(texts));
    const bool stand_in = output.needs_ids && std::holds_alternative<std::monostate>(ids);
    EMBD_TRY(output.writer->append(rows, stand_in ? from_texts : ids));
  }
  return {};
}

Result<void> Outputs::add_to_digests(MatrixView rows, const Ids& ids, const Ids& from_texts,
                                     std::span<const std::string> texts) {
  if (!digest_) return {};
  std::vector<std::string_view> views;
  if (digest_texts_) views.assign(texts.begin(), texts.end());
  EMBD_TRY(digest_->update(rows, ids, digest_->count(), views));
  if (!digest_of_named_) return {};
  const bool stand_in = count_ids(from_texts).has_value();
  return digest_of_named_->update(rows, stand_in ? from_texts : ids, digest_of_named_->count(),
                                  views);
}

void Outputs::note_ids(const RowBatch& batch) {
  const std::size_t count = batch.rows.rows();
  if (count == 0) return;
  const auto id_at = [&](std::size_t row) -> RecordId {
    if (const auto* strings = std::get_if<std::vector<std::string>>(&batch.ids))
      return (*strings)[row];
    const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&batch.ids);
    return numbers != nullptr ? (*numbers)[row] : num_rows_ + row;
  };
  if (num_rows_ == 0) first_id_ = id_at(0);
  last_id_ = id_at(count - 1);
}

Result<void> Outputs::begin_section(std::string_view metadata) {
  for (OpenOutput& output : outputs_)
    if (RowSectionSink* sink = output.writer->row_sections())
      EMBD_TRY(sink->begin_section(metadata));
  return {};
}

Result<void> Outputs::begin_chunk(std::string_view metadata) {
  for (OpenOutput& output : outputs_)
    if (RowSectionSink* sink = output.writer->row_sections()) EMBD_TRY(sink->begin_chunk(metadata));
  return {};
}

Result<void> Outputs::set_columns(std::span<const Bytes> columns) {
  for (OpenOutput& output : outputs_)
    if (TableSink* sink = output.writer->table())
      EMBD_TRY(sink->set_columns(columns.first(std::min(columns.size(), output.num_columns))));
  return {};
}

Result<void> Outputs::set_text_columns(std::span<const std::span<const std::string>> columns) {
  for (OpenOutput& output : outputs_)
    if (TableSink* sink = output.writer->table(); sink != nullptr && output.num_text_columns > 0)
      EMBD_TRY(sink->set_text_columns(columns));
  return {};
}

Result<void> Outputs::set_ranges(MatrixView ranges) {
  for (OpenOutput& output : outputs_)
    if (CodeSink* sink = output.writer->codes()) EMBD_TRY(sink->set_ranges(ranges));
  return {};
}

void Outputs::set_input_sha256(const std::string& hash) {
  for (const OpenOutput& output : outputs_)
    if (output.set != nullptr) output.set->set_input_sha256(hash);
}

void Outputs::set_digest(const Digest& digest) {
  for (const OpenOutput& output : outputs_)
    if (output.set != nullptr) output.set->set_digest(digest.to_json());
}

Result<void> Outputs::prepare() {
  if (prepared_) return {};
  for (const OpenOutput& output : outputs_)
    if (digest_ && output.set != nullptr)
      output.set->set_digest((output.needs_ids ? *digest_of_named_ : *digest_).to_json());
  for (OpenOutput& output : outputs_) EMBD_TRY(output.prepare());
  if (row_report_) EMBD_TRY(row_report_->prepare());
  prepared_ = true;
  return {};
}

Result<void> Outputs::finish() {
  EMBD_TRY(prepare());
  for (const bool in_place : {true, false})
    for (OpenOutput& output : outputs_)
      if (output.is_in_place() == in_place) EMBD_TRY(output.finish());
  return row_report_ ? row_report_->finish() : Result<void>();
}

std::vector<OutputLoss> Outputs::losses() const {
  std::vector<OutputLoss> losses;
  for (const OpenOutput& output : outputs_)
    if (const auto loss = output.writer->loss()) losses.push_back({output.path, *loss});
  return losses;
}

}  // namespace embd
