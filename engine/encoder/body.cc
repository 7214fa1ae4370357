#include "engine/encoder/body.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "engine/encoder/embeddings.h"
#include "engine/encoder/encoder.h"
#include "engine/encoder/smoothing.h"

namespace embd {
namespace {

/// The layers of an Encoder.
class TransformerBody final : public Body {
 public:
  TransformerBody(Weights weights, const kernels::Kernels& kernels)
      : weights_(std::move(weights)), encoder_(weights_, kernels) {}

  void forward(const PackedTexts& texts, Activations& activations, int threads,
               const std::stop_token& stop) const override {
    encoder_.forward(texts, activations, threads, stop);
  }
  std::size_t hidden() const noexcept override { return encoder_.hidden(); }

 private:
  const Weights weights_;
  const Encoder encoder_;
};

/// A word table without layers: the row of a token is its row of the table.
class TableBody final : public Body {
 public:
  TableBody(MappedTable words, std::uint32_t hidden) : words_(std::move(words)), hidden_(hidden) {}

  void forward(const PackedTexts& texts, Activations& activations, int /*threads*/,
               const std::stop_token& /*stop*/) const override {
    activations.reserve_rows(texts.tokens(), hidden_);
    float* row = activations.hidden();
    for (const std::int32_t id : texts.ids) {
      const auto values = words_.row(static_cast<std::uint32_t>(id), {row, hidden_});
      if (values.data() != row) std::ranges::copy(values, row);
      row += hidden_;
    }
  }
  std::size_t hidden() const noexcept override { return hidden_; }

 private:
  const MappedTable words_;
  const std::uint32_t hidden_;
};

}  // namespace

Result<std::unique_ptr<const Body>> load_body(const WeightFile& file,
                                              const kernels::Kernels& kernels, int threads,
                                              kernels::Arithmetic arithmetic) {
  if (file.spec().is_table()) {
    return std::make_unique<const TableBody>(
        EMBD_TRY(MappedTable::load(file, Module::word_embeddings, MappedTable::Memory::whole)),
        file.spec().hidden);
  }
  SmoothingFactors smoothing;
  if (arithmetic == kernels::Arithmetic::int8 && has_unrounded(file))
    smoothing = EMBD_TRY(smoothing_factors(file, kernels, threads));
  Weights weights = EMBD_TRY(Weights::load(file, kernels, threads, arithmetic, smoothing));
  return std::make_unique<const TransformerBody>(std::move(weights), kernels);
}

}  // namespace embd
