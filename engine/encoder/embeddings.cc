#include "engine/encoder/embeddings.h"

#include <algorithm>
#include <cmath>

#include "base/os/mapped_file.h"
#include "base/try.h"

namespace embd {
namespace {

/// The size of a table up to which all of it may stay in memory.
constexpr std::size_t small_bytes = std::size_t{64} << 20;

/// The number of rows after which the memory of the table is released. For each row that is read,
/// the system maps 64 KiB around it, or 2 MiB of a file that was written just now. After some
/// thousand rows, all of the table would be in memory.
constexpr std::uint32_t rows_between_releases = 4;

}  // namespace

Result<MappedTable> MappedTable::load(const WeightFile& file, Module module, Memory memory) {
  MappedTable table;
  table.stored_ = EMBD_TRY(file.matrix(weight_name(module)));
  table.in_place_ = table.stored_.view();
  if (memory == Memory::whole) return table;
  if (const Bytes bytes = table.stored_.values->data;
      bytes.size() > small_bytes && file.is_mapped(bytes)) {
    table.large_ = bytes;
    table.rows_read_ = std::make_unique<std::atomic<std::uint32_t>>(0);
  }
  return table;
}

std::span<const float> MappedTable::row(std::uint32_t row,
                                        std::span<float> decoded) const noexcept {
  if (rows_read_ && rows_read_->fetch_add(1, std::memory_order_relaxed) % rows_between_releases ==
                        rows_between_releases - 1) {
    MappedFile::release(large_);
  }
  if (in_place_) return in_place_->row(row);
  // Cannot fail: the row is one of the table, whose type was checked when the file was opened.
  (void)stored_.row_to_floats(row, 1, decoded);
  return decoded;
}

namespace {

Result<Matrix> copy_table(const WeightMatrix& stored) {
  Matrix table(stored.rows(), stored.cols());
  EMBD_TRY(stored.to_floats(table.values()));
  return table;
}

/// Returns the bias of a module, or zeros if the model has none there.
Result<std::vector<float>> bias_of(const WeightFile& file, Module module) {
  if (has_bias(module, file.spec())) return file.vector(bias_name(module));
  return std::vector<float>(weight_shape(module, file.spec()).dims[0]);
}

/// Computes `out` = a + b. `a` may be `out`.
void sum_of(std::span<const float> a, std::span<const float> b, std::span<float> out) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + b[i];
}

/// Computes `out` = (a + b) + c in one pass. `a` may be `out`.
void sum_of(std::span<const float> a, std::span<const float> b, std::span<const float> c,
            std::span<float> out) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + b[i] + c[i];
}

}  // namespace

Result<Embeddings> Embeddings::load(const WeightFile& file) {
  Embeddings loaded;
  loaded.words_ = EMBD_TRY(MappedTable::load(file, Module::word_embeddings));
  const ModelSpec& spec = file.spec();
  loaded.has_positions_ = has_module(Module::position_embeddings, spec);
  if (loaded.has_positions_) {
    const WeightMatrix positions = EMBD_TRY(file.matrix(weight_name(Module::position_embeddings)));
    loaded.positions_in_place_ = positions.view();
    if (!loaded.positions_in_place_) loaded.positions_ = EMBD_TRY(copy_table(positions));
  }
  loaded.token_types_ =
      spec.token_types == 0
          ? Matrix(1, spec.hidden)
          : EMBD_TRY(copy_table(EMBD_TRY(file.matrix(weight_name(Module::token_type_embeddings)))));
  if (has_module(Module::embeddings_norm, spec)) {
    loaded.gamma_ = EMBD_TRY(file.vector(weight_name(Module::embeddings_norm)));
    loaded.beta_ = EMBD_TRY(bias_of(file, Module::embeddings_norm));
  }
  if (spec.architecture.scaled_embeddings)
    loaded.scale_ = static_cast<float>(std::sqrt(static_cast<double>(spec.hidden)));
  loaded.epsilon_ = static_cast<float>(spec.layer_norm_eps);
  loaded.position_offset_ = spec.position_offset;
  loaded.padding_ = file.special_tokens().pad;
  return loaded;
}

void Embeddings::sum(std::int32_t id, std::int64_t position, std::uint8_t type,
                     std::span<float> out) const noexcept {
  const auto at = static_cast<std::size_t>(position);
  auto word = words_.row(static_cast<std::uint32_t>(id), out);
  if (scale_ != 1) {
    std::ranges::transform(word, out.begin(), [this](float value) { return value * scale_; });
    word = out;
  }
  if (!has_positions_) return sum_of(word, token_types_.row(type), out);
  sum_of(word, positions_in_place_ ? positions_in_place_->row(at) : positions_.row(at),
         token_types_.row(type), out);
}

}  // namespace embd
