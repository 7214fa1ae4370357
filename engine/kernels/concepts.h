#pragma once

#include <cstddef>
#include <cstdint>

// The concepts of the types over which the kernels are written; each instruction set has its own
// types. body.inc, product_int8.inc and table.inc check that the types meet the concepts.
namespace embd::kernels {

/// A vector register of `V::kLanes` floats, and the operations on it. All functions are static.
template <class V>
concept FloatVectors =
    requires(typename V::Reg x, const float* in, float* out, float value, std::int64_t n,
             const char* bytes, typename V::Reg (&square)[V::kLanes]) {
      // The numbers of rows and of vectors of a tile of sums that fits into the registers.
      requires V::kTileRows > 0 && V::kTileVectors > 0;
      x = V::zero();
      x = V::set(value);
      x = V::load(in);
      V::store(out, x);
      // Read or write only the first n lanes; the other lanes become zeros when reading.
      x = V::load_first(in, n);
      V::store_first(out, x, n);
      // Lanes from n on become those of the last argument.
      x = V::keep_first(x, n, x);
      x = V::add(x, x);
      x = V::sub(x, x);
      x = V::mul(x, x);
      x = V::div(x, x);
      // If one of the arguments is NaN, the result is the second argument.
      x = V::min(x, x);
      x = V::max(x, x);
      x = V::abs(x);
      // a · b + c and c − a · b, rounded once.
      x = V::multiply_add(x, x, x);
      x = V::subtract_product(x, x, x);
      x = V::floor(x);
      // a · 2^n for whole n.
      x = V::scale_by_power(x, x);
      value = V::sum(x);
      value = V::max_lane(x);
      value = V::sqrt(value);
      V::prefetch(bytes);
      V::transpose(square);
    };

/// A vector register of 32-bit integers, as many as `V` has floats, and operations on int8 codes. A
/// lane multiplies `kGroup` codes at a time. The number of codes of a row is rounded up to a
/// multiple of `kUnit`.
template <class I, class V>
concept IntegerVectors =
    requires(typename I::Reg x, typename V::Reg floats, const std::int32_t* in, std::int32_t* out,
             std::int32_t value, typename I::Code* codes, typename I::Weight* weights,
             const typename I::Reg (&of_group)[I::kGroup]) {
      requires I::kGroup > 0 && I::kUnit % I::kGroup == 0 && I::kTileRows > 0;
      x = I::zero();
      x = I::set(value);
      x = I::load(in);
      I::store(out, x);
      x = I::add(x, x);
      x = I::sub(x, x);
      x = I::mul(x, x);
      floats = I::to_float(x);
      // Rounds to nearest even. NaN becomes a number so low that its code is cut to 0.
      x = I::round(floats);
      // Stores the codes, cut to [0, 255].
      I::store_codes(codes, x);
      // Stores signed codes in the layout that load_weights() reads.
      I::store_group(weights, of_group);
    };

/// An arithmetic that has the steps of the loop over k in product.inc. An arithmetic with a loop of
/// its own, or whose instructions multiply tiles, does not have them.
template <class A>
concept HasSteps =
    requires(typename A::Sum sum, const typename A::Input* x, const typename A::Weight* panel) {
      sum = A::zero();
      sum = A::broadcast(x);
      sum = A::load_weights(panel);
      sum = A::multiply_add(sum, sum, sum);
    };

/// The arithmetic of a matrix product. x is converted from float32 to rows of Input; the weights
/// are packed once as panels of Weight; Scales converts sums of type Sum to floats. product.inc
/// says what each member means. `Vec` is a vector of floats, `InputRows` the type of x, `Linear`
/// the type of the weights of a product, and `WeightValues` the type of weights before they are
/// packed.
template <class A, class Vec, class InputRows, class Linear, class WeightValues>
concept ProductArithmetic = requires(typename Vec::Reg floats, const InputRows& x, float* scratch,
                                     std::int64_t n, const Linear& linear,
                                     const WeightValues& weight, void* packed, std::size_t bytes) {
  requires A::kGroup > 0 && A::kUnit % A::kGroup == 0 && A::kChain > 0;
  requires A::kTileRows > 0 && A::kBlockRows >= A::kTileRows&& A::kMaxDepth > 0;
  typename A::Scales;
  n = A::rows_that_meet_all_panels(n);
  n = A::scratch_floats(n, n);
  A::convert(x, linear, scratch);
  floats = A::gelu(floats);
  bytes = A::packed_bytes(n, n);
  A::pack(weight, packed);
} && (HasSteps<A> || requires { A::kOwnLoop; } || requires { Vec::kByTiles; });

}  // namespace embd::kernels
