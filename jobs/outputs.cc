#include "jobs/outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/jsonl/jsonl_writer.h"
#include "vectors/format_table.h"
#include "vectors/narrow_rows.h"

namespace embd {
namespace {

/// What a format stores for an output type. USearch's i8 and b1 are directions and bits of its own
/// making; JSON Lines has numbers of one kind, which hold the codes.
ElementType element_type(const std::string& output_type, const Format& format) {
  if (output_type == "f16") return ElementType::f16;
  if (output_type == "int8" || output_type == "binary") {
    if (format.name == "jsonl") return ElementType::f32;
    if (format.name == "usearch" && output_type == "binary") return ElementType::b1;
    return ElementType::i8;
  }
  return ElementType::f32;
}

/// Whether the rows reach the writer as codes of sentence-transformers.
bool takes_codes(const OutputOptions& options, const Format& format) {
  return are_codes(options.output_type) && format.name != "usearch";
}

/// That the format stores the type which was asked for.
Result<void> check_stored_type(const OutputOptions& options, const Format& format,
                               const WriteOptions& write) {
  const std::string_view stored = element_name(format.stored_type(write));
  const std::string& asked = options.output_type;
  if (asked.empty() || are_codes(asked) || asked == stored) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("--output-type {}: {} stores {}{}", asked, format.name, stored,
                          format.name == "cvc" ? " with this --cvc-compression" : ""));
}

std::filesystem::path spool_path() {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / fmt::format("embd-{}.out", ::getpid());
}

}  // namespace

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

Result<const Format*> Outputs::format_of(const std::string& path, const OutputOptions& options) {
  const bool lines = is_standard_output(path) && options.format.empty();
  return format_for_output(path, lines ? "jsonl" : options.format);
}

Result<Outputs::Output> Outputs::create_plain(const std::string& path, std::uint64_t dim,
                                              const Format& format, const WriteOptions& write) {
  Output output;
  output.path = path;
  output.needs_ids = format.needs_ids;
  if (!is_standard_output(path)) {
    output.writer = EMBD_TRY(create_vectors(path, dim, write));
    return output;
  }
  if (format.name == "jsonl") {
    output.writer = jsonl::make_jsonl_writer(EMBD_TRY(OutputFile::standard_output()), dim);
    return output;
  }
  if (::isatty(STDOUT_FILENO) == 1) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("standard output is a terminal: {} goes to a file or a pipe", format.name));
  }
  // Most formats need to go back to their header, which a pipe cannot.
  output.spool = spool_path();
  output.writer = EMBD_TRY(create_bare(format, output.spool, dim, write));
  return output;
}

Result<Outputs::Output> Outputs::create_one(const std::string& path, std::uint64_t dim,
                                            const OutputOptions& options) {
  const Format* format = EMBD_TRY(format_of(path, options));
  const bool codes = takes_codes(options, *format);
  const bool binary = options.output_type == "binary";
  if (codes && format->name == "cvc") {
    return fail(ErrorCode::invalid_argument,
                fmt::format("CVC has no output type {}; --cvc-compression int8 is its own",
                            options.output_type));
  }
  WriteOptions write = options.write;
  write.format = options.format;
  write.element_type = element_type(options.output_type, *format);
  if (options.output_type == "f32" && write.cvc_compression.empty())
    write.cvc_compression = write.columns.empty() ? "lossless" : "none";
  EMBD_TRY(check_stored_type(options, *format, write));
  auto output = create_plain(path, codes && binary && !options.are_codes ? binary_dim(dim) : dim,
                             *format, write);
  // The type was asked for: a format without it is no fault of the input.
  if (!output && output.error().code() == ErrorCode::unsupported && !options.output_type.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--output-type {}: {}", options.output_type, output.error().message()));
  }
  if (!output || !codes || options.are_codes) return output;
  if (binary) {
    output->writer = binary_rows(std::move(output->writer));
    return output;
  }
  std::optional<Int8Ranges> ranges;
  if (!options.int8_ranges.empty()) ranges = EMBD_TRY(read_ranges(options.int8_ranges, dim));
  output->writer = int8_rows(std::move(output->writer), dim, std::move(ranges),
                             is_standard_output(path) ? "" : path);
  return output;
}

Result<Outputs> Outputs::create(const std::vector<std::string>& paths, std::uint64_t dim,
                                const OutputOptions& options) {
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (std::find(paths.begin(), path, *path) != path)
      return fail(ErrorCode::invalid_argument, fmt::format("output {} named twice", *path));
  }
  Outputs outputs;
  for (const std::string& path : paths)
    outputs.outputs_.push_back(EMBD_TRY(create_one(path, dim, options)));
  return outputs;
}

Outputs::~Outputs() {
  std::error_code ignored;
  for (const Output& output : outputs_)
    if (!output.spool.empty()) std::filesystem::remove(output.spool, ignored);
}

bool Outputs::needs_ids() const noexcept {
  return std::ranges::any_of(outputs_, &Output::needs_ids);
}

Result<void> Outputs::append(MatrixView rows, const Ids& ids,
                             const std::vector<std::string>& texts) {
  Ids from_texts;
  if (std::holds_alternative<std::monostate>(ids) && needs_ids()) {
    std::vector<std::string> unique;
    for (const std::string& text : texts) unique.push_back(unique_ids_.name(text));
    from_texts = std::move(unique);
  }
  for (Output& output : outputs_) {
    const bool stand_in = output.needs_ids && std::holds_alternative<std::monostate>(ids);
    EMBD_TRY(output.writer->append(rows, stand_in ? from_texts : ids));
  }
  return {};
}

Result<void> Outputs::begin_section(std::string_view metadata) {
  for (Output& output : outputs_) EMBD_TRY(output.writer->begin_section(metadata));
  return {};
}

Result<void> Outputs::set_columns(std::span<const Bytes> columns) {
  for (Output& output : outputs_) EMBD_TRY(output.writer->set_columns(columns));
  return {};
}

Result<void> Outputs::set_ranges(MatrixView ranges) {
  for (Output& output : outputs_) EMBD_TRY(output.writer->set_ranges(ranges));
  return {};
}

Result<void> Outputs::finish() {
  for (Output& output : outputs_) {
    EMBD_TRY(output.writer->finish());
    if (output.spool.empty()) continue;
    const MappedFile file = EMBD_TRY(MappedFile::open(output.spool));
    OutputFile out = EMBD_TRY(OutputFile::standard_output());
    EMBD_TRY(out.write(file.bytes()));
    EMBD_TRY(out.finish());
  }
  return {};
}

std::vector<OutputLoss> Outputs::losses() const {
  std::vector<OutputLoss> losses;
  for (const Output& output : outputs_)
    if (const auto loss = output.writer->loss()) losses.push_back({output.path, *loss});
  return losses;
}

}  // namespace embd
