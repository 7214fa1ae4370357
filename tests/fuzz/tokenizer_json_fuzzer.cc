// Any bytes as the tokenizer.json of a folder, under every kind of tokenizer and the names of
// classes. What is read has a score a piece, a good character map, merges of its tokens, and
// special and added tokens that are in the vocabulary; and a tokenizer that is made of it reads
// texts.
#include <string>
#include <vector>

#include "formats/weights/huggingface/folder_tokenizer.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"
#include "tests/support/folder_tokenizer.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/unigram/normalizer.h"

namespace {

using namespace embd;
using fuzz::require;
using huggingface::FolderTokenizer;

/// Makes the tokenizer and lets it read a text with its own tokens.
void read_texts(const FolderTokenizer& read) {
  const auto data = testing::FolderTokenizerData::create(read);
  if (!data) return require(!data.error().message().empty());
  std::string text = "a B\u00e9 1's  \u4e2d\xff";
  for (std::size_t id = 0; id < read.vocab.size() && text.size() < 2000; ++id)
    text += " " + read.vocab[id] + read.vocab[read.vocab.size() - 1 - id];
  TokenizerWorker worker((*data)->tokenizer());
  std::vector<std::int32_t> ids;
  std::vector<ByteRange> ranges;
  const auto encoded = worker.encode(text, {}, {.ids = &ids, .ranges = &ranges});
  require(!encoded || (ids.size() == ranges.size() && encoded->tokens == ids.size()));
  for (const std::int32_t id : ids)
    require(id >= 0 && static_cast<std::size_t>(id) < read.vocab.size());
  (void)(*data)->tokenizer().decode(ids, true);
}

void check(const Result<FolderTokenizer>& tokenizer) {
  if (!tokenizer) return require(!tokenizer.error().message().empty());
  for (const std::int32_t id : tokenizer->special.ids())
    require(id >= 0 && static_cast<std::size_t>(id) < tokenizer->vocab.size());
  for (const AddedToken& token : tokenizer->added_tokens)
    require(token.id >= 0 && static_cast<std::size_t>(token.id) < tokenizer->vocab.size());
  for (const std::uint32_t part : tokenizer->merges) require(part < tokenizer->vocab.size());
  read_texts(*tokenizer);
  if (tokenizer->kind != TokenizerKind::unigram) return;
  require(tokenizer->scores.size() <= tokenizer->vocab.size());
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
  for (const char* class_name :
       {"XLMRobertaTokenizer", "CamembertTokenizer", "PreTrainedTokenizer"})
    check(huggingface::read_unigram(files, class_name));
  for (const char* class_name : {"RobertaTokenizer", "PreTrainedTokenizer"})
    check(huggingface::read_bpe(files, class_name));
  check(huggingface::read_wordpiece(files, "PreTrainedTokenizer"));
  return 0;
}
