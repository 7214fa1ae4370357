#include "formats/weights/embd/embd_bpe.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/try.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/embd/embd_unigram.h"
#include "formats/weights/model_tensors.h"

namespace embd {

Result<std::span<const std::uint32_t>> find_merges(const TensorIndex& index,
                                                   std::uint64_t index_at) {
  const Tensor* merges = EMBD_TRY(find_pairs(index, merges_name(), index_at));
  return std::span(reinterpret_cast<const std::uint32_t*>(merges->data.data()),
                   merges->num_values());
}

Result<std::unique_ptr<const BpeTokenizer>> make_bpe_tokenizer(const WeightFile& file) {
  const ModelSpec& spec = file.spec();
  return BpeTokenizer::create(
      {.tables = {.tokens = file.vocab(), .merges = file.merges()},
       .special = file.special_tokens(),
       .added = spec.tokens_in_texts(file.special_tokens())},
      {.rules = spec.bpe, .pair_template = spec.pair_template, .has_types = spec.token_types > 0});
}

Result<void> check_bpe(const WeightFile& file) {
  static_cast<void>(EMBD_TRY(make_bpe_tokenizer(file)));
  return {};
}

TensorSource merges_tensor(std::span<const std::uint32_t> merges) {
  const Bytes values = std::as_bytes(merges);
  return {.name = std::string(merges_name()),
          .type = ElementType::u32,
          .shape = {static_cast<std::uint32_t>(merges.size() / 2), 2},
          .read = [copy = std::vector(values.begin(), values.end())](
                      std::vector<std::byte>& bytes) -> Result<void> {
            bytes = copy;
            return {};
          }};
}

}  // namespace embd
