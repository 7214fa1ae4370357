// Products of signed bytes by VNNI, which multiplies unsigned bytes by signed ones. So 128 is added
// to each byte of the query, and 128 times the sum of the row is subtracted from the result. Sums
// of integers are exact, so the results have the same bits as those of avx512.cc.

#include <immintrin.h>

#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

struct Isa {
  static constexpr std::size_t kGather = 8;
};

#include "index/distances/avx512_lanes.inc"
#include "index/distances/gather.inc"

/// A vector of 64 signed bytes of a row.
struct Row {
  using Type = std::int8_t;
  static __m512i load(const std::int8_t* row) { return _mm512_loadu_si512(row); }
  static __m512i load(const std::int8_t* row, std::size_t count) {
    return _mm512_maskz_loadu_epi8((std::uint64_t{1} << count) - 1, row);
  }
};

__m512i all_128() {
  return _mm512_set1_epi32(static_cast<int>(0x80808080));
}

/// A vector of 64 bytes of the query, with 128 added to each.
struct Query {
  using Type = std::int8_t;
  static __m512i load(const std::int8_t* row) {
    return _mm512_xor_si512(Row::load(row), all_128());
  }
  static __m512i load(const std::int8_t* row, std::size_t count) {
    return _mm512_xor_si512(Row::load(row, count), all_128());
  }
};

struct Dot {
  using QueryElement = Query;
  using RowElement = Row;
  using Vector = __m512i;
  struct Sum {
    __m512i products;
    __m512i of_row;  // 128 times the sum of the row's bytes.

    __m512i dot() const { return _mm512_sub_epi32(products, of_row); }
  };
  static constexpr std::size_t kStep = 64;
  static Sum zero() { return {_mm512_setzero_si512(), _mm512_setzero_si512()}; }
  static Sum step(__m512i query, __m512i row, Sum sum) {
    return {_mm512_dpbusd_epi32(sum.products, query, row),
            _mm512_dpbusd_epi32(sum.of_row, all_128(), row)};
  }
  static void finish8(const Sum* sums, float* first, float* second) {
    __m512i dots[8];
    for (int i = 0; i < 8; ++i) dots[i] = sums[i].dot();
    store_ints8(dots, first, second);
  }
  static void finish4(const Sum* sums, float* out) {
    __m512i dots[4];
    for (int i = 0; i < 4; ++i) dots[i] = sums[i].dot();
    store_ints4(dots, out);
  }
  static float finish(const Sum& sum) {
    return static_cast<float>(_mm512_reduce_add_epi32(sum.dot()));
  }
};

}  // namespace

void avx512_vnni_dot_i8(const void* query, RowArray rows, const std::uint32_t* slots,
                        std::size_t count, std::size_t dim, float* out) noexcept {
  gather<Dot>(query, rows, slots, count, dim, out);
}

}  // namespace embd::distances
