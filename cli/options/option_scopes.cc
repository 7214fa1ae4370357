#include "cli/options/option_scopes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "cli/options/scope_table.h"
#include "vectors/format_table.h"

namespace embd::cli {
namespace {

constexpr std::string_view reading = "Reading vectors";

std::string dashed(std::string_view option) {
  return "--" + std::string(option);
}

/// The options of the table that the user gave to this verb.
std::vector<const OptionScope*> given_scopes(const Verb& verb) {
  std::vector<const OptionScope*> given;
  for (const OptionScope& scope : scope_table())
    if (verb.is_given(dashed(scope.name))) given.push_back(&scope);
  return given;
}

bool shares_format(const OptionScope& scope, const std::vector<std::string_view>& formats) {
  return scope.formats.empty() || std::ranges::any_of(formats, [&](std::string_view format) {
           return std::ranges::find(scope.formats, format) != scope.formats.end();
         });
}

/// The formats of the table that are files, without kinds of indexes.
std::vector<std::string_view> file_formats(const OptionScope& scope) {
  std::vector<std::string_view> formats = scope.formats;
  std::erase_if(formats, [](std::string_view name) {
    return name == "hnsw" || name == "vamana" || name == "none";
  });
  return formats;
}

/// Looks at the options of reading vectors, or at all others.
Result<void> check_formats(const Verb& verb, const std::vector<std::string_view>& formats,
                           bool of_reading, std::string_view what) {
  for (const OptionScope* scope : given_scopes(verb)) {
    if ((scope->group == reading) != of_reading || shares_format(*scope, formats)) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--{} is for {}; {}: {}", scope->name,
                            fmt::join(file_formats(*scope), ", "), what, fmt::join(formats, ", ")));
  }
  return {};
}

/// An error about the format of an output, with the option that names one.
std::unexpected<Error> with_option(const Verb& verb, const Error& error,
                                   const OutputOptions& options) {
  const char* option = verb.has("--to") ? "--to" : "--output-format";
  return fail(error.code(), options.format.empty() ? fmt::format("{} with {}", error.what(), option)
                                                   : fmt::format("{}: {}", option, error.what()));
}

}  // namespace

Result<std::vector<OutputTarget>> outputs_of(const Verb& verb,
                                             const std::vector<std::filesystem::path>& paths,
                                             const OutputOptions& options) {
  auto outputs = resolve_outputs(paths, options);
  if (!outputs) return with_option(verb, outputs.error(), options);
  std::vector<std::string_view> formats;
  for (const OutputTarget& output : *outputs) formats.push_back(output.format->name);
  if (verb.is_given("--output-ranges") && options.type != OutputType::int8)
    return fail(ErrorCode::invalid_argument, "--output-ranges is for --output-type int8");
  EMBD_TRY(check_formats(verb, formats, /*of_reading=*/false, "to be written"));
  return outputs;
}

Result<void> check_input_scopes(const Verb& verb, const std::vector<std::filesystem::path>& inputs,
                                const ReadOptions& options) {
  std::vector<std::string_view> formats;
  for (const std::filesystem::path& path : inputs)
    formats.push_back(EMBD_TRY(format_of_input(path, options.format))->name);
  return check_formats(verb, formats, /*of_reading=*/true, "to be read");
}

Result<void> check_index_scopes(const Verb& verb, std::string_view kind) {
  for (const OptionScope* scope : given_scopes(verb)) {
    if (scope->group == reading || shares_format(*scope, {kind})) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--{} is for {} indexes; this is {}", scope->name,
                            fmt::join(scope->formats, ", "),
                            kind == "none" ? "a set of vectors without one" : kind));
  }
  return {};
}

Result<void> check_needs(const Verb& verb) {
  for (const OptionScope* scope : given_scopes(verb)) {
    if (scope->needs.empty() || verb.has_value(dashed(scope->needs))) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--{} does nothing without --{}", scope->name, scope->needs));
  }
  return {};
}

}  // namespace embd::cli
