// Any bytes as the tokenizer.json of a folder, under either kind of tokenizer and both names of
// classes. What is read has a score a piece, a good character map and special tokens that are
// pieces.
#include <vector>

#include "formats/weights/huggingface/unigram_files.h"
#include "formats/weights/huggingface/wordpiece_files.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"
#include "tokenizer/unigram/character_map.h"

namespace {

using namespace embd;
using fuzz::require;
using huggingface::FolderTokenizer;

void check(const Result<FolderTokenizer>& tokenizer) {
  if (!tokenizer) return require(!tokenizer.error().message().empty());
  for (const std::int32_t id : tokenizer->special.ids())
    require(id >= 0 && static_cast<std::size_t>(id) < tokenizer->vocab.size());
  if (tokenizer->kind != TokenizerKind::unigram) return;
  require(tokenizer->scores.size() == tokenizer->vocab.size());
  require(unigram::CharacterMap::create(as_bytes(tokenizer->character_map)).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  huggingface::TokenizerFiles files;
  auto json = huggingface::JsonFile::read(file.path());
  if (!json) {
    require(!json.error().message().empty());
    return 0;
  }
  files.tokenizer = *std::move(json);
  for (const char* class_name : {"XLMRobertaTokenizer", "PreTrainedTokenizerFast"})
    check(huggingface::read_unigram(files, class_name));
  check(huggingface::read_wordpiece(files, "PreTrainedTokenizerFast"));
  return 0;
}
