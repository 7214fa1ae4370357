// The share of this machine's limits that the kernels reach.
//
// Neighbours on a shared machine take speed away for seconds at a time, so a limit measured before
// and a product measured after do not belong together. Here every round runs the multiply-add peak,
// the work and the peak again, a few milliseconds each, and the median of the rounds' ratios is
// printed.
//
//   roofline [ROUNDS [f32|bf16|int8 [NAME]]]
//   roofline ROUNDS peaks
//
// The second form prints the peak of each way to multiply that this processor has.
// NAME: only the works whose names it is a part of. EMBD_KERNELS chooses the table; with a weight
// file in EMBD_MODEL the whole way from text to vector is measured too, on one thread.

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
#include "base/kernel_profile.h"
#include "base/os/cpu.h"
#include "bench/limits.h"
#include "embd/model.h"
#include "engine/encoder/residual.h"
#include "engine/kernels/choose.h"
#include "formats/weights/embd/embd_tensors.h"

namespace embd::bench {

extern const Limits avx2_limits;
extern const Limits avx2_vnni_limits;
extern const Limits avx512_limits;
extern const Limits avx512_amx_limits;

namespace {

using kernels::Arithmetic;
using kernels::Kernels;
using kernels::Linear;
using kernels::Products;

/// Time this process ran: others that take its processor away do not count.
double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const std::function<void()>& work) {
  const double begin = process_seconds();
  work();
  return process_seconds() - begin;
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
  Weight(const Products& products, std::int64_t out, std::int64_t in)
      : bias(random_floats(out)),
        packed(static_cast<std::int64_t>(products.packed_bytes(out, in) / sizeof(float))),
        linear{.packed = packed.data(),
               .bias = bias.data(),
               .in = in,
               .out = out,
               .block = int8_block} {
    const Floats values = random_floats(out * in, 1 / std::sqrt(static_cast<float>(in)));
    const float step = 1 / std::sqrt(static_cast<float>(in)) / 127;
    const std::vector<float> scale(
        static_cast<std::size_t>(out * kernels::blocks_of(in, int8_block)), step);
    std::vector<std::int8_t> codes;
    for (std::int64_t i = 0; i < out * in; ++i) {
      codes.push_back(static_cast<std::int8_t>(std::lround(values.data()[i] / step)));
    }
    products.pack({.out = out,
                   .in = in,
                   .values = values.data(),
                   .codes = codes.data(),
                   .scale = scale.data(),
                   .block = int8_block},
                  packed.data());
  }
  double flops(std::int64_t rows) const {
    return 2.0 * static_cast<double>(rows * linear.in * linear.out);
  }
  Floats bias;
  Floats packed;
  Linear linear;
};

/// One layer of all-MiniLM-L6-v2 with random weights.
struct Layer {
  explicit Layer(const Products& products)
      : query_key_value(products, 1152, 384),
        output(products, 384, 384),
        up(products, 1536, 384),
        down(products, 384, 1536) {}
  Weight query_key_value;
  Weight output;
  Weight up;
  Weight down;
};

std::vector<Layer> six_layers(const Products& products) {
  std::vector<Layer> layers;
  layers.reserve(6);
  for (int i = 0; i < 6; ++i) layers.emplace_back(products);
  return layers;
}

class Roofline {
 public:
  /// `multiply_add` is the peak of the arithmetic of `products`.
  Roofline(const Kernels& kernels, const Products& products, const Limits& limits,
           double (*multiply_add)(long) noexcept, int rounds, std::string_view name_part)
      : kernels_(kernels),
        products_(products),
        limits_(limits),
        multiply_add_(multiply_add),
        rounds_(rounds),
        name_part_(name_part) {
    constexpr long probe_steps = 100'000;
    multiply_add_(probe_steps);
    const double time = seconds([&] { multiply_add_(probe_steps); });
    peak_rounds_ = std::max(1L, static_cast<long>(2e-3 / time * probe_steps));
  }

  /// `flops` are those of one call of `work`; `weights` the bytes of weights it reads, where they
  /// come from memory.
  void measure(std::string_view name, double flops, double weights,
               const std::function<void()>& work) const {
    if (!name.contains(name_part_)) return;
    work();
    const int repeats = std::max(1, static_cast<int>(4e-3 / seconds(work)));
    std::vector<double> of_peak;
    std::vector<double> of_stream;
    std::vector<double> rates;
    for (int round = 0; round < rounds_; ++round) {
      const double stream = weights > 0 ? stream_rate() : 0;
      const double before = peak_rate();
      const double time = seconds([&] {
                            for (int i = 0; i < repeats; ++i) work();
                          }) /
                          repeats;
      const double after = peak_rate();
      rates.push_back(flops / time);
      of_peak.push_back(2 * flops / time / (before + after));
      if (weights > 0) of_stream.push_back(2 * weights / time / (stream + stream_rate()));
    }
    fmt::print("{:40} {:8.1f} Gop/s {:6.1f} %", name, median(rates) * 1e-9, 100 * median(of_peak));
    if (weights > 0) fmt::print("   weights at {:.1f} % of the stream", 100 * median(of_stream));
    fmt::print("\n");
  }

  void products(std::int64_t rows) const {
    struct Shape {
      std::int64_t in, out;
    };
    for (const auto& [in, out] : {Shape{384, 1152}, {384, 384}, {384, 1536}, {1536, 384}}) {
      const Weight w(products_, out, in);
      const Floats x = random_floats(rows * in);
      const Floats y(rows * out);
      const Floats scratch(static_cast<std::int64_t>(products_.scratch(rows, in)));
      measure(fmt::format("linear {} x {} -> {}", rows, in, out), w.flops(rows), 0, [&] {
        products_.linear({x.data(), rows, w.linear.in}, w.linear, {0, out}, scratch.data(),
                         y.data());
      });
    }
  }

  void feed_forward(std::int64_t rows) const {
    const Weight up(products_, 1536, 384);
    const Weight down(products_, 384, 1536);
    const Floats x = random_floats(rows * 384);
    const Floats norm = random_floats(384);
    const Floats middle(static_cast<std::int64_t>(middle_size(products_, rows, 1536)));
    const Floats scratch(static_cast<std::int64_t>(products_.scratch(rows, 1536)));
    measure(fmt::format("feed_forward {}", rows), up.flops(rows) + down.flops(rows), 0, [&] {
      embd::feed_forward({kernels_, products_, rows, x.data(), scratch.data()}, up.linear,
                         down.linear, {norm.data(), norm.data(), 1e-12F}, middle.data());
    });
  }

  void attention(std::int64_t seq_len) const {
    const Floats qkv = random_floats(seq_len * 1152);
    const Floats context(seq_len * 384);
    const Floats scratch(
        static_cast<std::int64_t>(attention_of(seq_len).scratch({seq_len, 12, 32})));
    measure(fmt::format("attention {}", seq_len),
            4.0 * static_cast<double>(seq_len * seq_len) * 384, 0, [&] {
              attention_of(seq_len).compute(qkv.data(), {seq_len, 12, 32}, {}, {0, 12},
                                            scratch.data(), context.data());
            });
  }

  /// Texts of `seq_len` tokens through the public Model, tokenizing and pooling included.
  void model(const Model& model, std::int64_t texts, std::int64_t seq_len) const {
    std::string text;
    while (std::ssize(model.tokenize(text)->ids) < seq_len) text += " sea";
    const std::vector<std::string_view> batch(static_cast<std::size_t>(texts), text);
    const double flops = flops_of(texts, seq_len);
    measure(fmt::format("model {} texts of {}", texts, seq_len), flops, texts == 1 ? weights_ : 0,
            [&] {
              if (!model.encode(batch, {.threads = 1, .dedup = false})) std::abort();
            });
  }

  double peak_rate() const {
    double flops = 0;
    const double time = seconds([&] { flops = multiply_add_(peak_rounds_); });
    return flops / time;
  }

  /// Six layers over packed texts of one length: the forward pass without its embeddings.
  void encoder(std::int64_t texts, std::int64_t seq_len) const {
    const std::int64_t tokens = texts * seq_len;
    const std::vector<Layer> layers = six_layers(products_);
    const Floats hidden = random_floats(tokens * 384);
    const Floats qkv(tokens * 1152);
    const Floats context(tokens * 384);
    const Floats ones(384);
    std::ranges::fill(ones.data(), ones.data() + 384, 1.0F);
    const kernels::LayerNorm norm{ones.data(), ones.data(), 1e-12F};
    const Floats middle(static_cast<std::int64_t>(middle_size(products_, tokens, 1536)));
    const Floats scratch(static_cast<std::int64_t>(std::max(
        products_.scratch(tokens, 1536), attention_of(seq_len).scratch({seq_len, 12, 32}))));
    measure(fmt::format("encoder {} texts of {}", texts, seq_len), flops_of(texts, seq_len),
            texts == 1 ? weights_ : 0, [&] {
              for (const Layer& layer : layers) {
                products_.linear({hidden.data(), tokens, layer.query_key_value.linear.in},
                                 layer.query_key_value.linear, {0, 1152}, scratch.data(),
                                 qkv.data());
                for (std::int64_t text = 0; text < texts; ++text) {
                  attention_of(seq_len).compute(qkv.data() + text * seq_len * 1152,
                                                {seq_len, 12, 32}, {}, {0, 12}, scratch.data(),
                                                context.data() + text * seq_len * 384);
                }
                const embd::LayerRows rows = {kernels_, products_, tokens, hidden.data(),
                                              scratch.data()};
                linear_add_norm(rows, context.data(), layer.output.linear, norm);
                embd::feed_forward(rows, layer.up.linear, layer.down.linear, norm, middle.data());
              }
            });
  }

 private:
  const kernels::Attention& attention_of(std::int64_t tokens) const {
    return kernels_.attention_with(products_, tokens);
  }

  /// Bytes a second of a read that no cache holds.
  double stream_rate() const {
    return static_cast<double>(stream_floats) * sizeof(float) / seconds([&] {
             volatile float sink = limits_.read(stream_.data(), stream_floats);
             static_cast<void>(sink);
           });
  }

  static double flops_of(std::int64_t texts, std::int64_t seq_len) {
    const auto length = static_cast<double>(seq_len);
    return static_cast<double>(texts) * length * (21'233'664.0 + 9'216.0 * length);
  }

  static constexpr long stream_floats = 10'616'832;  // as many as the encoder's weights

  const Kernels& kernels_;
  const Products& products_;
  const Limits& limits_;
  double (*multiply_add_)(long) noexcept;
  int rounds_;
  std::string_view name_part_;
  long peak_rounds_ = 0;
  /// Bytes of a model's weights.
  double weights_ =
      6.0 *
      static_cast<double>(products_.packed_bytes(1152, 384) + products_.packed_bytes(384, 384) +
                          products_.packed_bytes(1536, 384) + products_.packed_bytes(384, 1536));
  Floats stream_ = random_floats(stream_floats);
};

/// The multiply-add that bounds some products.
struct Peak {
  const char* name;
  const Limits* limits;
  double (*multiply_add)(long) noexcept;
};

Peak peak_of(const Products& products, Arithmetic arithmetic) {
  const std::string_view name = products.name;
  const auto with = [&](const char* instructions, const Limits& limits) {
    // Where bf16 has no instruction of its own, it is multiplied in float32.
    const bool bf16 = name == "avx512_bf16" || name == "avx512_amx";
    return Peak{instructions, &limits,
                arithmetic == Arithmetic::int8           ? limits.multiply_add_int8
                : arithmetic == Arithmetic::bf16 && bf16 ? limits.multiply_add_bf16
                                                         : limits.multiply_add};
  };
  if (name == "avx512_amx") return with("AMX", avx512_amx_limits);
  if (name.starts_with("avx512")) return with("AVX-512", avx512_limits);
  // In the encoding of AVX-512, so where there is none the limits are those without VNNI.
  if (name.starts_with("avx2_vnni") && cpu_features().avx512_vnni) {
    return with("256-bit VNNI", avx2_vnni_limits);
  }
  return with("AVX2", avx2_limits);
}

/// A way to multiply and add, and whether this processor has it.
struct Way {
  const char* name;
  bool is_there;
  double (*multiply_add)(long) noexcept;
};

void print_peaks(int rounds) {
  const CpuFeatures& cpu = cpu_features();
  const bool avx2 = is_usable_kernel_profile("avx2");
  const bool avx512 = is_usable_kernel_profile("avx512");
  const bool amx = is_usable_kernel_profile("avx512_amx");
  std::vector<Way> ways = {
      {"float32, vfmadd in 256 bits", avx2, avx2_limits.multiply_add},
      {"float32, vfmadd in 512 bits", avx512, avx512_limits.multiply_add},
      {"int8, vpmaddwd and vpaddd in 256 bits", avx2, avx2_limits.multiply_add_int8},
      {"7 bits, vpmaddubsw, vpmaddwd and vpaddd in 256 bits", avx2,
       avx2_limits.multiply_add_7_bits},
      {"int8, vpdpbusd in 256 bits", cpu.avx512_vnni, avx2_vnni_limits.multiply_add_int8},
      {"int8, vpdpbusd in 512 bits", cpu.avx512_vnni, avx512_limits.multiply_add_int8},
      {"int8, tdpbusd", amx, avx512_amx_limits.multiply_add_int8},
      {"bf16, vdpbf16ps in 512 bits", cpu.avx512_bf16, avx512_limits.multiply_add_bf16},
      {"bf16, tdpbf16ps", amx, avx512_amx_limits.multiply_add_bf16}};
  std::erase_if(ways, [](const Way& way) { return !way.is_there; });
  constexpr long steps = 100'000;
  std::vector<std::vector<double>> rates(ways.size());
  for (int round = 0; round < rounds; ++round) {  // They take turns, as neighbours come and go.
    for (std::size_t i = 0; i < ways.size(); ++i) {
      double done = 0;
      const double time = seconds([&] { done = ways[i].multiply_add(steps); });
      rates[i].push_back(done / time);
    }
  }
  for (std::size_t i = 0; i < ways.size(); ++i)
    fmt::print("{:52} {:8.1f} Gop/s\n", ways[i].name, median(rates[i]) * 1e-9);
}

int run(int rounds, Compute compute, std::string_view name_part) {
  const auto arithmetic = compute == Compute::int8   ? Arithmetic::int8
                          : compute == Compute::bf16 ? Arithmetic::bf16
                                                     : Arithmetic::f32;
  const Result<const Kernels*> chosen = kernels::choose_kernels(arithmetic);
  if (!chosen) {
    fmt::print(stderr, "{}\n", chosen.error().message());
    return 2;
  }
  const Kernels* kernels = *chosen;
  const Products& products = *kernels->products(arithmetic);
  const Peak peak = peak_of(products, arithmetic);
  const Roofline roofline(*kernels, products, *peak.limits, peak.multiply_add, rounds, name_part);
  fmt::print("{}, {}, of the {} multiply-add peak ({:.0f} Gop/s), median of {} rounds\n",
             products.name, compute_name(compute), peak.name, roofline.peak_rate() * 1e-9, rounds);
  for (const std::int64_t rows : {4096, 1024, 128, 12, 1}) roofline.products(rows);
  for (const std::int64_t rows : {4096, 128, 12}) roofline.feed_forward(rows);
  for (const std::int64_t seq_len : {256, 128, 12}) roofline.attention(seq_len);
  struct Texts {
    std::int64_t count, seq_len;
  };
  constexpr Texts num_texts[] = {{340, 12}, {32, 128}, {16, 256}, {1, 128},
                                 {1, 24},   {1, 12},   {1, 5}};
  for (const auto& [count, seq_len] : num_texts) roofline.encoder(count, seq_len);

  const char* path = std::getenv("EMBD_MODEL");
  if (path == nullptr) return 0;
  const Result<Model> model = Model::open(path, {.compute = compute});
  if (!model) {
    fmt::print(stderr, "{}\n", model.error().message());
    return 3;
  }
  for (const auto& [count, seq_len] : num_texts) roofline.model(*model, count, seq_len);
  return 0;
}

}  // namespace
}  // namespace embd::bench

int main(int argc, char** argv) {
  const std::string_view compute = argc > 2 ? argv[2] : "f32";
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 31;
  if (compute == "peaks") {
    embd::bench::print_peaks(rounds);
    return 0;
  }
  return embd::bench::run(rounds,
                          compute == "int8"   ? embd::Compute::int8
                          : compute == "bf16" ? embd::Compute::bf16
                                              : embd::Compute::f32,
                          argc > 3 ? argv[3] : "");
}
