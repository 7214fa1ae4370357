#include "faces/server/text_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace embd::server {

Answerable<std::uint32_t> checked_dimensions(const Model& model, std::optional<std::uint64_t> asked,
                                             const std::string& param) {
  if (!asked) return 0;
  const std::uint32_t dim = model.dim();
  if (*asked == 0 || *asked > dim) {
    return refuse_field(param, fmt::format("must be from 1 to {}", dim));
  }
  return static_cast<std::uint32_t>(*asked);
}

Answerable<std::string> checked_prompt_name(const Model& model,
                                            const std::optional<std::string>& asked) {
  if (!asked) return std::string();
  const auto& prompts = model.prompts();
  if (std::ranges::find(prompts, *asked, &Prompt::name) != prompts.end()) return *asked;
  return refuse(Problem::invalid, fmt::format("the model has no prompt named \"{}\"", *asked),
                "prompt_name");
}

Answerable<std::optional<TruncationSide>> checked_side(const std::optional<std::string>& asked) {
  if (!asked) return std::nullopt;
  if (*asked == "left" || *asked == "Left") return TruncationSide::left;
  if (*asked == "right" || *asked == "Right") return TruncationSide::right;
  return refuse(Problem::invalid, "`truncation_direction` must be \"Left\" or \"Right\"",
                "truncation_direction");
}

namespace {

/// A use of embeddings, and the name of the prompt for it.
struct Use {
  std::string_view name;
  std::string_view prompt;  ///< empty: no prompt, unless the model has one with the name of the use
};
/// The uses in the APIs of Cohere, Voyage and Jina.
constexpr Use uses[] = {
    {"search_query", "query"},
    {"search_document", "document"},
    {"query", "query"},
    {"document", "document"},
    {"passage", "document"},
    {"retrieval.query", "query"},
    {"retrieval.passage", "document"},
    {"classification", {}},
    {"clustering", {}},
    {"text-matching", {}},
    {"separation", {}},
};

}  // namespace

Answerable<std::string> prompt_for(const Model& model, const std::optional<std::string>& use,
                                   const std::string& param) {
  if (!use) return std::string();
  const auto is_prompt = [&](std::string_view name) {
    return std::ranges::find(model.prompts(), name, &Prompt::name) != model.prompts().end();
  };
  if (is_prompt(*use)) return *use;
  std::string names;
  for (const Use& known : uses) {
    if (known.name == *use) return std::string(is_prompt(known.prompt) ? known.prompt : "");
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return refuse_field(param, fmt::format("must be one of {}, not \"{}\"", names, *use));
}

Answerable<std::optional<std::uint32_t>> checked_length(const Model& model,
                                                        std::optional<std::uint64_t> asked,
                                                        const std::string& param) {
  if (!asked) return std::nullopt;
  constexpr std::uint64_t least = 3;  // the special tokens and one token of the text
  if (*asked < least) return refuse_field(param, fmt::format("must be {} or more", least));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(*asked, model.max_length()));
}

}  // namespace embd::server
