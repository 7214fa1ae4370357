#include "cli/options/model_options.h"

#include "base/try.h"
#include "cli/find_model.h"
#include "cli/options/values.h"

namespace embd::cli {

void add_model_options(Verb& verb, ModelOptions& options) {
  verb.add_option("-m,--model", options.model, "Weight file, Hugging Face folder, or a name")
      .type_name("FILE");
  verb.add_option("--vocab", options.vocab,
                  "vocab.txt or tokenizer.json for a model without its own")
      .type_name("FILE");
}

void add_token_options(Verb& verb, ModelOptions& options) {
  add_number(verb, "--max-length", options.encode.max_length,
             "Tokens a text is cut to, special ones counted (the model's)");
  verb.add_option("--prompt", options.encode.prompt, "Put before every text (the model's)")
      .type_name("TEXT");
  verb.add_option("--prompt-name", options.encode.prompt_name,
                  "The prompt by its name in the model's configuration, such as query or document")
      .excludes({"--prompt"})
      .type_name("NAME");
  add_choice<TruncationSide>(verb, "--truncate-side", options.encode.truncation_side,
                             {truncation_side_names.begin(), truncation_side_names.end()},
                             "Which end of a longer text is cut off (the model's)");
}

void add_window_options(Verb& verb, ModelOptions& options) {
  EncodeOptions& encode = options.encode;
  verb.add_parsed(
          "--windows",
          [&encode](const std::string& tokens) -> Result<void> {
            encode.max_length =
                static_cast<std::uint32_t>(EMBD_TRY(parse_number(tokens, 0, UINT32_MAX)));
            if (encode.windows == Windows::none) encode.windows = Windows::rows;
            return {};
          },
          "A longer text becomes windows of N tokens, special ones counted")
      .excludes({"--max-length"})
      .type_name("N");
  add_number(verb, "--stride", encode.stride,
             "Tokens from the start of a window to the next (no overlap)", 1)
      .needs("--windows");
  add_choice<Windows>(verb, "--window-pooling", encode.windows,
                      {{"mean", Windows::mean}, {"none", Windows::rows}},
                      "One row a text, or one a window with the id line#window (none)")
      .needs("--windows");
}

Option& add_threads(Verb& verb, int& threads) {
  return add_number(verb, "-t,--threads", threads,
                    "Busy threads, tokenizing included (what affinity and the cgroup allow)", 0,
                    1 << 16);
}

void add_compute(Verb& verb, std::optional<Compute>& compute, const std::string& description) {
  add_choice<Compute>(verb, "--compute", compute,
                      {{"f32", Compute::f32}, {"bf16", Compute::bf16}, {"int8", Compute::int8}},
                      description);
}

void add_encode_options(Verb& verb, ModelOptions& options) {
  EncodeOptions& encode = options.encode;
  add_threads(verb, encode.threads);
  add_number(verb, "--batch-tokens", encode.batch_tokens,
             "Tokens a worker takes at a time; changes no byte of the result");
  add_choice<Pooling>(verb, "--pooling", encode.pooling,
                      {pooling_names.begin(), pooling_names.end()},
                      "How token vectors become one (the model's)");
  verb.add_negative_flag("--no-normalize", encode.normalize, "Keep the vectors' lengths");
  add_number(verb, "--truncate-dim", encode.truncate_dim, "Keep the first D components")
      .type_name("D");
  add_compute(verb, options.compute, "Arithmetic of the weight matrices (f32)");
}

void reads_model(PathRoles& roles, const ModelOptions& options) {
  if (const auto model = find_model(options.model)) roles.reads("--model", *model);
  roles.reads("--vocab", options.vocab);
}

Result<Model> open_model(const ModelOptions& options) {
  return Model::open(EMBD_TRY(find_model(options.model)),
                     {.vocab = options.vocab,
                      .compute = options.compute.value_or(Compute::f32),
                      .hash_record = options.hash_record});
}

}  // namespace embd::cli
