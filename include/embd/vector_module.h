#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// The kinds of steps between the pooled rows of a text and its vector: the modules behind Pooling
/// in sentence-transformers.
enum class VectorModuleKind : std::uint8_t {
  dense,       ///< y = activation(W · x + b)
  layer_norm,  ///< a LayerNorm with the epsilon 1e-5
  normalize,   ///< scaling to length 1
};
/// The words for the kinds, as sentence-transformers spells them.
inline constexpr EnumNames<VectorModuleKind, 3> vector_module_names = {
    {{"Dense", VectorModuleKind::dense},
     {"LayerNorm", VectorModuleKind::layer_norm},
     {"Normalize", VectorModuleKind::normalize}}};

/// The function at the end of a dense module.
enum class DenseActivation : std::uint8_t {
  identity,
  tanh,
  gelu,  ///< exact GELU, computed with the error function
  relu,
  silu,
  sigmoid,
};
/// The words for the functions, as PyTorch spells them.
inline constexpr EnumNames<DenseActivation, 6> dense_activation_names = {
    {{"Identity", DenseActivation::identity},
     {"Tanh", DenseActivation::tanh},
     {"GELU", DenseActivation::gelu},
     {"ReLU", DenseActivation::relu},
     {"SiLU", DenseActivation::silu},
     {"Sigmoid", DenseActivation::sigmoid}}};

/// A step between the pooled rows of a text and its vector.
struct VectorModule {
  VectorModuleKind kind = VectorModuleKind::dense;
  std::uint32_t in = 0;   ///< The number of components that it takes.
  std::uint32_t out = 0;  ///< The number of components that it makes; equal to `in` unless dense.
  bool bias = true;       ///< For a dense module: true if it adds a bias.
  DenseActivation activation = DenseActivation::identity;  ///< For a dense module.

  bool operator==(const VectorModule&) const = default;
};

}  // namespace embd
