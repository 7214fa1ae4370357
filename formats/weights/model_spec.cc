#include "formats/weights/model_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/utf8.h"
#include "tokenizer/added_tokens.h"

namespace embd {

std::uint32_t ModelSpec::least_length() const {
  const TokenTemplate tokens = token_template();
  return static_cast<std::uint32_t>(head == HeadKind::classifier ? tokens.least_length_of_pair()
                                                                 : tokens.least_length());
}

std::vector<AddedToken> ModelSpec::tokens_in_texts(const SpecialTokenIds& special) const {
  std::vector<AddedToken> tokens = with_special_tokens(special, added_tokens);
  const bool mask_strips = tokenizer == TokenizerKind::unigram && mask_lstrip;
  const auto is_mask = [&](const AddedToken& token) { return token.id == special.mask; };
  if (mask_strips && std::ranges::none_of(added_tokens, is_mask))
    std::ranges::find_if(tokens, is_mask)->lstrip = true;
  return tokens;
}

namespace {

/// A family of models whose texts begin with prompts.
struct Family {
  std::string_view words;     ///< The words that the name of a model of the family contains.
  std::string_view query;     ///< The prompt of queries.
  std::string_view document;  ///< The prompt of other texts; empty if they have none.
};

constexpr std::string_view represent = "Represent this sentence for searching relevant passages: ";

/// The families, as their model cards describe them. The first that fits is taken.
constexpr auto families = std::to_array<Family>({
    {"e5 instruct", "Instruct: TASK\nQuery: ", ""},
    {"e5", "query: ", "passage: "},
    {"bge en", represent, ""},
    {"bge zh", "为这个句子生成表示以用于检索相关文章：", ""},
    {"nomic embed", "search_query: ", "search_document: "},
    {"modernbert embed", "search_query: ", "search_document: "},
    {"mxbai embed", represent, ""},
    {"uae large", represent, ""},
    {"qwen3 embedding", "Instruct: TASK\nQuery:", ""},
    {"embeddinggemma", "task: search result | query: ", "title: none | text: "},
    {"arctic embed v2", "query: ", ""},
    {"arctic embed", represent, ""},
});

/// Returns the words of a name in lower case: "bge-small-en-v1.5" has bge, small, en, v1 and 5.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : in_small_letters(name)) {
    if (is_ascii_alphanumeric(c))
      words.back() += c;
    else
      words.emplace_back();
  }
  return words;
}

const Family* family_of(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const auto fits = [&](const Family& family) {
    return std::ranges::all_of(words_of(family.words), [&](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    });
  };
  const auto found = std::ranges::find_if(families, fits);
  return found == families.end() ? nullptr : &*found;
}

}  // namespace

std::optional<ModelNote> note_missing_prompts(std::span<const std::string> names,
                                              std::span<const Prompt> prompts) {
  if (!std::ranges::all_of(prompts, &std::string::empty, &Prompt::text)) return std::nullopt;
  for (const std::string& name : names) {
    const Family* family = family_of(name);
    if (family == nullptr) continue;
    const std::string where =
        family->document.empty()
            ? fmt::format("queries, and no other texts, with {:?}", family->query)
            : fmt::format("queries with {:?} and all other texts with {:?}", family->query,
                          family->document);
    return ModelNote{NoteKind::missing_prompts,
                     fmt::format("models like {} need prompts, but the configuration of this one "
                                 "has none: begin {}",
                                 name, where)};
  }
  return std::nullopt;
}

}  // namespace embd
