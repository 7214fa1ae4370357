#include "formats/weights/model_spec.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace embd {
namespace {

std::string note_of(const std::string& name, const std::vector<Prompt>& prompts = {}) {
  const auto note = note_missing_prompts({&name, 1}, prompts);
  if (!note) return "";
  EXPECT_EQ(note->kind, NoteKind::missing_prompts);
  return note->text;
}

TEST(PromptFamilies, AreKnownByTheWordsOfAName) {
  for (const auto& [name, prompt] :
       {std::pair{"multilingual-e5-small", "\"query: \" and all other texts with \"passage: \""},
        {"intfloat/E5_base-v2", "\"passage: \""},
        {"models--intfloat--e5-large", "\"query: \""},
        {"multilingual-e5-large-instruct", "\"Instruct: TASK\\nQuery: \""},
        {"BAAI/bge-small-en-v1.5", "no other texts, with \"Represent this sentence"},
        {"bge-base-zh-v1.5", "为这个句子"},
        {"nomic-embed-text-v1.5", "\"search_query: \""},
        {"mxbai-embed-large-v1", "\"Represent this"},
        {"Qwen3-Embedding-0.6B", "no other texts, with \"Instruct: TASK\\nQuery:\""},
        {"google/embeddinggemma-300m", "all other texts with \"title: none | text: \""},
        {"snowflake-arctic-embed-l-v2.0", "no other texts, with \"query: \""},
        {"snowflake-arctic-embed-m", "\"Represent this"}}) {
    EXPECT_NE(note_of(name).find(prompt), std::string::npos) << name << ": " << note_of(name);
    EXPECT_NE(note_of(name).find(name), std::string::npos);
  }
}

TEST(PromptFamilies, OtherNamesHaveNoNote) {
  for (const char* name :
       {"", "all-MiniLM-L6-v2", "bge-m3", "gte-small", "e50-base", "the5", "bge-reranker-base"})
    EXPECT_EQ(note_of(name), "") << name;
}

TEST(PromptFamilies, AModelWithPromptsHasNoNote) {
  EXPECT_NE(note_of("e5-small", {{"query", ""}, {"document", ""}}), "");
  EXPECT_EQ(note_of("e5-small", {{"query", ""}, {"passage", "passage: "}}), "");
}

TEST(PromptFamilies, TheFirstNameOfAFamilyIsNamed) {
  const std::array<std::string, 3> names = {"mine", "e5-small", "bge-small-en"};
  EXPECT_NE(note_missing_prompts(names, {})->text.find("e5-small"), std::string::npos);
}

}  // namespace
}  // namespace embd
