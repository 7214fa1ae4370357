#include "formats/vectors/svs/dataset_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "formats/toml.h"

namespace embd::svs {
namespace {

std::uint64_t code_bytes(std::uint64_t dim, unsigned bits) {
  return (dim * bits + 7) / 8;
}

/// Packs codes at the beginning of `row`, the low half of a byte first.
void pack(std::span<const std::uint8_t> codes, unsigned bits, std::span<std::byte> row) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t bit = i * bits;
    row[bit / 8] |= static_cast<std::byte>(codes[i] << (bit % 8));
  }
}

/// Returns the nearest of the 2^bits steps of `scale` above `low`.
std::uint8_t nearest_code(float value, float low, float scale, unsigned bits) {
  const float most = static_cast<float>((1U << bits) - 1);
  return scale > 0 ? static_cast<std::uint8_t>(
                         std::clamp(std::nearbyint((value - low) / scale), 0.0F, most))
                   : 0;
}

}  // namespace

std::optional<LvqBits> lvq_bits(SvsOptions::Quantizer quantizer) noexcept {
  switch (quantizer) {
    case SvsOptions::Quantizer::none:
      break;
    case SvsOptions::Quantizer::lvq4:
      return LvqBits{4, std::nullopt};
    case SvsOptions::Quantizer::lvq8:
      return LvqBits{8, std::nullopt};
    case SvsOptions::Quantizer::lvq4x4:
      return LvqBits{4, 4};
    case SvsOptions::Quantizer::lvq4x8:
      return LvqBits{4, 8};
    case SvsOptions::Quantizer::lvq8x8:
      return LvqBits{8, 8};
  }
  return std::nullopt;
}

Result<LvqEncoder> LvqEncoder::create(LvqBits bits, std::span<const float> mean,
                                      const std::filesystem::path& primary,
                                      const std::filesystem::path& residual) {
  LvqEncoder encoder(bits, mean, EMBD_TRY(BinaryWriter::create(primary)));
  if (bits.residual) encoder.residual_ = EMBD_TRY(BinaryWriter::create(residual));
  return encoder;
}

Result<void> LvqEncoder::append(std::span<const float> row) {
  centred_.resize(row.size());
  std::transform(row.begin(), row.end(), mean_.begin(), centred_.begin(), std::minus());
  const auto [low, high] = std::ranges::minmax(centred_);
  const float scale = (high - low) / static_cast<float>((1U << bits_.primary) - 1);

  codes_.resize(row.size());
  std::ranges::transform(centred_, codes_.begin(), [&](float value) {
    return nearest_code(value, low, scale, bits_.primary);
  });
  const std::uint64_t codes_size = code_bytes(row.size(), bits_.primary);
  bytes_.assign(codes_size + sizeof(scale) + sizeof(low) + 1, std::byte{0});
  pack(codes_, bits_.primary, bytes_);
  std::memcpy(bytes_.data() + codes_size, &scale, sizeof(scale));
  std::memcpy(bytes_.data() + codes_size + sizeof(scale), &low, sizeof(low));
  EMBD_TRY(primary_.append(bytes_));
  if (!residual_) return {};

  const float step = scale / static_cast<float>((1U << *bits_.residual) - 1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float left = centred_[i] - (static_cast<float>(codes_[i]) * scale + low);
    codes_[i] = nearest_code(left, -scale / 2, step, *bits_.residual);
  }
  bytes_.assign(code_bytes(row.size(), *bits_.residual), std::byte{0});
  pack(codes_, *bits_.residual, bytes_);
  return residual_->append(bytes_);
}

Result<LvqEncoder::Uuids> LvqEncoder::finish(std::uint64_t rows) {
  Uuids uuids;
  const std::uint64_t dim = mean_.size();
  uuids.primary = EMBD_TRY(
      primary_.finish("lvq", rows, code_bytes(dim, bits_.primary) + 2 * sizeof(float) + 1));
  if (residual_)
    uuids.residual =
        EMBD_TRY(residual_->finish("lvq residual", rows, code_bytes(dim, *bits_.residual)));
  return uuids;
}

std::string envelope(std::string_view object, const std::optional<Recipe>& recipe) {
  return fmt::format("__version__ = '{}'\n\n[object]\n{}{}", envelope_version, object,
                     recipe_text(recipe));
}

std::string recipe_text(const std::optional<Recipe>& recipe) {
  if (!recipe) return {};
  toml::table document;
  set_recipe(document, *recipe);
  return '\n' + toml_text(document) + '\n';
}

std::string metric_text(std::optional<Metric> metric) {
  if (!metric) return {};
  return fmt::format("\n[{}]\n{} = '{}'\n", embd_table, metric_key, metric_name(*metric));
}

std::string uncompressed_fields(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                                std::string_view eltype, const Uuid& uuid) {
  return fmt::format(
      "__schema__ = 'uncompressed_data'\n__version__ = 'v0.0.0'\nbinary_file = '{}'\ndims = "
      "{}\neltype = '{}'\nname = 'uncompressed'\n"
      "num_vectors = {}\nuuid = '{}'\n",
      file, dim, eltype, rows, uuid.text());
}

}  // namespace embd::svs
