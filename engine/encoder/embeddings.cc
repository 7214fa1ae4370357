#include "engine/encoder/embeddings.h"

#include <algorithm>

#include "base/try.h"
#include "formats/weights/model_tensors.h"

namespace embd {
namespace {

Result<Matrix> load_table(const WeightFile& file, Module module) {
  const WeightMatrix stored = EMBD_TRY(file.matrix(weight_name(module)));
  Matrix table(stored.rows(), stored.cols());
  EMBD_TRY(stored.to_floats(table.values()));
  return table;
}

void add(std::span<const float> row, std::span<float> out) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += row[i];
}

}  // namespace

Result<Embeddings> Embeddings::load(const WeightFile& file) {
  Embeddings loaded;
  loaded.words_ = EMBD_TRY(file.matrix(weight_name(Module::word_embeddings)));
  loaded.words_in_place_ = loaded.words_.view();
  loaded.positions_ = EMBD_TRY(load_table(file, Module::position_embeddings));
  loaded.token_types_ = EMBD_TRY(load_table(file, Module::token_type_embeddings));
  loaded.gamma_ = EMBD_TRY(file.vector(weight_name(Module::embeddings_norm)));
  loaded.beta_ = EMBD_TRY(file.vector(bias_name(Module::embeddings_norm)));
  loaded.epsilon_ = static_cast<float>(file.spec().layer_norm_eps);
  loaded.position_offset_ = file.spec().position_offset;
  loaded.padding_ = file.special_tokens().pad;
  return loaded;
}

void Embeddings::sum(std::int32_t id, std::int64_t position, std::uint8_t type,
                     std::span<float> out) const noexcept {
  const auto word = static_cast<std::uint32_t>(id);
  if (words_in_place_) {
    std::ranges::copy(words_in_place_->row(word), out.begin());
  } else {
    // Cannot fail: the id is inside the vocabulary and the file was checked when it was opened.
    (void)words_.row_to_floats(word, 1, out);
  }
  add(positions_.row(static_cast<std::size_t>(position)), out);
  add(token_types_.row(type), out);
}

}  // namespace embd
