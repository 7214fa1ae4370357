#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/join.h"
#include "cli/outputs.h"
#include "cli/read_options.h"
#include "cli/row_ids.h"
#include "formats/ids.h"

namespace embd::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> paths;  // the last is the output
  ReadOptions read;
  OutputOptions output;
  std::string rows;
  bool force = false;
};

struct Range {
  std::uint64_t first;
  std::uint64_t end;
};

/// "A:B" of `num_rows`; either may be missing.
Result<Range> parse_range(const std::string& text, std::uint64_t num_rows) {
  Range range = {0, num_rows};
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

/// Rows a call of read() decodes: about 4 MB.
std::uint64_t rows_at_once(std::uint64_t dim) {
  return std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / dim);
}

Result<ExitCode> convert(ConvertOptions& options) {
  const Interrupt interrupt;
  std::vector<std::string> sources = options.paths;
  const std::string target = sources.back();
  sources.pop_back();
  Readers inputs;
  std::uint64_t num_rows = 0;
  for (const std::string& path : sources) {
    inputs.push_back(EMBD_TRY(open_vectors(path, options.read)));
    num_rows += inputs.back()->info().num_rows;
    const std::uint64_t dim = inputs.back()->info().dim;
    if (dim != inputs[0]->info().dim) {
      return std::unexpected(
          Error(ErrorCode::bad_count,
                fmt::format("rows of {} values, {} has {}", dim, sources[0], inputs[0]->info().dim))
              .in_file(path));
    }
  }
  const std::uint64_t dim = inputs[0]->info().dim;
  const Range range = EMBD_TRY(parse_range(options.rows, num_rows));
  const bool is_part = range.first > 0 || range.end < num_rows;
  const Ids ids = EMBD_TRY(joined_ids(inputs, /*keep_row_numbers=*/is_part));
  options.output.write.recipe = EMBD_TRY(common_recipe(inputs, sources, options.force));
  Outputs outputs = EMBD_TRY(Outputs::create({target}, dim, options.output));
  const std::vector<std::string> row_names =
      outputs.needs_ids() ? id_strings(ids, num_rows) : std::vector<std::string>();

  std::vector<float> buffer;
  std::uint64_t input_begin = 0;
  for (const auto& input : inputs) {
    const std::uint64_t input_end = input_begin + input->info().num_rows;
    std::uint64_t row = std::max(range.first, input_begin);
    while (row < std::min(range.end, input_end)) {
      if (interrupt.token().stop_requested()) return fail(ErrorCode::cancelled, "");
      const std::uint64_t count = std::min(rows_at_once(dim), std::min(range.end, input_end) - row);
      buffer.resize(count * dim);
      EMBD_TRY(input->read(row - input_begin, count, buffer));
      const auto names =
          row_names.empty()
              ? std::vector<std::string>()
              : std::get<std::vector<std::string>>(slice_ids(Ids(row_names), row, count));
      EMBD_TRY(outputs.append({buffer.data(), count, dim}, slice_ids(ids, row, count), names));
      row += count;
    }
    input_begin = input_end;
  }
  EMBD_TRY(outputs.finish());
  return ExitCode::good;
}

}  // namespace

void add_convert(Commands& commands) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App& verb =
      commands.add(commands.app(), "convert", "Vector sets → one vector set in another format",
                   [options] { return convert(*options); });
  verb.add_option("PATH", options->paths, "Inputs, put one after the other, and last the output")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size)
      ->type_name("IN... OUT");
  add_read_options(verb, options->read);
  add_output_options(verb, options->output, "--to");
  verb.add_option("--rows", options->rows, "Rows A up to, not including, B")->type_name("A:B");
  verb.add_flag("--force", options->force, "Even if the inputs were made with different recipes");
}

}  // namespace embd::cli
