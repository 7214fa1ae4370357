#pragma once

// The loops of every table, written over a vector of 16 lanes. An instruction set's file defines
// its vectors and instantiates the table inside a namespace of its own, so that no symbol compiled
// with its flags has the name of one compiled with others. Included by kernels_*.cc only.
//
// An `Isa` gives
//   Floats, Ints             16 lanes
//   kGather                  rows a gather takes at once
//   kTileQueries, kTileRows  the register tile
//   zero, fma, sub, madd …   see kernels_reference.cc for what each means

#include <cstddef>
#include <cstdint>

#include "index/distances/kernels.h"

namespace embd::distances::EMBD_ISA {
namespace {

/// Σ a·b over floats that `Element` loads.
template <class Isa, class Element>
struct FloatDot {
  using QueryElement = Element;
  using RowElement = Element;
  using Sum = typename Isa::Floats;
  using Vector = typename Isa::Floats;
  static constexpr std::size_t kStep = 16;
  static Sum zero() { return Isa::zero(); }
  static Sum step(Vector a, Vector b, Sum sum) { return Isa::fma(a, b, sum); }
  static void finish8(const Sum* sums, float* first, float* second) {
    Isa::add_lanes8(sums, first, second);
  }
  static void finish4(const Sum* sums, float* out) { Isa::add_lanes4(sums, out); }
  static float finish(Sum sum) { return Isa::add_lanes(sum); }
};

/// Σ (a − b)².
template <class Isa, class Element>
struct FloatL2 : FloatDot<Isa, Element> {
  using Sum = typename Isa::Floats;
  static Sum step(Sum a, Sum b, Sum sum) {
    const Sum difference = Isa::sub(a, b);
    return Isa::fma(difference, difference, sum);
  }
};

/// The same over bytes, widened to 16 bits; pairs of products are added in 32.
template <class Isa, class Element, class OfQuery = Element>
struct IntDot {
  using QueryElement = OfQuery;
  using RowElement = Element;
  using Sum = typename Isa::Ints;
  using Vector = typename Isa::Ints;
  static constexpr std::size_t kStep = Isa::kIntStep;
  static Sum zero() { return Isa::zero_ints(); }
  static Sum step(Vector a, Vector b, Sum sum) { return Isa::madd(a, b, sum); }
  static void finish8(const Sum* sums, float* first, float* second) {
    finish4(sums, first);
    finish4(sums + 4, second);
  }
  static void finish4(const Sum* sums, float* out) {
    for (int i = 0; i < 4; ++i) out[i] = finish(sums[i]);
  }
  static float finish(Sum sum) { return static_cast<float>(Isa::add_lanes_ints(sum)); }
};

template <class Isa, class Element>
struct IntL2 : IntDot<Isa, Element> {
  using Sum = typename Isa::Ints;
  static Sum step(Sum a, Sum b, Sum sum) {
    const Sum difference = Isa::sub_ints(a, b);
    return Isa::madd(difference, difference, sum);
  }
};

inline void prefetch_row(const char* row, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i);
}

template <class Op>
using QueryValue = typename Op::QueryElement::Type;
template <class Op>
using RowValue = typename Op::RowElement::Type;

/// Q queries against R rows, all sums in registers: out[q · out_stride + r].
template <class Op, int Q, int R>
inline __attribute__((always_inline)) void block(const QueryValue<Op>* const* queries,
                                                 const RowValue<Op>* const* rows, std::size_t dim,
                                                 float* out, std::size_t out_stride) {
  typename Op::Sum sums[Q * R];
#pragma GCC unroll 32
  for (int i = 0; i < Q * R; ++i) sums[i] = Op::zero();
  std::size_t k = 0;
  for (; k + Op::kStep <= dim; k += Op::kStep) {
    typename Op::Vector q[Q];
#pragma GCC unroll 32
    for (int a = 0; a < Q; ++a) q[a] = Op::QueryElement::load(queries[a] + k);
#pragma GCC unroll 32
    for (int b = 0; b < R; ++b) {
      const typename Op::Vector r = Op::RowElement::load(rows[b] + k);
#pragma GCC unroll 32
      for (int a = 0; a < Q; ++a) sums[a * R + b] = Op::step(q[a], r, sums[a * R + b]);
    }
  }
  if (k < dim) {
    typename Op::Vector q[Q];
#pragma GCC unroll 32
    for (int a = 0; a < Q; ++a) q[a] = Op::QueryElement::load(queries[a] + k, dim - k);
#pragma GCC unroll 32
    for (int b = 0; b < R; ++b) {
      const typename Op::Vector r = Op::RowElement::load(rows[b] + k, dim - k);
#pragma GCC unroll 32
      for (int a = 0; a < Q; ++a) sums[a * R + b] = Op::step(q[a], r, sums[a * R + b]);
    }
  }
  if constexpr (R % 4 == 0) {
    // Fours of sums that belong side by side, two fours at a time.
    constexpr int kFours = Q * R / 4;
    const auto place = [&](int four) { return out + four * 4 / R * out_stride + four * 4 % R; };
#pragma GCC unroll 32
    for (int four = 0; four + 2 <= kFours; four += 2) {
      Op::finish8(&sums[four * 4], place(four), place(four + 1));
    }
    if constexpr (kFours % 2 == 1) Op::finish4(&sums[kFours * 4 - 4], place(kFours - 1));
  } else {
#pragma GCC unroll 32
    for (int i = 0; i < Q * R; ++i) out[i / R * out_stride + i % R] = Op::finish(sums[i]);
  }
}

template <class Op, int R>
inline void gather_some(const QueryValue<Op>* query, RowArray rows, const std::uint32_t* slots,
                        std::size_t dim, float* out) {
  const auto* data = static_cast<const char*>(rows.data);
  const RowValue<Op>* pointers[R];
  for (int b = 0; b < R; ++b) {
    pointers[b] = reinterpret_cast<const RowValue<Op>*>(data + slots[b] * rows.stride);
  }
  block<Op, 1, R>(&query, pointers, dim, out, 0);
}

template <class Isa, class Op>
void gather(const void* query_bytes, RowArray rows, const std::uint32_t* slots, std::size_t count,
            std::size_t dim, float* out) noexcept {
  constexpr std::size_t kGather = Isa::kGather;
  const auto* query = static_cast<const QueryValue<Op>*>(query_bytes);
  const auto* data = static_cast<const char*>(rows.data);
  const std::size_t row_bytes = dim * sizeof(RowValue<Op>);
  std::size_t i = 0;
  for (; i + kGather <= count; i += kGather) {
    const std::size_t ahead = count < i + 2 * kGather ? count : i + 2 * kGather;
    for (std::size_t next = i + kGather; next < ahead; ++next) {
      prefetch_row(data + slots[next] * rows.stride, row_bytes);
    }
    gather_some<Op, kGather>(query, rows, slots + i, dim, out + i);
  }
  if constexpr (kGather > 4) {
    if (i + 4 <= count) {
      gather_some<Op, 4>(query, rows, slots + i, dim, out + i);
      i += 4;
    }
  }
  if (i + 2 <= count) {
    gather_some<Op, 2>(query, rows, slots + i, dim, out + i);
    i += 2;
  }
  for (; i < count; ++i) gather_some<Op, 1>(query, rows, slots + i, dim, out + i);
}

template <class Op, int Q, int R>
inline void tile_some(RowArray queries, RowArray rows, std::size_t q, std::size_t r,
                      std::size_t dim, float* out, std::size_t out_stride) {
  const QueryValue<Op>* query_pointers[Q];
  const RowValue<Op>* row_pointers[R];
  const char* query = static_cast<const char*>(queries.data) + q * queries.stride;
  for (int a = 0; a < Q; ++a, query += queries.stride) {
    query_pointers[a] = reinterpret_cast<const QueryValue<Op>*>(query);
  }
  const char* row = static_cast<const char*>(rows.data) + r * rows.stride;
  for (int b = 0; b < R; ++b, row += rows.stride) {
    row_pointers[b] = reinterpret_cast<const RowValue<Op>*>(row);
  }
  block<Op, Q, R>(query_pointers, row_pointers, dim, out + q * out_stride + r, out_stride);
}

template <class Op, int Q, int R>
inline void tile_line(RowArray queries, RowArray rows, std::size_t num_rows, std::size_t q,
                      std::size_t dim, float* out, std::size_t out_stride) {
  std::size_t r = 0;
  for (; r + R <= num_rows; r += R) {
    tile_some<Op, Q, R>(queries, rows, q, r, dim, out, out_stride);
  }
  for (; r < num_rows; ++r) tile_some<Op, Q, 1>(queries, rows, q, r, dim, out, out_stride);
}

/// Bytes of rows that stay in the first-level cache while all queries pass by.
constexpr std::size_t kRowBytesAtOnce = std::size_t{24} << 10;

/// All queries against rows that stay in the first-level cache. Meanwhile the rows behind them come
/// from memory, an equal part with each step.
template <class Isa, class Op>
void tile_rows(RowArray queries, std::size_t num_queries, RowArray rows, std::size_t num_rows,
               std::size_t dim, float* out, std::size_t out_stride) {
  constexpr std::size_t kQ = Isa::kTileQueries;
  constexpr std::size_t kR = Isa::kTileRows;
  const std::size_t part = num_rows * rows.stride / (num_queries / kQ + 1) + 1;
  const char* ahead = static_cast<const char*>(rows.data) + num_rows * rows.stride;
  std::size_t q = 0;
  for (; q + kQ <= num_queries; q += kQ, ahead += part) {
    prefetch_row(ahead, part);
    tile_line<Op, kQ, kR>(queries, rows, num_rows, q, dim, out, out_stride);
  }
  if constexpr (kQ > 3) {
    for (; q + 3 <= num_queries; q += 3) {
      tile_line<Op, 3, kR>(queries, rows, num_rows, q, dim, out, out_stride);
    }
  }
  for (; q < num_queries; ++q) {
    tile_line<Op, 1, kR>(queries, rows, num_rows, q, dim, out, out_stride);
  }
}

template <class Isa, class Op>
void tile(RowArray queries, std::size_t num_queries, RowArray rows, std::size_t num_rows,
          std::size_t dim, float* out, std::size_t out_stride) noexcept {
  constexpr std::size_t kR = Isa::kTileRows;
  const std::size_t fitting = kRowBytesAtOnce / (dim * sizeof(RowValue<Op>)) / kR * kR;
  const std::size_t step = fitting < kR ? kR : fitting;
  for (std::size_t r = 0; r < num_rows; r += step) {
    const RowArray some = {static_cast<const char*>(rows.data) + r * rows.stride, rows.stride};
    tile_rows<Isa, Op>(queries, num_queries, some, num_rows - r < step ? num_rows - r : step, dim,
                       out + r, out_stride);
  }
}

inline std::uint64_t load_word(const unsigned char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  __builtin_memcpy(&word, bytes, count);
  return word;
}

void bits(const void* query_bytes, RowArray rows, const std::uint32_t* slots, std::size_t count,
          std::size_t bytes, std::uint32_t* counts) noexcept {
  const auto* query = static_cast<const unsigned char*>(query_bytes);
  for (std::size_t s = 0; s < count; ++s) {
    const unsigned char* row =
        static_cast<const unsigned char*>(rows.data) + slots[s] * rows.stride;
    int both = 0;
    int either = 0;
    for (std::size_t i = 0; i < bytes; i += 8) {
      const std::size_t left = bytes - i < 8 ? bytes - i : 8;
      const std::uint64_t a = left == 8 ? load_word(query + i, 8) : load_word(query + i, left);
      const std::uint64_t b = left == 8 ? load_word(row + i, 8) : load_word(row + i, left);
      both += __builtin_popcountll(a & b);
      either += __builtin_popcountll(a | b);
    }
    counts[2 * s] = static_cast<std::uint32_t>(both);
    counts[2 * s + 1] = static_cast<std::uint32_t>(either);
  }
}

void cosine(float* dots, const float* norms, float query_norm, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float distance = 1.0F - dots[i] * (query_norm * norms[i]);
    dots[i] = distance < 0 ? 0 : distance;
  }
}

std::size_t below(const float* values, std::size_t count, float bound,
                  std::uint32_t* indices) noexcept {
  constexpr std::size_t kChunk = 64;
  std::size_t found = 0;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const std::size_t end = count - first < kChunk ? count : first + kChunk;
    if (end - first == kChunk) {  // nearly always nothing is below
      int any = 0;
      for (std::size_t i = 0; i < kChunk; ++i) any |= values[first + i] < bound ? 1 : 0;
      if (any == 0) continue;
    }
    for (std::size_t i = first; i < end; ++i) {
      if (values[i] < bound) indices[found++] = static_cast<std::uint32_t>(i);
    }
  }
  return found;
}

template <class Isa, class Dot, class L2>
constexpr Sums sums() {
  return {{gather<Isa, Dot>, tile<Isa, Dot>}, {gather<Isa, L2>, tile<Isa, L2>}};
}

template <class Isa, class Element>
constexpr Sums float_sums() {
  return sums<Isa, FloatDot<Isa, Element>, FloatL2<Isa, Element>>();
}

template <class Isa, class Element>
constexpr Sums int_sums() {
  return sums<Isa, IntDot<Isa, Element>, IntL2<Isa, Element>>();
}

template <class Isa>
constexpr Kernels make_kernels(const char* name, bool (*supported)() noexcept) {
  return {name,
          supported,
          float_sums<Isa, typename Isa::F32>(),
          float_sums<Isa, typename Isa::F16>(),
          float_sums<Isa, typename Isa::Bf16>(),
          int_sums<Isa, typename Isa::I8>(),
          int_sums<Isa, typename Isa::U8>(),
          gather<Isa, IntDot<Isa, typename Isa::I8, typename Isa::I16>>,
          bits,
          cosine,
          below};
}

}  // namespace
}  // namespace embd::distances::EMBD_ISA
