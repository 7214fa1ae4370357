#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "tests/engine/kernels/bf16.h"
#include "tests/engine/kernels/exact.h"

// The linear steps of every table and arithmetic that the machine supports: against a plain loop in
// double over what they see of x and W, each row against itself among other rows, and int8 against
// the other tables, bit for bit.

namespace embd::kernels {
namespace {

struct Case {
  const Kernels* kernels;
  Arithmetic arithmetic;
  const Products* products;

  bool supported() const { return kernels->supported() && is_supported(*products); }
};

std::string name_of(const Case& c) {
  constexpr const char* kNames[] = {"f32", "bf16", "int8"};
  return fmt::format("{}_of_{}_as_{}", c.products->name, c.kernels->name,
                     kNames[static_cast<int>(c.arithmetic)]);
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto [begin, end] = available_kernels();
  for (const auto* table = begin; table != end; ++table) {
    const auto add = [&](Arithmetic arithmetic, std::span<const Products* const> all) {
      for (const Products* products : all) {
        if (products != nullptr) cases.push_back({*table, arithmetic, products});
      }
    };
    add(Arithmetic::f32, (*table)->f32);
    add(Arithmetic::bf16, (*table)->bf16);
    add(Arithmetic::int8, (*table)->int8);
  }
  return cases;
}

/// Rounds a row of x as int8 does: each block to 256 steps from the least value of the row on.
void round_to_steps(std::span<double> row) {
  const auto low = static_cast<float>(std::min(0.0, std::ranges::min(row)));
  for (std::size_t first = 0; first < row.size(); first += kLeastBlock) {
    const std::span block =
        row.subspan(first, std::min<std::size_t>(kLeastBlock, row.size() - first));
    const float range = static_cast<float>(std::max(0.0, std::ranges::max(block))) - low;
    const float inverse = 255 / range;
    for (double& v : block) {
      const float code = std::nearbyint((static_cast<float>(v) - low) * inverse);
      v = low + static_cast<double>(code) * (range / 255);
    }
  }
}

struct Weight {
  Weight(const Case& c, std::int64_t out, std::int64_t in, unsigned seed)
      : products(*c.products),
        arithmetic(c.arithmetic),
        values(random_floats(out * in, seed, 1 / std::sqrt(static_cast<float>(in)))),
        bias(random_floats(out, seed + 1)),
        packed(products.packed_bytes(out, in) / sizeof(float)),
        linear{.packed = packed.data(),
               .bias = bias.data(),
               .in = in,
               .out = out,
               .block = kLeastBlock} {
    if (arithmetic == Arithmetic::int8) {
      // Codes over the whole range that a file may have.
      for (std::int64_t i = 0; i < out * in; ++i) {
        const std::int64_t column = i % in;
        if (column % kLeastBlock == 0)
          scale.push_back((0.5F + static_cast<float>((i / in + 3 * column / kLeastBlock) % 7)) /
                          4096);
        codes.push_back(static_cast<std::int8_t>(
            std::clamp(values[i] * std::sqrt(static_cast<float>(in)) * 60, -128.0F, 127.0F)));
        values[i] = static_cast<float>(codes.back()) * scale.back();
      }
      pack_codes();
      return;
    }
    products.pack({.out = out, .in = in, .values = values.data()}, packed.data());
    if (arithmetic == Arithmetic::bf16)
      std::ranges::transform(values, values.begin(), round_to_bf16);
  }

  void pack_codes() {
    products.pack({.out = linear.out,
                   .in = linear.in,
                   .codes = codes.data(),
                   .scale = scale.data(),
                   .block = linear.block},
                  packed.data());
  }

  Doubles seen_of(const Doubles& x) const {
    Doubles seen = x;
    for (std::size_t i = 0; i < seen.size(); i += linear.in) {
      const std::span row(seen.data() + i, static_cast<std::size_t>(linear.in));
      if (arithmetic == Arithmetic::int8) round_to_steps(row);
      if (arithmetic != Arithmetic::bf16) continue;
      for (double& v : row) v = round_to_bf16(static_cast<float>(v));
    }
    return seen;
  }

  Doubles exact(const Doubles& x, std::int64_t rows) const {
    const Doubles seen = seen_of(x);
    const std::int64_t in = linear.in;
    Doubles y(static_cast<std::size_t>(rows * linear.out));
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t o = 0; o < linear.out; ++o) {
        double sum = bias[o];
        for (std::int64_t k = 0; k < in; ++k) {
          sum += seen[r * in + k] * static_cast<double>(values[o * in + k]);
        }
        y[r * linear.out + o] = sum;
      }
    }
    return y;
  }

  Aligned scratch(std::int64_t rows) const {
    return Aligned(products.scratch(rows, linear.in), std::nanf(""));
  }

  const Products& products;
  Arithmetic arithmetic;
  Floats values;
  Floats bias;
  std::vector<std::int8_t> codes;
  Floats scale;
  Aligned packed;
  Linear linear;
};

struct Shape {
  std::int64_t rows, in, out;
};
constexpr Shape kShapes[] = {{1, 1, 1},    {3, 7, 5},     {2, 16, 16},   {5, 24, 72},
                             {17, 33, 31}, {64, 48, 130}, {37, 384, 96}, {15, 1536, 50}};

class ProductsTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!GetParam().supported()) GTEST_SKIP() << "this machine has no " << name_of(GetParam());
  }
};

TEST_P(ProductsTest, LinearIsTheProduct) {
  for (const auto& [rows, in, out] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out);
    const Weight w(GetParam(), out, in, 1);
    const Floats x = random_floats(rows * in, 2);
    Floats y(static_cast<std::size_t>(rows * out));
    Aligned scratch = w.scratch(rows);
    w.products.linear({x.data(), rows, w.linear.in}, w.linear, {0, out}, scratch.data(), y.data());
    expect_near(y, w.exact(widen(x), rows), 5e-6);
  }
}

/// The floats between up() and down(): by tiles, bf16 is kept as it is multiplied.
Floats middle_row(const Case& c, const float* row, std::int64_t size) {
  if (c.arithmetic == Arithmetic::f32 || c.products->down == c.products->linear_add) {
    return {row, row + size};
  }
  Floats floats;
  for (std::int64_t i = 0; i < size; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const std::byte*>(row) + 2 * i, 2);
    floats.push_back(bf16_of_bits(bits));
  }
  return floats;
}

TEST_P(ProductsTest, UpIsTheProductsGeluAndLeavesTheGapBetweenRows) {
  for (const auto& [rows, in, out] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out);
    const Weight w(GetParam(), out, in, 6);
    const Floats x = random_floats(rows * in, 10);
    Doubles expected = w.exact(widen(x), rows);
    for (double& v : expected) v = 0.5 * v * (1 + std::erf(v / std::numbers::sqrt2));
    const std::int64_t stride = middle_stride(out) + 3;
    Floats wide(static_cast<std::size_t>(rows * stride), -77.0F);
    Aligned scratch = w.scratch(rows);
    w.products.up({x.data(), rows, w.linear.in}, w.linear, {0, out}, scratch.data(), wide.data(),
                  stride);
    Floats y;
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::span row(wide.data() + r * stride, static_cast<std::size_t>(stride));
      const Floats middle = middle_row(GetParam(), row.data(), out);
      y.insert(y.end(), middle.begin(), middle.end());
      for (const float v : row.last(3)) ASSERT_EQ(v, -77.0F);
    }
    // Kernels whose results are rounded afterwards are less exact before; the reference is not.
    constexpr double kTolerance[] = {5e-6, 4e-3, 1.5e-4};
    expect_near(y, expected, kTolerance[static_cast<int>(GetParam().arithmetic)]);
  }
}

/// down() of what up() made is linear_add() of the same floats.
TEST_P(ProductsTest, DownReadsWhatUpWrote) {
  for (const auto& [rows, in, out] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out);
    const Weight up(GetParam(), out, in, 7);
    const Weight down(GetParam(), in, out, 8);
    const Floats x = random_floats(rows * in, 11);
    const std::int64_t stride = middle_stride(out);
    Aligned middle(static_cast<std::size_t>(rows * stride), std::nanf(""));
    Aligned scratch = up.scratch(rows);
    up.products.up({x.data(), rows, up.linear.in}, up.linear, {0, out}, scratch.data(),
                   middle.data(), stride);
    Floats floats;
    for (std::int64_t r = 0; r < rows; ++r) {
      const Floats row = middle_row(GetParam(), middle.data() + r * stride, out);
      floats.insert(floats.end(), row.begin(), row.end());
    }
    const Floats residual = random_floats(rows * in, 12);
    scratch = down.scratch(rows);
    Floats expected(residual.size());
    down.products.linear_add({floats.data(), rows, out}, down.linear, {0, in}, residual.data(),
                             scratch.data(), expected.data());
    Floats y = residual;
    down.products.down({middle.data(), rows, stride}, down.linear, {0, in}, y.data(),
                       scratch.data(), y.data());
    ASSERT_EQ(y, expected);
  }
}

TEST_P(ProductsTest, LinearAddMayWriteOverItsResidual) {
  for (const auto& [rows, in, out] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out);
    const Weight w(GetParam(), out, in, 3);
    const Floats x = random_floats(rows * in, 4);
    const std::int64_t stride = in + 5;
    Floats wide(static_cast<std::size_t>(rows * stride), 1e9F);
    for (std::int64_t r = 0; r < rows; ++r) std::copy_n(&x[r * in], in, &wide[r * stride]);
    Floats y = random_floats(rows * out, 5);
    Doubles expected = w.exact(widen(x), rows);
    for (std::size_t i = 0; i < y.size(); ++i) expected[i] += y[i];
    Aligned scratch = w.scratch(rows);
    w.products.linear_add({wide.data(), rows, stride}, w.linear, {0, out}, y.data(), scratch.data(),
                          y.data());
    expect_near(y, expected, 5e-6);
  }
}

/// A row computed alone has the bytes it has among any number of others, at any alignment.
TEST_P(ProductsTest, RowsDoNotDependOnTheirNeighbours) {
  constexpr std::int64_t kRows = 131;  // More than a block.
  constexpr std::int64_t kHidden = 30;
  constexpr std::int64_t kWide = 77;
  const Weight up(GetParam(), kWide, kHidden, 20);
  const Weight down(GetParam(), kHidden, kWide, 22);
  // Rows of very different size, so that a step taken from a neighbour would show.
  Floats x = random_floats(kRows * kHidden, 24);
  Floats wide = random_floats(kRows * kWide, 25);
  for (std::int64_t r = 0; r < kRows; ++r) {
    const float size = std::exp2(static_cast<float>(r % 9) - 4);
    for (float& v : std::span(x).subspan(r * kHidden, kHidden)) v *= size;
    for (float& v : std::span(wide).subspan(r * kWide, kWide)) v *= size;
  }

  constexpr std::int64_t kStride = middle_stride(kWide);
  struct Outputs {
    Floats linear, middle, added, down;
  };
  const auto compute = [&](std::int64_t first, std::int64_t rows) {
    const float* in = x.data() + first * kHidden;
    Outputs out;
    out.linear.resize(static_cast<std::size_t>(rows * kWide));
    out.middle.assign(static_cast<std::size_t>(rows * kStride), -77.0F);
    out.added.resize(static_cast<std::size_t>(rows * kHidden));
    out.down.resize(out.added.size());
    Aligned scratch = up.scratch(rows);
    up.products.linear({in, rows, up.linear.in}, up.linear, {0, kWide}, scratch.data(),
                       out.linear.data());
    up.products.up({in, rows, up.linear.in}, up.linear, {0, kWide}, scratch.data(),
                   out.middle.data(), kStride);
    scratch = down.scratch(rows);
    down.products.linear_add({wide.data() + first * kWide, rows, kWide}, down.linear, {0, kHidden},
                             in, scratch.data(), out.added.data());
    down.products.down({out.middle.data(), rows, kStride}, down.linear, {0, kHidden}, in,
                       scratch.data(), out.down.data());
    return out;
  };
  const auto same = [](const Floats& part, const Floats& whole, std::int64_t first_value) {
    return std::memcmp(part.data(), whole.data() + first_value, part.size() * sizeof(float)) == 0;
  };

  const Outputs whole = compute(0, kRows);
  for (const std::int64_t rows : {1, 2, 3, 5, 7, 13, 14, 15, 16, 31, 33, 48, 113}) {
    for (std::int64_t first = 0; first + rows <= kRows; first += rows) {
      const Outputs part = compute(first, rows);
      ASSERT_TRUE(same(part.linear, whole.linear, first * kWide)) << first << "+" << rows;
      ASSERT_TRUE(same(part.middle, whole.middle, first * kStride)) << first << "+" << rows;
      ASSERT_TRUE(same(part.added, whole.added, first * kHidden)) << first << "+" << rows;
      ASSERT_TRUE(same(part.down, whole.down, first * kHidden)) << first << "+" << rows;
    }
  }
}

/// Columns computed by several callers are those of one, and no caller writes beside its own.
TEST_P(ProductsTest, ColumnsApartAreColumnsTogether) {
  constexpr std::int64_t kRows = 19;
  constexpr std::int64_t kIn = 40;
  constexpr std::int64_t kOut = 150;
  const Weight w(GetParam(), kOut, kIn, 50);
  const Floats x = random_floats(kRows * kIn, 51);
  const Floats residual = random_floats(kRows * kOut, 52);
  Aligned scratch = w.scratch(kRows);
  const auto linear = [&](Range columns, Floats& y) {
    w.products.linear({x.data(), kRows, w.linear.in}, w.linear, columns, scratch.data(), y.data());
  };
  const auto add = [&](Range columns, Floats& y) {
    w.products.linear_add({x.data(), kRows, kIn}, w.linear, columns, residual.data(),
                          scratch.data(), y.data());
  };
  const std::int64_t panel = w.products.panel;
  const std::function<void(Range, Floats&)> steps[] = {linear, add};
  for (const auto& compute : steps) {
    Floats together(static_cast<std::size_t>(kRows * kOut));
    compute({0, kOut}, together);
    Floats apart(together.size(), -77.0F);
    compute({panel, 3 * panel}, apart);
    compute({panel, panel}, apart);
    for (std::int64_t r = 0; r < kRows; ++r) {
      ASSERT_EQ(apart[r * kOut + panel - 1], -77.0F);
      ASSERT_EQ(apart[r * kOut + 3 * panel], -77.0F);
    }
    compute({0, panel}, apart);
    compute({3 * panel, kOut}, apart);
    ASSERT_EQ(std::memcmp(apart.data(), together.data(), apart.size() * sizeof(float)), 0);
  }
  const auto up = [&](std::initializer_list<Range> parts) {
    Floats middle(static_cast<std::size_t>(kRows * middle_stride(kOut)), -77.0F);
    for (const Range columns : parts) {
      w.products.up({x.data(), kRows, w.linear.in}, w.linear, columns, scratch.data(),
                    middle.data(), middle_stride(kOut));
    }
    return middle;
  };
  const Floats together = up({{0, kOut}});
  const Floats apart = up({{panel, 3 * panel}, {panel, panel}, {3 * panel, kOut}, {0, panel}});
  ASSERT_EQ(std::memcmp(apart.data(), together.data(), apart.size() * sizeof(float)), 0);
}

TEST_P(ProductsTest, EveryNumberOfRowsAndAnyAlignment) {
  constexpr std::int64_t kIn = 19;
  constexpr std::int64_t kOut = 43;
  const Weight w(GetParam(), kOut, kIn, 30);
  for (std::int64_t rows = 1; rows <= 70; ++rows) {
    SCOPED_TRACE(rows);
    const std::int64_t shift = rows % 16;  // floats off the 64-byte boundary
    Aligned x(static_cast<std::size_t>(shift + rows * kIn));
    const Floats values = random_floats(rows * kIn, 31);
    std::ranges::copy(values, x.begin() + shift);
    // A guard on each side: a store past the row would show.
    Aligned y(static_cast<std::size_t>(shift + rows * kOut + 1), -77.0F);
    Aligned scratch = w.scratch(rows);
    w.products.linear({x.data() + shift, rows, w.linear.in}, w.linear, {0, kOut}, scratch.data(),
                      y.data() + shift);
    const Floats got(y.begin() + shift, y.end() - 1);
    expect_near(got, w.exact(widen(values), rows), 4e-6);
    ASSERT_EQ(y.back(), -77.0F);
    ASSERT_TRUE(shift == 0 || y[static_cast<std::size_t>(shift) - 1] == -77.0F);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, ProductsTest, testing::ValuesIn(all_cases()),
                         [](const auto& c) { return name_of(c.param); });

/// One linear step in int8 as a table computes it.
Floats int8_linear(const Case& c, const Floats& x, std::int64_t rows, std::int64_t out,
                   std::int64_t in, const float* inverse_smooth, bool extreme) {
  Weight w(c, out, in, 40);
  if (extreme) {  // The largest sum there is: every code and every weight at its end.
    std::ranges::fill(w.codes, std::int8_t{-128});
    w.pack_codes();
  }
  w.linear.inverse_smooth = inverse_smooth;
  Floats y(static_cast<std::size_t>(rows * out));
  Aligned scratch = w.scratch(rows);
  w.products.linear({x.data(), rows, w.linear.in}, w.linear, {0, out}, scratch.data(), y.data());
  return y;
}

class Int8Test : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!GetParam().supported()) GTEST_SKIP() << "this machine has no " << name_of(GetParam());
  }
  static void expect_same_as_reference(const Floats& x, const Shape& shape, const float* smooth,
                                       bool extreme = false) {
    const Kernels& table = *available_kernels().end[-1];
    const Case reference = {&table, Arithmetic::int8, table.int8[0]};
    const Floats expected =
        int8_linear(reference, x, shape.rows, shape.out, shape.in, smooth, extreme);
    const Floats got = int8_linear(GetParam(), x, shape.rows, shape.out, shape.in, smooth, extreme);
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected[i]))
          << "at " << i << ": " << got[i] << ", expected " << expected[i];
    }
  }
};

TEST_P(Int8Test, HasTheBitsOfTheReference) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.in << " -> " << shape.out);
    const Floats x = random_floats(shape.rows * shape.in, 41, 3);
    expect_same_as_reference(x, shape, nullptr);
    Floats smooth = random_floats(shape.in, 42);
    for (float& v : smooth) v = std::abs(v) + 0.1F;
    expect_same_as_reference(x, shape, smooth.data());
  }
}

TEST_P(Int8Test, NothingSaturates) {
  const Shape shape = {2, 4096, 33};
  Floats x(static_cast<std::size_t>(shape.rows * shape.in), 5.0F);
  std::fill(x.begin() + shape.in, x.end(), -5.0F);
  expect_same_as_reference(x, shape, nullptr, true);
}

TEST_P(Int8Test, RowsWithoutStepsAreZero) {
  const Shape shape = {4, 40, 9};
  Floats x(static_cast<std::size_t>(shape.rows * shape.in), 0.0F);
  x[40] = 1e-38F;
  x[80] = 3e38F;
  x[81] = -3e38F;
  x[120] = INFINITY;
  expect_same_as_reference(x, shape, nullptr);
  const Weight w(GetParam(), shape.out, shape.in, 40);
  const Floats y = int8_linear(GetParam(), x, shape.rows, shape.out, shape.in, nullptr, false);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], w.bias[i % 9]);
}

TEST_P(Int8Test, SmoothedInputIsMultipliedFirst) {
  const Shape shape = {6, 50, 20};
  Floats smooth = random_floats(shape.in, 43);
  for (float& v : smooth) v = std::exp2(std::nearbyint(v));  // Exact, so the products are equal.
  const Floats x = random_floats(shape.rows * shape.in, 44);
  Floats multiplied = x;
  for (std::size_t i = 0; i < x.size(); ++i) multiplied[i] *= smooth[i % shape.in];
  EXPECT_EQ(int8_linear(GetParam(), x, shape.rows, shape.out, shape.in, smooth.data(), false),
            int8_linear(GetParam(), multiplied, shape.rows, shape.out, shape.in, nullptr, false));
}

std::vector<Case> int8_cases() {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [](const Case& c) { return c.arithmetic != Arithmetic::int8; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Tables, Int8Test, testing::ValuesIn(int8_cases()),
                         [](const auto& c) { return name_of(c.param); });

}  // namespace
}  // namespace embd::kernels
