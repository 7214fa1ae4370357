#include "jobs/outputs/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/json_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "index/distances/distance.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/narrow_rows.h"

namespace embd {
namespace {

/// Returns the type of the values in a file in which codes of `type` are stored.
ElementType element_type_of_codes(OutputType type, const Format& format) {
  if (format.codes == CodeStorage::numbers) return ElementType::f32;
  if (packs_bits(format, type)) return ElementType::b1;
  return ElementType::i8;
}

ElementType element_type(OutputType type, const Format& format) {
  if (are_codes(type)) return element_type_of_codes(type, format);
  return type == OutputType::f16 ? ElementType::f16 : ElementType::f32;
}

/// Returns the options of the writer, with the type of values that the output type needs.
WriteOptions with_type(const OutputTarget& target) {
  const OutputType type = target.options.type;
  WriteOptions write = target.options.write;
  write.element_type = element_type(type, *target.format);
  if (type == OutputType::f32 && write.cvc.compression == CvcOptions::Compression::automatic)
    write.cvc.compression =
        write.columns.empty() ? CvcOptions::Compression::lossless : CvcOptions::Compression::none;
  return write;
}

/// Checks that no option of an index contradicts bits, if the format packs binary codes to bits.
Result<void> check_bits(const OutputTarget& target, const WriteOptions& write) {
  if (!packs_bits(*target.format, target.options.type)) return {};
  const std::optional<Metric> metric = write.index.metric;
  std::string asked;
  if (const ElementType stored = target.format->stored_type(write); stored != ElementType::b1)
    asked = fmt::format("scalar type {}", element_name(stored));
  else if (metric && !is_bit_metric(*metric))
    asked = fmt::format("metric {}", metric_name(*metric));
  if (asked.empty()) return {};
  return fail(
      ErrorCode::invalid_argument,
      "the {} was asked for, but the format {} stores binary codes as bits (b1), with the metric "
      "hamming or another metric of bits: leave it out, or choose another output type",
      asked, target.format->name);
}

/// Checks that the format can store the output type.
Result<void> check_type(const OutputTarget& target, const WriteOptions& write) {
  const Format& format = *target.format;
  if (write.kind == RowKind::scores && !format.has_scores) {
    return fail(ErrorCode::invalid_argument,
                "the format {} cannot store scores, expected an output whose name ends in .jsonl "
                "or .parquet",
                format.name);
  }
  const std::string_view asked = output_type_name(target.options.type);
  if (are_codes(target.options.type) && format.codes == CodeStorage::none) {
    return fail(ErrorCode::invalid_argument,
                "the format {} cannot store the output type {}: choose {}another format",
                format.name, asked, format.is_compressed ? "its compression \"int8\", or " : "");
  }
  EMBD_TRY(check_bits(target, write));
  const ElementType stored = format.stored_type(write);
  const bool is_encoded = are_codes(target.options.type) && format.codes != CodeStorage::own;
  if (asked.empty() || is_encoded || stored == write.element_type) return {};
  return fail(ErrorCode::invalid_argument,
              "the output type {} was asked for, but the format {} stores {}{}", asked, format.name,
              element_name(stored),
              format.is_compressed               ? " with this compression"
              : format.codes == CodeStorage::own ? " with this scalar type"
                                                 : "");
}

Result<void> check_stream(const OutputTarget& target) {
  const std::string_view format = target.format->name;
  if (target.format->is_several_files(target.path, target.options.write)) {
    return fail(ErrorCode::invalid_argument,
                "{} cannot take the format {}, because such an output consists of several files: "
                "name a directory, or choose a layout with one file",
                stream_name(target.path), format);
  }
  if (is_terminal(target.path)) {
    return fail(ErrorCode::invalid_argument,
                "the output is standard output, which is a terminal, but the format {} is binary: "
                "write to a file or a pipe",
                format);
  }
  return {};
}

/// Opens the output for rows that are stored as they are given, with `dim` values.
Result<OpenOutput> open_plain(const OutputTarget& target, std::uint64_t dim,
                              const WriteOptions& write) {
  const Format& format = *target.format;
  OpenOutput output;
  output.path = target.path;
  output.room = format.room(target.path, write);
  output.needs_ids = format.needs_ids;
  output.num_columns = write.columns.size();
  output.num_text_columns = write.text_columns.size();
  if (!target.is_stream) {
    auto set = EMBD_TRY(create_vector_set(format, target.path, dim, write));
    output.set = set.get();
    output.writer = std::move(set);
    return output;
  }
  if (format.write_stream != nullptr) {
    output.writer = EMBD_TRY(format.write_stream(EMBD_TRY(open_stream(target.path)), dim, write));
    return output;
  }
  EMBD_TRY(check_stream(target));
  output.spool = EMBD_TRY(Spool::create());
  output.writer = EMBD_TRY(create_bare(format, output.spool->path(), dim, write));
  return output;
}

/// Makes the output quantize its rows, which have `dim` values, to codes.
Result<void> add_codes(const OutputTarget& target, std::uint64_t dim, OpenOutput& output) {
  if (target.options.type == OutputType::binary) {
    output.writer = binary_rows(std::move(output.writer), dim);
    return {};
  }
  std::optional<Int8Ranges> ranges;
  if (const auto& path = target.options.int8_ranges; !path.empty())
    ranges = EMBD_TRY(read_ranges(path, dim));
  const std::filesystem::path beside = target.is_stream ? std::filesystem::path() : target.path;
  output.writer = int8_rows(std::move(output.writer), dim, std::move(ranges), beside);
  return {};
}

constexpr std::array column_names = {"byte_begin", "byte_end", "character_begin", "character_end"};

std::array<std::size_t, column_names.size()> values_of(const TextPlace& place) {
  return {place.bytes.begin, place.bytes.end, place.characters.begin, place.characters.end};
}

}  // namespace

bool OpenOutput::is_in_place() const {
  return set == nullptr || is_written_in_place(path);
}

Result<void> OpenOutput::prepare() {
  EMBD_TRY(writer->prepare());
  // If there is a temporary file, this finishes that, not the output.
  return spool ? writer->finish() : Result<void>();
}

Result<void> OpenOutput::finish() {
  if (!spool) return writer->finish();
  OutputFile stream = EMBD_TRY(open_stream(path));
  EMBD_TRY(spool->copy_to(stream));
  return stream.finish();
}

Result<OpenOutput> open_output(const OutputTarget& target, RowShape rows) {
  const OutputType type = target.options.type;
  WriteOptions write = with_type(target);
  EMBD_TRY(check_type(target, write));
  const bool encodes =
      are_codes(type) && target.format->codes != CodeStorage::own && !rows.are_codes;
  // Rows that are quantized wait until their ranges are known, and lose their columns.
  if (encodes) {
    write.columns.clear();
    write.text_columns.clear();
  }
  const bool packs = encodes && type == OutputType::binary;
  auto output = open_plain(target, packs ? binary_dim(rows.dim) : rows.dim, write);
  // The user chose the type, so a format without it is a wrong argument, not an error of the input.
  if (!output && output.error().code() == ErrorCode::unsupported && type != OutputType::automatic) {
    return fail(ErrorCode::invalid_argument, "the output type {} cannot be used: {}",
                output_type_name(type), output.error().message());
  }
  if (output && encodes) {
    output->room.columns = output->room.text_columns = false;
    EMBD_TRY(add_codes(target, rows.dim, *output));
  }
  return output;
}

Result<Outputs> Outputs::create(const std::vector<OutputTarget>& targets, Content content) {
  Outputs outputs;
  for (const OutputTarget& target : targets)
    outputs.outputs_.push_back(EMBD_TRY(open_output(target, content.rows)));
  EMBD_TRY(outputs.check_room(content.fields));
  // A format with sections, but without columns of texts, stores the texts in its sections.
  if (outputs.have_room(&Room::sections)) content.fields.put_texts_into_sections();
  if (!content.row_report.empty())
    outputs.row_report_ = EMBD_TRY(OutputFile::create(content.row_report));
  if (!content.terms.empty())
    outputs.terms_ = EMBD_TRY(TermOutput::create(content.terms, content.term_options));
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
  return terms_ || (!have_ids && needs_ids()) ||
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
  EMBD_TRY(append_terms(batch));
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

/// Adds the text of each row to the term index. The text of a window is the part of its text that
/// it covers.
Result<void> Outputs::append_terms(const RowBatch& batch) {
  if (!terms_) return {};
  for (std::size_t i = 0; i < batch.texts.size(); ++i) {
    std::string_view text = batch.texts[i];
    if (i < batch.notes.size() && batch.notes[i].place) {
      const ByteRange bytes = batch.notes[i].place->bytes;
      text = text.substr(bytes.begin, bytes.end - bytes.begin);
    }
    EMBD_TRY(terms_->append(text));
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
  if (terms_) EMBD_TRY(terms_->prepare());
  prepared_ = true;
  return {};
}

Result<void> Outputs::finish() {
  EMBD_TRY(prepare());
  for (const bool in_place : {true, false})
    for (OpenOutput& output : outputs_)
      if (output.is_in_place() == in_place) EMBD_TRY(output.finish());
  if (terms_) EMBD_TRY(terms_->finish());
  return row_report_ ? row_report_->finish() : Result<void>();
}

std::vector<OutputLoss> Outputs::losses() const {
  std::vector<OutputLoss> losses;
  for (const OpenOutput& output : outputs_)
    if (const auto loss = output.writer->loss()) losses.push_back({output.path, *loss});
  return losses;
}

std::vector<NumberColumn> place_columns() {
  std::vector<NumberColumn> columns;
  for (const char* name : column_names) columns.push_back({.name = name, .type = ElementType::i64});
  return columns;
}

void append_places(std::span<const RowNote> notes, std::vector<std::vector<std::byte>>& columns) {
  const std::size_t first = columns.size();
  columns.resize(first + column_names.size());
  for (const RowNote& note : notes) {
    const auto values = values_of(note.place.value_or(TextPlace()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<std::int64_t>(values[i]);
      const Bytes bytes = std::as_bytes(std::span(&value, 1));
      columns[first + i].insert(columns[first + i].end(), bytes.begin(), bytes.end());
    }
  }
}

}  // namespace embd
