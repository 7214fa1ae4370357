#include <fmt/format.h>

#include "base/messages.h"
#include "base/os/signals.h"
#include "base/try.h"
#include "embd/collect.h"
#include "embd/verify.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"
#include "formats/text/open_records.h"
#include "jobs/options/job_lists.h"
#include "jobs/recipe_check.h"

namespace embd::cli {
namespace {

struct VerifyRequest {
  std::string vectors;
  TextInputs texts;
  ReadOptions read;
  ModelOptions model;
  VerifyOptions verify;
  double tolerance = 0;
  const Verb* verb = nullptr;
};

std::string in_words(const Verification& result) {
  if (result.num_rows != result.num_expected)
    return fmt::format("{}, but {}{}\n", counted(result.num_rows, "row"),
                       counted(result.num_expected, result.has_window_rows ? "window" : "text"),
                       result.has_window_rows ? " of the texts" : "");
  return (result.has_recipe ? "" : "the rows have no recipe: ") + result.difference.text() + "\n";
}

/// Checks that texts are named, except for a collection, which has its own.
Result<void> check_texts(const VerifyRequest& options) {
  if (is_collection(options.vectors) == options.texts.paths.empty()) return {};
  return fail(ErrorCode::invalid_argument,
              options.texts.paths.empty()
                  ? "TEXTS is missing, expected the texts that the vectors were made of"
                  : "a collection has the texts of its passages: leave TEXTS out");
}

Result<ExitCode> verify(VerifyRequest& options) {
  const os::Interrupt interrupt;
  EMBD_TRY(check_needs(*options.verb));
  EMBD_TRY(check_texts(options));
  EMBD_TRY(check_input_scopes(*options.verb, {options.vectors}, options.read));
  if (is_collection(options.vectors))
    take_model_of(EMBD_TRY(collection_info(options.vectors)), options.model);
  const auto recipe = EMBD_TRY(EMBD_TRY(open_vectors(options.vectors, options.read))->recipe());
  if (recipe && !options.model.compute) options.model.compute = compute_of(*recipe);
  const Model model = EMBD_TRY(open_model(options.model));
  options.verify.encode = options.model.encode;
  options.verify.read = options.read;
  if (recipe) {
    EMBD_TRY(check_recipe(*recipe, model, options_of(*recipe, options.verify.encode, model),
                          options.vectors, options.verify.force));
  }
  // Comparing digests takes seconds, embedding may take hours. Digests cover all rows and exact
  // bytes, so they are not compared if only a sample is checked, a tolerance is given or the recipe
  // may be another one.
  std::string difference;
  const bool is_of_collection = is_collection(options.vectors);
  if (!is_of_collection && options.verify.sample == 0 && options.tolerance == 0 &&
      !options.verify.force)
    difference = EMBD_TRY(
        compare_digests(options.vectors, options.texts.paths, options.read, options.texts.options));
  if (!difference.empty())
    say("embd: the digest shows a difference: {}; the texts are embedded to find it\n", difference);
  const auto records =
      EMBD_TRY(is_of_collection
                   ? collection_texts(options.vectors)
                   : open_records(options.texts.paths, options.texts.options, interrupt.token()));
  const Verification result =
      EMBD_TRY(verify_records(model, options.vectors, *records, options.verify, interrupt.token()));
  if (result.has_other_input)
    say("embd: the SHA-256 of the input is not the one in the recipe: the file was changed after "
        "it "
        "was embedded, even if its texts are the same\n");
  EMBD_TRY(print_to_standard_output(in_words(result)));
  const bool is_good = result.is_good(options.tolerance) && difference.empty();
  return is_good ? ExitCode::good : ExitCode::difference;
}

}  // namespace

void add_verify(Verb& program) {
  auto [verb, options] = program.add_verb(
      "verify",
      "Embeds the texts of a vector set again and compares the vectors; exit 5 if they differ",
      verify);
  verb.add_option("VECTORS", options.vectors, "A vector set, or a collection without TEXTS")
      .required();
  add_text_inputs(verb, options.texts, "TEXTS");
  add_token_ids_field(verb, options.texts.options);
  add_read_options(verb, options.read);
  add_model_options(verb, options.model);
  add_token_options(verb, options.model);
  add_window_options(verb, options.model);
  add_encode_options(verb, options.model);
  add_some_listed(verb, options.verify, {"sample", "seed"});
  add_tolerance(verb, options.tolerance, "Largest difference allowed (0)").in(OptionGroup::running);
  add_listed<&VerifyOptions::force>(verb, options.verify.force);
}

}  // namespace embd::cli
