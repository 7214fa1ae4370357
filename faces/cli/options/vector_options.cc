#include "faces/cli/options/vector_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/path_text.h"
#include "base/try.h"
#include "faces/cli/printing.h"
#include "jobs/options/option.h"
#include "jobs/options/vector_lists.h"
#include "jobs/sets/format_table.h"

namespace embd::cli {

void add_read_options(Verb& verb, ReadOptions& options) {
  add_all_listed(verb, options);
}

void add_hnsw_options(Verb& verb, IndexOptions& options) {
  add_some_listed(verb, options, {"metric", "scalar", "connectivity", "expansion_add", "builder"});
}

namespace {

Result<void> store_quantizer(const std::string& word, WriteOptions& write) {
  constexpr auto finalfusion = option_of<&FinalfusionOptions::quantizer>();
  constexpr auto svs = option_of<&SvsOptions::quantizer>();
  const auto of_finalfusion = finalfusion.value_of(word);
  const auto of_svs = svs.value_of(word);
  if (of_finalfusion) write.finalfusion.quantizer = *of_finalfusion;
  if (of_svs) write.svs.quantizer = *of_svs;
  if (of_finalfusion || of_svs) return {};
  return unexpected_value(word, "one of " + joined_names(choices_of(finalfusion)) + "|" +
                                    joined_names(choices_of(svs)));
}

/// Adds --quantize, which finalfusion and SVS share: their quantizers have different names.
void add_quantizers(Verb& verb, WriteOptions& write) {
  constexpr auto finalfusion = option_of<&FinalfusionOptions::quantizer>();
  Option& option = add_listed(verb, finalfusion, write.finalfusion.quantizer);
  option.type_name("pq|opq|lvq…").store = [&write](const std::vector<std::string>& words) {
    return store_quantizer(words.front(), write);
  };
}

}  // namespace

void add_output_options(Verb& verb, OutputOptions& options, std::string_view format_option) {
  auto format = option_of<&OutputOptions::format>();
  format.option = format_option;
  add_listed(verb, format, options.format);
  add_all_listed(verb, options, {"output_format"});
  WriteOptions& write = options.write;
  add_all_listed(verb, write.cvc);
  add_all_listed(verb, write.parquet, {"text_column"});
  add_all_listed(verb, write.svs, {"svs_quantize"});
  add_hnsw_options(verb, write.index);
  add_quantizers(verb, write);
  add_all_listed(verb, write.finalfusion, {"quantize", "normalize_words"});
}

void say_conversion(const std::filesystem::path& output, const ConvertReport& report) {
  for (const auto& [input, parts] : report.left_out)
    say("embd: warning: {} cannot store these parts of {}, which were left out: {}\n",
        printable(text_of_path(output)), printable(text_of_path(input)), printable(parts));
  say_losses(report.losses);
}

void say_losses(const std::vector<OutputLoss>& losses) {
  for (const auto& [path, loss] : losses) {
    say("embd: {}: quantized with a mean cosine loss of {:.6g} and a mean euclidean loss "
        "of {:.6g}\n",
        printable(text_of_path(path)), loss.cosine, loss.euclidean);
  }
}

namespace {

/// Returns the formats of an option without the empty places of the array.
std::vector<std::string_view> formats_of(const Option& option) {
  std::vector<std::string_view> formats(option.formats.begin(), option.formats.end());
  std::erase(formats, "");
  return formats;
}

bool shares_format(const Option& option, const std::vector<std::string_view>& formats) {
  const std::vector<std::string_view> its = formats_of(option);
  return its.empty() || std::ranges::find_first_of(its, formats) != its.end();
}

/// Returns the formats of an option without the kinds of indexes.
std::vector<std::string_view> file_formats(const Option& option) {
  std::vector<std::string_view> formats = formats_of(option);
  std::erase_if(formats, [](std::string_view name) {
    return value_named(name, index_kind_names) || name == "none";
  });
  return formats;
}

/// Checks that options on the command line are for one of `formats`. If `of_reading` is true, the
/// options for reading vectors are checked, otherwise all others.
Result<void> check_formats(const Verb& verb, const std::vector<std::string_view>& formats,
                           bool of_reading, std::string_view what) {
  for (const Option& option : verb.options()) {
    if (!option.is_on_command_line || option.is_of_reading != of_reading) continue;
    if (shares_format(option, formats)) continue;
    return fail(ErrorCode::invalid_argument, "{} applies to {} only, but the format of {} is {}",
                option.name, fmt::join(file_formats(option), ", "), what, fmt::join(formats, ", "));
  }
  return {};
}

/// Adds the name of the option for the format to an error about the format of an output.
std::unexpected<Error> with_option(const Verb& verb, const Error& error,
                                   const OutputOptions& options) {
  const char* option = verb.has("--to") ? "--to" : "--output-format";
  return fail(error.code(), options.format.empty() ? fmt::format("{} with {}", error.what(), option)
                                                   : fmt::format("{}: {}", option, error.what()));
}

}  // namespace

Result<std::vector<OutputTarget>> outputs_of(const Verb& verb,
                                             const std::vector<std::filesystem::path>& paths,
                                             const OutputOptions& options, bool has_terms) {
  auto outputs = resolve_outputs(paths, options);
  if (!outputs) return with_option(verb, outputs.error(), options);
  std::vector<std::string_view> formats;
  for (const OutputTarget& output : *outputs) formats.push_back(output.format->name);
  if (has_terms) formats.emplace_back("terms");
  if (verb.is_given("--output-ranges") && options.type != OutputType::int8)
    return fail(ErrorCode::invalid_argument,
                "--output-ranges applies to int8 codes only: give --output-type int8, or leave "
                "--output-ranges out");
  EMBD_TRY(check_formats(verb, formats, /*of_reading=*/false, "the output"));
  return outputs;
}

Result<void> check_input_scopes(const Verb& verb, const std::vector<std::filesystem::path>& inputs,
                                const ReadOptions& options) {
  std::vector<std::string_view> formats;
  for (const std::filesystem::path& path : inputs)
    formats.push_back(EMBD_TRY(format_of_input(path, options.format))->name);
  return check_formats(verb, formats, /*of_reading=*/true, "the input");
}

Result<void> check_index_scopes(const Verb& verb, std::string_view kind) {
  for (const Option& option : verb.options()) {
    if (!option.is_on_command_line || option.is_of_reading) continue;
    if (shares_format(option, {kind})) continue;
    return fail(
        ErrorCode::invalid_argument, "{} applies to an index of the kind {} only, but {}",
        option.name, fmt::join(formats_of(option), " or "),
        kind == "none" ? "there is no index" : fmt::format("the index is of the kind {}", kind));
  }
  return {};
}

Result<void> check_needs(const Verb& verb) {
  for (const Option& option : verb.options()) {
    if (!option.is_on_command_line || option.useless_without.empty()) continue;
    if (verb.has_value(option.useless_without)) continue;
    return fail(ErrorCode::invalid_argument, "{} has no effect without {}: give both or neither",
                option.name, option.useless_without);
  }
  return {};
}

}  // namespace embd::cli
