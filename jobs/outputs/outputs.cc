#include "jobs/outputs/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/json_text.h"
#include "base/links.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/jsonl/jsonl_format.h"
#include "jobs/outputs/streams.h"
#include "vectors/format_table.h"
#include "vectors/narrow_rows.h"

namespace embd {
namespace {

/// What a format stores for an output type. USearch's i8 and b1 are directions and bits of its own
/// making; JSON Lines has numbers of one kind, which hold the codes.
ElementType element_type(OutputType type, const Format& format) {
  switch (type) {
    case OutputType::f16:
      return ElementType::f16;
    case OutputType::int8:
    case OutputType::binary:
      if (format.name == "jsonl") return ElementType::f32;
      if (format.name == "usearch" && type == OutputType::binary) return ElementType::b1;
      return ElementType::i8;
    case OutputType::automatic:
    case OutputType::f32:
      break;
  }
  return ElementType::f32;
}

bool are_codes(OutputType type) {
  return type == OutputType::int8 || type == OutputType::binary;
}

/// Whether the rows reach the writer as codes of sentence-transformers.
bool takes_codes(const OutputOptions& options, const Format& format) {
  return are_codes(options.type) && format.name != "usearch";
}

/// That the format stores the type which was asked for.
Result<void> check_stored_type(const OutputOptions& options, const Format& format,
                               const WriteOptions& write) {
  const std::string_view stored = element_name(format.stored_type(write));
  const std::string_view asked = output_type_name(options.type);
  if (asked.empty() || are_codes(options.type) || asked == stored) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("output type {}: {} stores {}{}", asked, format.name, stored,
                          format.name == "cvc" ? " with this compression" : ""));
}

/// Several files, which do not fit into a stream.
bool makes_directory(const Format& format, const WriteOptions& write) {
  return format.name == "svs" && write.svs.layout != SvsOptions::Layout::file;
}

Result<void> check_stream(const std::filesystem::path& path, const Format& format,
                          const WriteOptions& write) {
  if (makes_directory(format, write)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: {} writes several files, which a stream cannot take; name a "
                            "directory, or choose the layout that is one file",
                            stream_name(path), format.name));
  }
  if (is_terminal(path)) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("standard output is a terminal: {} goes to a file or a pipe", format.name));
  }
  return {};
}

}  // namespace

std::string_view output_type_name(OutputType type) noexcept {
  static constexpr std::array<std::string_view, 5> names = {"", "f32", "f16", "int8", "binary"};
  return names[static_cast<std::size_t>(type)];
}

Result<const Format*> Outputs::format_of(const std::filesystem::path& path,
                                         const OutputOptions& options) {
  const bool lines = is_standard_output(path) && options.format.empty();
  return format_for_output(path, lines ? "jsonl" : options.format);
}

Result<Outputs::Output> Outputs::create_plain(const std::filesystem::path& path, std::uint64_t dim,
                                              const Format& format, const WriteOptions& write) {
  Output output;
  output.path = path;
  output.room = format.room(path, write);
  output.needs_ids = format.needs_ids;
  if (!is_stream(path)) {
    auto set = EMBD_TRY(create_vector_set(path, dim, write));
    output.set = set.get();
    output.writer = std::move(set);
    return output;
  }
  if (format.name == "jsonl") {
    output.writer = jsonl::make_jsonl_writer(EMBD_TRY(open_stream(path)), dim);
    return output;
  }
  EMBD_TRY(check_stream(path, format, write));
  output.spool = EMBD_TRY(Spool::create());
  output.writer = EMBD_TRY(create_bare(format, output.spool->path(), dim, write));
  return output;
}

Result<Outputs::Output> Outputs::create_one(const std::filesystem::path& path,
                                            const OutputOptions& options, const Content& content) {
  const std::uint64_t dim = content.dim;
  const Format* format = EMBD_TRY(format_of(path, options));
  const bool codes = takes_codes(options, *format);
  const bool binary = options.type == OutputType::binary;
  if (codes && format->name == "cvc") {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("CVC has no output type {}; choose its compression int8, or another format",
                    output_type_name(options.type)));
  }
  WriteOptions write = options.write;
  write.format = options.format;
  write.element_type = element_type(options.type, *format);
  if (options.type == OutputType::f32 &&
      write.cvc.compression == CvcOptions::Compression::automatic)
    write.cvc.compression =
        write.columns.empty() ? CvcOptions::Compression::lossless : CvcOptions::Compression::none;
  EMBD_TRY(check_stored_type(options, *format, write));
  const bool encode = codes && !content.are_codes;
  auto output = create_plain(path, encode && binary ? binary_dim(dim) : dim, *format, write);
  // The type was asked for: a format without it is no fault of the input.
  if (!output && output.error().code() == ErrorCode::unsupported &&
      options.type != OutputType::automatic) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("output type {}: {}", output_type_name(options.type),
                            output.error().message()));
  }
  if (!output || !encode) return output;
  if (binary) {
    output->writer = binary_rows(std::move(output->writer), dim);
    return output;
  }
  std::optional<Int8Ranges> ranges;
  if (!options.int8_ranges.empty()) ranges = EMBD_TRY(read_ranges(options.int8_ranges, dim));
  output->writer = int8_rows(std::move(output->writer), dim, std::move(ranges),
                             is_stream(path) ? std::filesystem::path() : path);
  return output;
}

Result<Outputs> Outputs::create(const std::vector<std::filesystem::path>& paths,
                                const OutputOptions& options, Content content) {
  Outputs outputs;
  for (const std::filesystem::path& path : paths)
    outputs.outputs_.push_back(EMBD_TRY(create_one(path, options, content)));
  EMBD_TRY(outputs.check_room(content.fields));
  if (!content.row_report.empty())
    outputs.row_report_ = EMBD_TRY(OutputFile::create(content.row_report));
  outputs.fields_ = std::move(content.fields);
  if (content.digest_recipe) {
    outputs.digest_.emplace(*content.digest_recipe);
    if (outputs.needs_ids()) outputs.digest_of_named_.emplace(*content.digest_recipe);
  }
  outputs.digest_texts_ = content.digest_texts;
  return outputs;
}

Result<void> Outputs::check_room(const RowFields& fields) const {
  const auto has_room = [&](bool Room::* part) {
    return std::ranges::any_of(outputs_, [&](const Output& output) { return output.room.*part; });
  };
  if (!fields.section_names().empty() && !has_room(&Room::sections))
    return fail(ErrorCode::invalid_argument,
                "sections are CVC's: none of the outputs is a CVC file");
  if (!fields.columns().empty() && !has_room(&Room::columns))
    return fail(ErrorCode::invalid_argument,
                "columns are CVC's and Parquet's: none of the outputs is such a file");
  return {};
}

bool Outputs::needs_ids() const noexcept {
  return std::ranges::any_of(outputs_, &Output::needs_ids);
}

bool Outputs::needs_texts(bool have_ids) const noexcept {
  return (digest_ && digest_texts_) || stores_texts(have_ids);
}

bool Outputs::stores_texts(bool have_ids) const noexcept {
  return (!have_ids && needs_ids()) ||
         std::ranges::any_of(outputs_, [](const Output& output) { return output.room.texts; });
}

std::string Outputs::report_line(const RowBatch& batch, std::size_t i) const {
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

Result<void> Outputs::append(const RowBatch& batch) {
  for (std::size_t i = 0; i < batch.notes.size(); ++i) {
    if (batch.notes[i].truncated) ++num_truncated_;
    if (row_report_) EMBD_TRY(row_report_->write(as_bytes(report_line(batch, i))));
  }
  note_ids(batch);
  num_rows_ += batch.rows.rows();
  if (batch.fields.empty()) return append_rows(batch.rows, batch.ids, batch.texts);
  for (const RowFields::Piece& piece : EMBD_TRY(fields_.pieces(batch.fields))) {
    if (piece.section != section_) EMBD_TRY(begin_section(piece.section));
    section_ = piece.section;
    EMBD_TRY(set_columns(std::vector<Bytes>(piece.columns.begin(), piece.columns.end())));
    const std::span texts = batch.texts;
    EMBD_TRY(append_rows(batch.rows.slice(piece.first, piece.count),
                         slice_ids(batch.ids, piece.first, piece.count),
                         texts.empty() ? texts : texts.subspan(piece.first, piece.count)));
  }
  return {};
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
  for (Output& output : outputs_) {
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
  for (Output& output : outputs_)
    if (RowSectionSink* sink = output.writer->row_sections())
      EMBD_TRY(sink->begin_section(metadata));
  return {};
}

Result<void> Outputs::begin_chunk(std::string_view metadata) {
  for (Output& output : outputs_)
    if (RowSectionSink* sink = output.writer->row_sections()) EMBD_TRY(sink->begin_chunk(metadata));
  return {};
}

Result<void> Outputs::set_columns(std::span<const Bytes> columns) {
  for (Output& output : outputs_)
    if (TableSink* sink = output.writer->table()) EMBD_TRY(sink->set_columns(columns));
  return {};
}

Result<void> Outputs::set_ranges(MatrixView ranges) {
  for (Output& output : outputs_)
    if (CodeSink* sink = output.writer->codes()) EMBD_TRY(sink->set_ranges(ranges));
  return {};
}

void Outputs::set_input_sha256(const std::string& hash) {
  for (const Output& output : outputs_)
    if (output.set != nullptr) output.set->set_input_sha256(hash);
}

void Outputs::set_digest(const Digest& digest) {
  for (const Output& output : outputs_)
    if (output.set != nullptr) output.set->set_digest(digest.to_json());
}

bool Outputs::Output::is_in_place() const {
  return set == nullptr || is_written_in_place(path);
}

Result<void> Outputs::Output::prepare() {
  EMBD_TRY(writer->prepare());
  return spool ? writer->finish() : Result<void>();  // The spooled file is no output yet.
}

Result<void> Outputs::Output::finish() {
  if (!spool) return writer->finish();
  OutputFile stream = EMBD_TRY(open_stream(path));
  EMBD_TRY(spool->copy_to(stream));
  return stream.finish();
}

Result<void> Outputs::prepare() {
  if (prepared_) return {};
  for (const Output& output : outputs_)
    if (digest_ && output.set != nullptr)
      output.set->set_digest((output.needs_ids ? *digest_of_named_ : *digest_).to_json());
  for (Output& output : outputs_) EMBD_TRY(output.prepare());
  if (row_report_) EMBD_TRY(row_report_->prepare());
  prepared_ = true;
  return {};
}

Result<void> Outputs::finish() {
  EMBD_TRY(prepare());
  for (const bool in_place : {true, false})
    for (Output& output : outputs_)
      if (output.is_in_place() == in_place) EMBD_TRY(output.finish());
  return row_report_ ? row_report_->finish() : Result<void>();
}

std::vector<OutputLoss> Outputs::losses() const {
  std::vector<OutputLoss> losses;
  for (const Output& output : outputs_)
    if (const auto loss = output.writer->loss()) losses.push_back({output.path, *loss});
  return losses;
}

}  // namespace embd
