// The share of this machine's limits that the kernels reach.
//
// Neighbours on a shared machine take speed away for seconds at a time, so a limit measured before
// and a product measured after do not belong together. Here every round runs the multiply-add peak,
// the work and the peak again, a few milliseconds each, and the median of the rounds' ratios is
// printed.
//
//   roofline [ROUNDS]       EMBD_KERNELS chooses the table

#include <fmt/core.h>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/kernels/kernels.h"

namespace embd::bench {

double run_avx2_peak(long rounds) noexcept;
double run_avx512_peak(long rounds) noexcept;

namespace {

using kernels::Kernels;
using kernels::Linear;

/// Time this thread ran: others that take its processor away do not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const std::function<void()>& work) {
  const double begin = thread_seconds();
  work();
  return thread_seconds() - begin;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Floats {
  explicit Floats(std::int64_t n) : buffer(static_cast<std::size_t>(n) * sizeof(float)) {}
  float* data() const { return reinterpret_cast<float*>(buffer.data()); }
  AlignedBuffer buffer;
};

Floats random_floats(std::int64_t n, float scale = 1) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  Floats values(n);
  std::generate_n(values.data(), n, [&] { return uniform(random); });
  return values;
}

struct Weight {
  Weight(const Kernels& kernels, std::int64_t out, std::int64_t in)
      : bias(random_floats(out)),
        packed(static_cast<std::int64_t>(kernels.packed_bytes(out, in) / sizeof(float))),
        linear{packed.data(), bias.data(), in, out} {
    const Floats values = random_floats(out * in, 1 / std::sqrt(static_cast<float>(in)));
    kernels.pack(values.data(), out, in, packed.data());
  }
  double flops(std::int64_t rows) const {
    return 2.0 * static_cast<double>(rows * linear.in * linear.out);
  }
  Floats bias;
  Floats packed;
  Linear linear;
};

class Roofline {
 public:
  Roofline(const Kernels& kernels, double (*peak)(long), int rounds)
      : kernels_(kernels), peak_(peak), rounds_(rounds) {
    constexpr long kProbe = 100'000;
    const double rate = peak_(kProbe) / seconds([&] { peak_(kProbe); });
    peak_rounds_ = static_cast<long>(kProbe * 1e-3 * rate / peak_(kProbe)) * 2;
  }

  /// `flops` are those of one call of `work`.
  void measure(std::string_view name, double flops, const std::function<void()>& work) const {
    work();
    const int repeats = std::max(1, static_cast<int>(4e-3 / seconds(work)));
    std::vector<double> ratios;
    std::vector<double> rates;
    for (int round = 0; round < rounds_; ++round) {
      const double before = peak_rate();
      const double rate = repeats * flops / seconds([&] {
                            for (int i = 0; i < repeats; ++i) work();
                          });
      const double after = peak_rate();
      ratios.push_back(2 * rate / (before + after));
      rates.push_back(rate);
    }
    fmt::print("{:40} {:8.1f} GFLOP/s {:6.1f} %\n", name, median(rates) * 1e-9,
               100 * median(ratios));
  }

  void products(std::int64_t rows) const {
    struct Shape {
      std::int64_t in, out;
    };
    for (const auto& [in, out] : {Shape{384, 1152}, {384, 384}, {384, 1536}, {1536, 384}}) {
      const Weight w(kernels_, out, in);
      const Floats x = random_floats(rows * in);
      const Floats y(rows * out);
      measure(fmt::format("linear {} x {} -> {}", rows, in, out), w.flops(rows),
              [&] { kernels_.linear(x.data(), rows, w.linear, y.data()); });
    }
  }

  void feed_forward(std::int64_t rows) const {
    const Weight up(kernels_, 1536, 384);
    const Weight down(kernels_, 384, 1536);
    const Floats x = random_floats(rows * 384);
    const Floats y(rows * 384);
    const Floats norm = random_floats(384);
    const Floats scratch(static_cast<std::int64_t>(kernels_.feed_forward_scratch(rows, 384, 1536)));
    measure(fmt::format("feed_forward {}", rows), up.flops(rows) + down.flops(rows), [&] {
      kernels_.feed_forward(x.data(), rows, up.linear, down.linear,
                            {norm.data(), norm.data(), 1e-12F}, scratch.data(), y.data());
    });
  }

  void attention(std::int64_t seq_len) const {
    const Floats qkv = random_floats(seq_len * 1152);
    const Floats context(seq_len * 384);
    const Floats scratch(static_cast<std::int64_t>(kernels_.attention_scratch(seq_len, 12, 32)));
    measure(
        fmt::format("attention {}", seq_len), 4.0 * static_cast<double>(seq_len * seq_len) * 384,
        [&] { kernels_.attention(qkv.data(), seq_len, 12, 32, scratch.data(), context.data()); });
  }

 private:
  double peak_rate() const {
    double flops = 0;
    const double time = seconds([&] { flops = peak_(peak_rounds_); });
    return flops / time;
  }

  const Kernels& kernels_;
  double (*peak_)(long);
  int rounds_;
  long peak_rounds_ = 0;
};

int run(int rounds) {
  const Kernels* kernels = kernels::choose_kernels();
  if (kernels == nullptr) {
    fmt::print(stderr, "EMBD_KERNELS names no table of this machine\n");
    return 2;
  }
  const bool wide = std::string_view(kernels->name) == "avx512";
  const Roofline roofline(*kernels, wide ? run_avx512_peak : run_avx2_peak, rounds);
  fmt::print("{}, of the {} multiply-add peak, median of {} rounds\n", kernels->name,
             wide ? "AVX-512" : "AVX2", rounds);
  for (const std::int64_t rows : {4096, 1024, 128, 12, 1}) roofline.products(rows);
  for (const std::int64_t rows : {4096, 128, 12}) roofline.feed_forward(rows);
  for (const std::int64_t seq_len : {256, 128, 12}) roofline.attention(seq_len);
  return 0;
}

}  // namespace
}  // namespace embd::bench

int main(int argc, char** argv) {
  return embd::bench::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 31);
}
