#include "server/text_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "server/service.h"

namespace embd::server {

Answerable<std::uint32_t> checked_dimensions(const Service& service,
                                             std::optional<std::uint64_t> asked,
                                             const std::string& param) {
  if (!asked) return 0;
  const std::uint32_t dim = service.model().dim();
  if (*asked == 0 || *asked > dim) {
    return refuse(Problem::invalid, fmt::format("\"{}\" must be from 1 to {}", param, dim), param);
  }
  return static_cast<std::uint32_t>(*asked);
}

Answerable<std::string> checked_prompt_name(const Service& service,
                                            const std::optional<std::string>& asked) {
  if (!asked) return std::string();
  const auto& prompts = service.model().prompts();
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

Answerable<void> use_task(const std::optional<std::string>& input_type, TextsRequest& request) {
  if (!input_type) return {};
  if (*input_type == "search_query") request.options.prompt_name = "query";
  if (*input_type == "search_document") request.options.prompt_name = "document";
  constexpr std::string_view known[] = {"search_query", "search_document", "classification",
                                        "clustering"};
  if (std::ranges::find(known, *input_type) == std::end(known)) {
    return refuse(Problem::invalid,
                  fmt::format("\"input_type\" must be search_query, search_document, "
                              "classification or clustering, not \"{}\"",
                              *input_type),
                  "input_type");
  }
  return {};
}

}  // namespace embd::server
