#include "jobs/outputs/open_output.h"

#include <fmt/format.h>

#include "base/links.h"
#include "base/try.h"
#include "index/distances/distance.h"
#include "jobs/outputs/streams.h"
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
  return fail(ErrorCode::invalid_argument,
              fmt::format("the {} was asked for, but the format {} stores binary codes as bits "
                          "(b1), with the metric hamming or another metric of bits: leave it out, "
                          "or choose another output type",
                          asked, target.format->name));
}

/// Checks that the format can store the output type.
Result<void> check_type(const OutputTarget& target, const WriteOptions& write) {
  const Format& format = *target.format;
  if (write.kind == RowKind::scores && !format.has_scores) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the format {} cannot store scores, expected an output whose name ends "
                            "in .jsonl or .parquet",
                            format.name));
  }
  const std::string_view asked = output_type_name(target.options.type);
  if (are_codes(target.options.type) && format.codes == CodeStorage::none) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("the format {} cannot store the output type {}: choose {}another format",
                    format.name, asked,
                    format.is_compressed ? "its compression \"int8\", or " : ""));
  }
  EMBD_TRY(check_bits(target, write));
  const ElementType stored = format.stored_type(write);
  const bool is_encoded = are_codes(target.options.type) && format.codes != CodeStorage::own;
  if (asked.empty() || is_encoded || stored == write.element_type) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("the output type {} was asked for, but the format {} stores {}{}", asked,
                          format.name, element_name(stored),
                          format.is_compressed               ? " with this compression"
                          : format.codes == CodeStorage::own ? " with this scalar type"
                                                             : ""));
}

Result<void> check_stream(const OutputTarget& target) {
  const std::string_view format = target.format->name;
  if (target.format->is_several_files(target.path, target.options.write)) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "{} cannot take the format {}, because such an output consists of several files: "
            "name a directory, or choose a layout with one file",
            stream_name(target.path), format));
  }
  if (is_terminal(target.path)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the output is standard output, which is a terminal, but the format {} "
                            "is binary: write to a file or a pipe",
                            format));
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
    return fail(ErrorCode::invalid_argument,
                fmt::format("the output type {} cannot be used: {}", output_type_name(type),
                            output.error().message()));
  }
  if (output && encodes) {
    output->room.columns = output->room.text_columns = false;
    EMBD_TRY(add_codes(target, rows.dim, *output));
  }
  return output;
}

}  // namespace embd
