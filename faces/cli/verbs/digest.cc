
#include "embd/digest.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"

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
  auto [verb, options] = program.add_verb(
      "digest", "Computes one number over all rows, whatever their order and their parts", digest);
  verb.add_option("FILE", options.vectors, "A vector set").required();
  add_text_inputs(verb, options.texts, "TEXTS");
  add_token_ids_field(verb, options.texts.options);
  for (const std::string& name : text_options()) verb.option(name).needs("TEXTS");
  verb.option("--token-ids-field").needs("TEXTS");
  add_read_options(verb, options.read);
}

}  // namespace embd::cli
