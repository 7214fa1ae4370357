#include <utility>

#include "base/os/signals.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/vector_options.h"
#include "jobs/convert/convert.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {
namespace {

struct ConvertRequest {
  std::vector<std::filesystem::path> paths;  // the inputs, then the output
  ConvertOptions convert;
  const Verb* verb = nullptr;
};

/// Reads "A:B", a range of rows. A or B may be missing.
Result<void> parse_rows(const std::string& text, ConvertOptions& options) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return unexpected_value(text, "A:B, such as 0:1000");
  const std::string first = text.substr(0, colon);
  const std::string end = text.substr(colon + 1);
  if (!first.empty()) options.first_row = EMBD_TRY(parse_number(first, 0, UINT64_MAX));
  if (!end.empty()) options.end_row = EMBD_TRY(parse_number(end, 0, UINT64_MAX));
  return {};
}

Result<ExitCode> convert(const ConvertRequest& options) {
  const os::Interrupt interrupt;
  std::vector<std::filesystem::path> inputs = options.paths;
  const std::filesystem::path output = inputs.back();
  inputs.pop_back();
  EMBD_TRY(check_needs(*options.verb));
  EMBD_TRY(check_input_scopes(*options.verb, inputs, options.convert.read));
  const auto outputs = EMBD_TRY(outputs_of(*options.verb, {output}, options.convert.output));
  const ConvertPlan plan = {std::move(inputs), outputs.front(), options.convert};
  EMBD_TRY(check_roles(plan));
  const ConvertReport report = EMBD_TRY(convert_vectors(plan, interrupt.token()));
  say_conversion(output, report);
  return ExitCode::good;
}

}  // namespace

void add_convert(Verb& program) {
  auto [verb, options] = program.add_verb(
      "convert", "Converts vector sets to one vector set in another format", convert);
  ConvertOptions& convert = options.convert;
  verb.add_option("PATH", options.paths,
                  "The inputs, whose rows are put one after the other, and last the output")
      .required()
      .expected(2, unlimited)
      .type_name("IN... OUT");
  add_read_options(verb, convert.read);
  add_output_options(verb, convert.output, "to");
  add_listed<&FinalfusionOptions::normalize>(verb, convert.output.write.finalfusion.normalize);
  add_listed<&ConvertOptions::first_row>(verb, convert.first_row).store =
      [&convert](const std::vector<std::string>& texts) {
        return parse_rows(texts.front(), convert);
      };
  add_listed<&ConvertOptions::force>(verb, convert.force);
}

}  // namespace embd::cli
