#include "cli/model_options.h"

#include "base/try.h"
#include "cli/find_model.h"

namespace embd::cli {

void add_model_options(CLI::App& verb, ModelOptions& options) {
  verb.add_option("-m,--model", options.model, "EMBD weight file")->type_name("FILE");
  verb.add_option("--vocab", options.vocab,
                  "vocab.txt or tokenizer.json for a model without its own")
      ->type_name("FILE");
}

void add_token_options(CLI::App& verb, ModelOptions& options) {
  verb.add_option("--max-length", options.encode.max_length,
                  "Tokens a text is cut to, both special ones counted (the model's)")
      ->type_name("N");
  verb.add_option("--prompt", options.encode.prompt, "Put before every text")->type_name("TEXT");
}

void add_window_options(CLI::App& verb, ModelOptions& options) {
  EncodeOptions& encode = options.encode;
  verb.add_option_function<std::uint32_t>(
          "--windows",
          [&encode](std::uint32_t tokens) {
            encode.max_length = tokens;
            if (encode.windows == Windows::none) encode.windows = Windows::rows;
          },
          "A longer text becomes windows of N tokens, both special ones counted")
      ->excludes("--max-length")
      ->type_name("N");
  verb.add_option("--stride", encode.stride,
                  "Tokens from the start of a window to the next (no overlap)")
      ->needs("--windows")
      ->type_name("S");
  verb.add_option_function<std::string>(
          "--window-pooling",
          [&encode](const std::string& name) {
            encode.windows = name == "mean" ? Windows::mean : Windows::rows;
          },
          "One row a text, or one a window with the id line#window (none)")
      ->needs("--windows")
      ->check(CLI::IsMember({"mean", "none"}))
      ->type_name("mean|none");
}

void add_encode_options(CLI::App& verb, ModelOptions& options) {
  EncodeOptions& encode = options.encode;
  verb.add_option("-t,--threads", encode.threads,
                  "Busy threads, tokenizing included (what affinity and the cgroup allow)")
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  verb.add_option("--batch-tokens", encode.batch_tokens,
                  "Tokens a worker takes at a time; changes no byte of the result")
      ->type_name("N");
  verb.add_option_function<std::string>(
          "--pooling",
          [&encode](const std::string& name) {
            encode.pooling = name == "cls"   ? Pooling::cls
                             : name == "max" ? Pooling::max
                                             : Pooling::mean;
          },
          "How token vectors become one (the model's)")
      ->check(CLI::IsMember({"mean", "cls", "max"}))
      ->type_name("mean|cls|max");
  verb.add_flag_callback(
      "--no-normalize", [&encode] { encode.normalize = false; }, "Keep the vectors' lengths");
  verb.add_option("--truncate-dim", encode.truncate_dim, "Keep the first D components")
      ->type_name("D");
  verb.add_option("--compute", options.compute, "Arithmetic of the weight matrices (f32)")
      ->check(CLI::IsMember({"f32", "bf16", "int8"}))
      ->type_name("f32|bf16|int8");
}

Result<Model> open_model(const ModelOptions& options) {
  const Compute compute = options.compute == "bf16"   ? Compute::bf16
                          : options.compute == "int8" ? Compute::int8
                                                      : Compute::f32;
  return Model::open(EMBD_TRY(find_model(options.model)),
                     {.vocab = options.vocab, .compute = compute});
}

}  // namespace embd::cli
