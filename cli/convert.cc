#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output_options.h"
#include "cli/read_options.h"
#include "formats/ids.h"
#include "jobs/cvc_parts.h"
#include "jobs/join.h"
#include "jobs/outputs.h"
#include "jobs/row_ids.h"
#include "jobs/stored_codes.h"
#include "vectors/narrow_rows.h"

namespace embd::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> paths;  // the last is the output
  ReadOptions read;
  OutputOptions output;
  std::string rows;
  bool force = false;
};

/// "A:B" of `num_rows`; either may be missing.
Result<RowRange> parse_range(const std::string& text, std::uint64_t num_rows) {
  RowRange range = {0, num_rows};
  if (text.empty()) return range;
  const std::size_t colon = text.find(':');
  const auto parse = [](std::string_view digits, std::uint64_t& value) {
    if (digits.empty()) return true;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return code == std::errc() && end == digits.data() + digits.size();
  };
  const std::string_view view = text;
  if (colon == std::string::npos || !parse(view.substr(0, colon), range.first) ||
      !parse(view.substr(colon + 1), range.end) || range.first > range.end ||
      range.end > num_rows) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--rows {}: expected A:B with A ≤ B ≤ {}", text, num_rows));
  }
  return range;
}

/// Original lengths of the rows taken; none unless every input has them.
Result<std::vector<float>> joined_norms(const Readers& inputs, RowRange range) {
  std::vector<float> all;
  for (const auto& input : inputs) {
    const std::vector<float> norms = EMBD_TRY(input->norms());
    if (norms.size() != input->info().num_rows) return std::vector<float>();
    all.insert(all.end(), norms.begin(), norms.end());
  }
  return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(range.first),
                            all.begin() + static_cast<std::ptrdiff_t>(range.end));
}

/// What word embeddings have besides rows and ids: finalfusion keeps it.
Result<void> take_word_parts(const Readers& inputs, RowRange range, WriteOptions& write) {
  const VectorReader& first = *inputs[0];
  const bool whole = inputs.size() == 1 && range.first == 0 && range.end == first.info().num_rows;
  if (inputs.size() == 1) write.metadata = EMBD_TRY(first.metadata());
  for (const auto& input : inputs) {
    write.subwords = EMBD_TRY(input->subwords());
    if (!write.subwords) continue;
    if (!whole) {
      return fail(ErrorCode::invalid_argument,
                  "--all-rows: subword rows belong to all words of one input");
    }
    write.norms = EMBD_TRY(first.norms());
    return {};
  }
  write.norms = EMBD_TRY(joined_norms(inputs, range));
  return {};
}

/// Rows a call of read() decodes: about 4 MB.
std::uint64_t rows_at_once(std::uint64_t dim) {
  return std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / std::max<std::uint64_t>(1, dim));
}

/// Takes rows of one input at a time to the outputs, with their ids, columns and sections.
class RowCopy {
 public:
  RowCopy(const Ids& ids, const CvcParts& parts, Outputs& outputs)
      : ids_(ids), parts_(parts), outputs_(outputs), columns_(parts.columns.size()) {}

  /// Rows [range.first, range.end) of `input`, which come after all copied before.
  Result<void> copy(const VectorReader& input, RowRange range, const Interrupt& interrupt) {
    const std::uint64_t dim = input.info().dim;
    while (range.first < range.end) {
      if (interrupt.token().stop_requested()) return fail(ErrorCode::cancelled, "");
      EMBD_TRY(begin_sections());
      const std::uint64_t count =
          std::min({rows_at_once(dim), range.end - range.first, rows_to_next_section()});
      buffer_.resize(count * dim);
      EMBD_TRY(input.read(range.first, count, buffer_));
      EMBD_TRY(read_columns(input, range.first, count));
      EMBD_TRY(
          outputs_.append({buffer_.data(), count, dim}, slice_ids(ids_, num_rows_, count), {}));
      num_rows_ += count;
      range.first += count;
    }
    return {};
  }

  /// Begins the sections that start with the next row.
  Result<void> begin_sections() {
    for (; section_ < parts_.sections.size(); ++section_) {
      if (parts_.sections[section_].rows.first != num_rows_) break;
      EMBD_TRY(outputs_.begin_section(parts_.sections[section_].metadata));
    }
    return {};
  }

 private:
  std::uint64_t rows_to_next_section() const {
    return section_ < parts_.sections.size() ? parts_.sections[section_].rows.first - num_rows_
                                             : std::numeric_limits<std::uint64_t>::max();
  }
  Result<void> read_columns(const VectorReader& input, std::uint64_t first, std::uint64_t count) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      EMBD_TRY(input.read_column(parts_.columns[c].name, first, count, columns_[c]));
    return outputs_.set_columns(std::vector<Bytes>(columns_.begin(), columns_.end()));
  }

  const Ids& ids_;
  const CvcParts& parts_;
  Outputs& outputs_;
  std::uint64_t num_rows_ = 0;  // copied
  std::size_t section_ = 0;     // the next to begin
  std::vector<float> buffer_;
  std::vector<std::vector<std::byte>> columns_;
};

Result<void> copy_rows(const Readers& inputs, RowRange range, const Ids& ids, const CvcParts& parts,
                       const Interrupt& interrupt, Outputs& outputs) {
  RowCopy rows(ids, parts, outputs);
  std::uint64_t input_begin = 0;
  for (const auto& input : inputs) {
    const std::uint64_t input_end = input_begin + input->info().num_rows;
    const std::uint64_t first = std::clamp(range.first, input_begin, input_end);
    const std::uint64_t end = std::clamp(range.end, input_begin, input_end);
    EMBD_TRY(rows.copy(*input, {first - input_begin, end - input_begin}, interrupt));
    input_begin = input_end;
  }
  return rows.begin_sections();  // that have no rows
}

/// Says on standard error what of the inputs does not go into `target`.
void say_what_is_left_out(const Readers& inputs, const std::vector<std::string>& sources,
                          const std::string& target, bool is_cvc) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::string parts = is_cvc ? "" : parts_in_words(*inputs[i]);
    const std::string unread = inputs[i]->unread_parts();
    if (!parts.empty() && !unread.empty()) parts += ", ";
    parts += unread;
    if (!parts.empty())
      fmt::print(stderr, "embd: warning: {} does not keep what {} has beside its rows: {}\n",
                 target, sources[i], parts);
  }
}

/// How many values the rows of all inputs have. A set without rows may not say.
Result<std::uint64_t> common_dim(const Readers& inputs, const std::vector<std::string>& sources) {
  std::size_t first = 0;  // of those that say
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t dim = inputs[i]->info().dim;
    if (dim == 0) continue;
    if (inputs[first]->info().dim == 0) first = i;
    if (dim == inputs[first]->info().dim) continue;
    return std::unexpected(
        Error(ErrorCode::bad_count, fmt::format("rows of {} values, {} has {}", dim, sources[first],
                                                inputs[first]->info().dim))
            .in_file(sources[i]));
  }
  if (inputs[first]->info().dim > 0) return inputs[first]->info().dim;
  return std::unexpected(
      Error(ErrorCode::bad_count, "no rows, and nothing that says how many values they have")
          .in_file(sources[0]));
}

Result<Readers> open_inputs(const std::vector<std::string>& sources, const ReadOptions& options) {
  Readers inputs;
  for (const std::string& path : sources) inputs.push_back(EMBD_TRY(open_vectors(path, options)));
  return inputs;
}

Result<ExitCode> convert(ConvertOptions& options) {
  const Interrupt interrupt;
  std::vector<std::string> sources = options.paths;
  const std::string target = sources.back();
  sources.pop_back();
  const Format& format = *EMBD_TRY(Outputs::format_of(target, options.output));
  options.read.any_column = format.name == "cvc";  // It takes the others, too.
  const Readers inputs = EMBD_TRY(open_inputs(sources, options.read));
  const std::uint64_t dim = EMBD_TRY(common_dim(inputs, sources));
  std::uint64_t num_rows = 0;
  for (const auto& input : inputs) num_rows += input->info().num_rows;
  const RowRange range = EMBD_TRY(parse_range(options.rows, num_rows));
  WriteOptions& write = options.output.write;
  write.recipe = EMBD_TRY(common_recipe(inputs, sources, options.force));
  const std::optional<Int8Ranges> ranges =
      EMBD_TRY(take_codes(inputs, sources, format, options.output));
  const bool is_part = range.first > 0 || range.end < num_rows;
  write.ids = EMBD_TRY(joined_ids(inputs, /*keep_row_numbers=*/is_part));
  if (is_part) write.ids = ids_of_part(write.ids, range);
  write.num_rows = range.end - range.first;
  if (format.needs_ids && !count_ids(write.ids)) write.ids = row_numbers({0, *write.num_rows});
  if (format.name == "finalfusion") EMBD_TRY(take_word_parts(inputs, range, write));
  CvcParts parts;
  if (format.name == "cvc") {
    parts = EMBD_TRY(joined_parts(inputs, sources, range));
    write.column = parts.column;
    write.columns = parts.columns;
    if (options.output.output_type.empty() && write.cvc_compression.empty())
      write.cvc_compression = kept_compression(inputs);
  }
  Outputs outputs = EMBD_TRY(Outputs::create({target}, dim, options.output));
  EMBD_TRY(copy_rows(inputs, range, write.ids, parts, interrupt, outputs));
  if (ranges) EMBD_TRY(outputs.set_ranges(*ranges));
  EMBD_TRY(outputs.finish());
  say_losses(outputs);
  say_what_is_left_out(inputs, sources, target, format.name == "cvc");
  return ExitCode::good;
}

}  // namespace

void add_convert(Commands& commands) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App& verb =
      commands.add(commands.app(), "convert", "Vector sets to one vector set in another format",
                   [options] { return convert(*options); });
  verb.add_option("PATH", options->paths, "Inputs, put one after the other, and last the output")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size)
      ->type_name("IN... OUT");
  add_read_options(verb, options->read);
  add_output_options(verb, options->output, "--to");
  verb.add_flag("--normalize", options->output.write.normalize,
                "finalfusion: word rows at length 1, their lengths as norms");
  verb.add_option("--rows", options->rows, "Rows A up to, not including, B")->type_name("A:B");
  verb.add_flag("--force", options->force, "Even if the inputs were made with different recipes");
}

}  // namespace embd::cli
