#include "faces/cli/options/analysis_options.h"

#include "base/path_text.h"
#include "base/try.h"
#include "faces/cli/options/vector_options.h"
#include "jobs/analysis/analysis_input.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {
namespace {

/// Checks that each option on the command line is for this kind of input, so that it does
/// something.
Result<void> check_given(const Verb& verb, bool are_texts, bool has_text_file) {
  if (are_texts) {
    for (const char* name : {"--dtype", "--column", "--section", "--all-rows", "--unnormalize"}) {
      if (verb.is_given(name))
        return fail(ErrorCode::invalid_argument,
                    "{} applies to an input of vectors, but the input is texts: leave {} out", name,
                    name);
    }
    return {};
  }
  for (const char* name :
       {"--model", "--vocab", "--max-length", "--prompt", "--prompt-name", "--truncate-side",
        "--batch-tokens", "--pooling", "--no-normalize", "--truncate-dim", "--compute"}) {
    if (verb.is_given(name))
      return fail(ErrorCode::invalid_argument,
                  "{} applies to an input of texts, but the input is vectors: leave {} out", name,
                  name);
  }
  const auto text_option = given_text_option(verb);
  if (!text_option || has_text_file) return {};
  return fail(ErrorCode::invalid_argument,
              "{} applies to texts, but the input is vectors and no texts were given: name their "
              "file with --texts",
              *text_option);
}

}  // namespace

void add_analysis_options(Verb& verb, AnalysisRequest& request) {
  verb.add_option("INPUT", request.paths,
                  "Texts: files (.txt, .jsonl, .csv, .tsv) and folders; - is standard input; or a "
                  "vector set")
      .type_name("INPUT...");
  add_listed<&MapFileOptions::texts>(verb, request.texts);
  add_text_options(verb, request.input);
  add_read_options(verb, request.read);
  add_model_options(verb, request.model);
  add_token_options(verb, request.model);
  add_encode_options(verb, request.model);
}

Result<void> with_model(const Verb& verb, const AnalysisRequest& request,
                        const std::function<Result<void>(const Model*)>& job) {
  EMBD_TRY(check_needs(verb));
  const bool are_texts = EMBD_TRY(holds_texts({.paths = paths_or_standard_input(request.paths),
                                               .texts = path_of_text(request.texts),
                                               .read = request.read,
                                               .input = request.input}));
  EMBD_TRY(check_given(verb, are_texts, !request.texts.empty()));
  if (!are_texts) {
    EMBD_TRY(check_input_scopes(verb, request.paths, request.read));
    return job(nullptr);
  }
  const Model model = EMBD_TRY(open_model(request.model));
  return job(&model);
}

}  // namespace embd::cli
