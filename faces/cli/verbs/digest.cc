#include <memory>

#include "base/try.h"
#include "embd/digest.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/input_options.h"
#include "faces/cli/options/option_scopes.h"
#include "faces/cli/options/read_options.h"
#include "faces/cli/standard_output.h"

namespace embd::cli {
namespace {

struct DigestRequest {
  std::string vectors;
  TextInputs texts;
  ReadOptions read;
  const Verb* verb = nullptr;
};

Result<ExitCode> digest(const DigestRequest& options) {
  EMBD_TRY(check_input_scopes(*options.verb, {options.vectors}, options.read));
  const Digest found = EMBD_TRY(
      digest_file(options.vectors, options.read, options.texts.paths, options.texts.options));
  EMBD_TRY(print_to_standard_output(found.to_json() + "\n"));
  return ExitCode::good;
}

}  // namespace

void add_digest(Verb& program) {
  auto options = std::make_shared<DigestRequest>();
  Verb& verb = program.add_verb(
      "digest", "Computes one number over all rows, whatever their order and their parts",
      [options] { return digest(*options); });
  verb.add_option("FILE", options->vectors, "A vector set").required();
  add_text_inputs(verb, options->texts, "TEXTS");
  add_token_ids_field(verb, options->texts.options);
  for (const std::string& name : text_options()) verb.option(name).needs("TEXTS");
  verb.option("--token-ids-field").needs("TEXTS");
  add_read_options(verb, options->read);
  options->verb = &verb;
}

}  // namespace embd::cli
