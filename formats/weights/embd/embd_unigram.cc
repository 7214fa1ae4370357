#include "formats/weights/embd/embd_unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/try.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"
#include "tokenizer/double_array_builder.h"

namespace embd {
namespace {

namespace d = embd_layout::descriptor;

constexpr const char* dimensions(unsigned rank) {
  return rank == 1 ? "one dimension" : "two dimensions";
}

/// Checks that the values can be used in place.
Result<void> check_alignment(const Tensor& tensor, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignment == 0) return {};
  return fail_at(ErrorCode::tensor_misaligned, tensor.descriptor_at, d::data_offset,
                 fmt::format("{} lies at byte {}, expected a multiple of {}", tensor.name,
                             tensor.file_offset, alignment));
}

}  // namespace

Result<const Tensor*> find_tokenizer_table(const TensorIndex& index, std::string_view name,
                                           ElementType type, unsigned rank,
                                           std::uint64_t index_at) {
  const Tensor* tensor = index.find(name);
  if (tensor == nullptr) {
    return std::unexpected(Error(ErrorCode::tensor_missing, std::string(name)).at_offset(index_at));
  }
  const std::uint64_t at = tensor->descriptor_at;
  if (tensor->type != type) {
    return fail_at(
        ErrorCode::tensor_wrong_type, at, d::dtype,
        fmt::format("{} is {}, expected {}", name, element_name(tensor->type), element_name(type)));
  }
  if (tensor->shape.rank != rank) {
    return fail_at(
        ErrorCode::tensor_wrong_shape, at, d::ndim,
        fmt::format("{} is {}, expected {}", name, tensor->shape.text(), dimensions(rank)));
  }
  EMBD_TRY(check_alignment(*tensor, element_bits(type) / 8));
  return tensor;
}

Result<const Tensor*> find_pairs(const TensorIndex& index, std::string_view name,
                                 std::uint64_t index_at) {
  const Tensor* pairs = EMBD_TRY(find_tokenizer_table(index, name, ElementType::u32, 2, index_at));
  if (pairs->shape.dims[1] == 2) return pairs;
  return fail_at(ErrorCode::tensor_wrong_shape, pairs->descriptor_at, d::shape[1],
                 fmt::format("{} is {}, expected two columns", name, pairs->shape.text()));
}

namespace {

Result<const Tensor*> find_table(const TensorIndex& index, UnigramTable table, ElementType type,
                                 std::uint64_t index_at) {
  return find_tokenizer_table(index, table_name(table), type, 1, index_at);
}

/// Finds the scores: f32, or pairs of u32 with the bits of f64, a type that tensors cannot have.
Result<const Tensor*> find_scores(const TensorIndex& index, std::uint64_t index_at) {
  const std::string_view name = table_name(UnigramTable::scores);
  const Tensor* found = index.find(name);
  if (found == nullptr || found->type != ElementType::u32)
    return find_table(index, UnigramTable::scores, ElementType::f32, index_at);
  const Tensor* pairs = EMBD_TRY(find_pairs(index, name, index_at));
  EMBD_TRY(check_alignment(*pairs, sizeof(double)));
  return pairs;
}

unigram::Scores values_of(const Tensor& scores) {
  if (const auto floats = view_floats(scores)) return *floats;
  return std::span(reinterpret_cast<const double*>(scores.data.data()), scores.shape.dims[0]);
}

/// Returns the tokens that the model cuts words into. Tokens behind them are only added.
std::span<const std::string_view> pieces_of(const WeightFile& file) {
  return file.vocab().first(unigram::size_of(file.unigram_tables().scores));
}

/// Returns the least number of pieces: every token behind the pieces is an added one.
std::uint32_t least_pieces(const ModelSpec& spec) {
  std::vector<std::uint32_t> ids;
  for (const AddedToken& token : spec.added_tokens)
    ids.push_back(static_cast<std::uint32_t>(token.id));
  std::ranges::sort(ids);
  std::uint32_t least = spec.vocab_size;
  for (; !ids.empty() && ids.back() + 1 == least; ids.pop_back()) --least;
  return least;
}

/// Reads the character map. Its errors name a byte of the map, which becomes a byte of the file.
Result<unigram::CharacterMap> read_character_map(const Tensor& tensor) {
  auto map = unigram::CharacterMap::create(tensor.data);
  if (map) return map;
  const Error& error = map.error();
  return std::unexpected(Error(error.code(), fmt::format("{}: {}", tensor.name, error.what()))
                             .at_offset(tensor.file_offset + error.offset().value_or(0)));
}

/// Makes the tensor of a table from a copy of its bytes.
TensorSource table_of(UnigramTable table, ElementType type, TensorShape shape, Bytes values) {
  return {.name = std::string(table_name(table)),
          .type = type,
          .shape = shape,
          .read = [copy = std::vector(values.begin(), values.end())](
                      std::vector<std::byte>& bytes) -> Result<void> {
            bytes = copy;
            return {};
          }};
}

TensorSource scores_tensor(std::span<const double> scores) {
  const auto count = static_cast<std::uint32_t>(scores.size());
  const std::vector<float> floats(scores.begin(), scores.end());
  if (std::ranges::equal(floats, scores))
    return table_of(UnigramTable::scores, ElementType::f32, {count},
                    std::as_bytes(std::span(floats)));
  return table_of(UnigramTable::scores, ElementType::u32, {count, 2}, std::as_bytes(scores));
}

}  // namespace

Result<UnigramTables> find_unigram_tables(const TensorIndex& index, const ModelSpec& spec,
                                          std::uint64_t index_at) {
  const std::uint32_t vocab_size = spec.vocab_size;
  const Tensor* scores = EMBD_TRY(find_scores(index, index_at));
  const std::uint32_t num_pieces = scores->shape.dims[0];
  if (num_pieces > vocab_size || num_pieces < least_pieces(spec)) {
    return fail_at(ErrorCode::tensor_wrong_shape, scores->descriptor_at, d::shape[0],
                   fmt::format("{} is {}, but there are {} tokens", scores->name,
                               scores->shape.text(), vocab_size));
  }
  UnigramTables tables;
  tables.scores = values_of(*scores);
  tables.trie = EMBD_TRY(find_table(index, UnigramTable::trie, ElementType::u32, index_at));
  tables.character_map =
      EMBD_TRY(find_table(index, UnigramTable::character_map, ElementType::u8, index_at));
  return tables;
}

Result<std::unique_ptr<const UnigramTokenizer>> make_unigram_tokenizer(const WeightFile& file) {
  const UnigramTables& tables = file.unigram_tables();
  const ModelSpec& spec = file.spec();
  const auto characters = EMBD_TRY(read_character_map(*tables.character_map));
  return UnigramTokenizer::create(
      {.pieces = {.texts = pieces_of(file), .scores = tables.scores, .trie = tables.trie->data},
       .tokens = file.vocab(),
       .characters = characters,
       .special = file.special_tokens(),
       .added = spec.tokens_in_texts(file.special_tokens())},
      {.words = spec.words,
       .pieces = {.unk = spec.unknown_piece.value_or(file.special_tokens().unk),
                  .byte_fallback = spec.byte_fallback},
       .pair_template = spec.pair_template,
       .has_types = spec.token_types > 0});
}

Result<void> check_unigram(const WeightFile& file) {
  EMBD_TRY(make_unigram_tokenizer(file));
  const Tensor& trie = *file.unigram_tables().trie;
  const std::span units(reinterpret_cast<const std::uint32_t*>(trie.data.data()),
                        trie.num_values());
  auto checked = check_double_array(units, pieces_of(file));
  if (checked) return {};
  return std::unexpected(std::move(checked).error().at_offset(trie.file_offset));
}

Result<std::vector<TensorSource>> unigram_tensors(std::span<const std::string> tokens,
                                                  std::span<const double> scores,
                                                  std::string_view character_map) {
  const auto pieces = tokens.first(scores.size());
  const std::vector<std::string_view> keys(pieces.begin(), pieces.end());
  const std::vector<std::uint32_t> units = EMBD_TRY(build_double_array(keys));
  const auto num_units = static_cast<std::uint32_t>(units.size());
  const auto map_bytes = static_cast<std::uint32_t>(character_map.size());
  return std::vector{
      scores_tensor(scores),
      table_of(UnigramTable::trie, ElementType::u32, {num_units}, std::as_bytes(std::span(units))),
      table_of(UnigramTable::character_map, ElementType::u8, {map_bytes}, as_bytes(character_map))};
}

}  // namespace embd
