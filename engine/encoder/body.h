#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>

#include "embd/error.h"
#include "engine/encoder/activations.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// The part of a model between the ids of tokens and their rows, from which a head computes the
/// result. Immutable: any number of threads may use it, each with Activations of its own.
class Body {
 public:
  virtual ~Body() = default;
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  /// Computes a row for each token. The result is activations.hidden() [tokens, hidden]. Ids must
  /// be inside the vocabulary, types below the number of token types, and lengths at most the
  /// spec's max_tokens(). The work may be shared by `threads` threads; the result has the same
  /// bytes for any number. After a stop request there may be no result. Throws std::bad_alloc.
  virtual void forward(const PackedTexts& texts, Activations& activations, int threads,
                       const std::stop_token& stop) const = 0;
  /// Returns the number of floats of a row.
  virtual std::size_t hidden() const noexcept = 0;
};

/// Makes the body that the spec of a file describes, over the bytes of the file, which must outlive
/// it. Packs weights on `threads` threads. `kernels` must support the arithmetic. Fails with
/// unsupported for an architecture or for sizes that the kernels cannot compute.
Result<std::unique_ptr<const Body>> load_body(const WeightFile& file,
                                              const kernels::Kernels& kernels, int threads,
                                              kernels::Arithmetic arithmetic);

}  // namespace embd
