#include "engine/weights.h"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>

#include "base/parallel.h"
#include "base/try.h"
#include "formats/weights/embd/embd_encode.h"

namespace embd {
namespace {

using kernels::Arithmetic;
using kernels::Kernels;
using kernels::LayerNorm;
using kernels::Linear;
using kernels::Products;

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A tensor as the engine computes with it; one of the mapped file stays there.
Eigen::Map<const RowMajor> map_of(MatrixView matrix) {
  return {matrix.data(), static_cast<Eigen::Index>(matrix.rows()),
          static_cast<Eigen::Index>(matrix.cols())};
}

/// Hands out a piece of memory in 64-byte steps. Over no memory it only measures.
class Arena {
 public:
  explicit Arena(std::byte* memory) : memory_(memory) {}

  void* bytes(std::size_t size) {
    std::byte* taken = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (size + 63) / 64 * 64;
    return taken;
  }
  float* floats(std::int64_t count) {
    return static_cast<float*>(bytes(static_cast<std::size_t>(count) * sizeof(float)));
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

/// Where a linear step goes: memory for its packed matrix and its bias. Its rows come from one or
/// more tensors, one below the other.
struct LinearStorage {
  LinearStorage(Arena& arena, const Products& products, std::int64_t out_size, std::int64_t in_size)
      : packed(arena.bytes(products.packed_bytes(out_size, in_size))),
        bias(arena.floats(out_size)),
        inverse_smooth(arena.floats(in_size)),
        out(out_size),
        in(in_size) {}

  Linear linear() const { return {packed, bias, in, out, smoothed ? inverse_smooth : nullptr}; }

  void* packed;
  float* bias;
  float* inverse_smooth;
  std::int64_t out;
  std::int64_t in;
  bool smoothed = false;
};

struct NormStorage {
  NormStorage(Arena& arena, std::int64_t hidden)
      : gamma(arena.floats(hidden)), beta(arena.floats(hidden)) {}

  float* gamma;
  float* beta;
};

struct LayerStorage {
  LayerStorage(Arena& arena, const Products& products, std::int64_t hidden,
               std::int64_t intermediate)
      : query_key_value(arena, products, 3 * hidden, hidden),
        attention_output(arena, products, hidden, hidden),
        up(arena, products, intermediate, hidden),
        down(arena, products, hidden, intermediate),
        attention_norm(arena, hidden),
        output_norm(arena, hidden) {}

  LinearStorage query_key_value;
  LinearStorage attention_output;
  LinearStorage up;
  LinearStorage down;
  NormStorage attention_norm;
  NormStorage output_norm;
};

std::vector<LayerStorage> allocate_layers(Arena& arena, const Products& products,
                                          const ModelConfig& config) {
  std::vector<LayerStorage> layers;
  layers.reserve(config.num_layers);
  for (std::uint32_t i = 0; i < config.num_layers; ++i) {
    layers.emplace_back(arena, products, config.hidden, config.intermediate);
  }
  return layers;
}

/// The matrices of a linear step, one below the other.
using Parts = std::vector<WeightMatrix>;

Result<void> pack_floats(const Parts& parts, const Products& products,
                         const LinearStorage& storage) {
  const auto pack = [&](const float* values) {
    products.pack({.out = storage.out, .in = storage.in, .values = values}, storage.packed);
  };
  if (const auto in_place = parts.front().view(); in_place && parts.size() == 1) {
    pack(in_place->data());
    return {};
  }
  RowMajor rows(storage.out, storage.in);
  Eigen::Index first = 0;
  for (const WeightMatrix& part : parts) {
    auto block = rows.middleRows(first, part.rows());
    if (const auto in_place = part.view()) {
      block = map_of(*in_place);
    } else {
      EMBD_TRY(part.to_floats({block.data(), static_cast<std::size_t>(block.size())}));
    }
    first += part.rows();
  }
  pack(rows.data());
  return {};
}

/// A matrix in int8: its rows' codes, one after the other, and their steps.
struct CodedRows {
  std::vector<std::byte> codes;
  std::vector<float> scales;
};

/// Each row rounded to steps of its own.
Result<CodedRows> round_rows(const Parts& parts) {
  CodedRows rounded;
  for (const WeightMatrix& part : parts) {
    Matrix rows(part.rows(), part.cols());
    EMBD_TRY(part.to_floats(rows.values()));
    const std::vector<float> scales = int8_scales(rows);
    rounded.scales.insert(rounded.scales.end(), scales.begin(), scales.end());
    const std::vector<std::byte> codes = encode_int8(rows, scales);
    rounded.codes.insert(rounded.codes.end(), codes.begin(), codes.end());
  }
  return rounded;
}

/// Whether the parts are int8 already and want the same done to x.
bool are_codes_of_one_input(const Parts& parts) {
  const auto smooth = [](const WeightMatrix& part) {
    return part.smooth == nullptr ? Bytes() : part.smooth->data;
  };
  return std::ranges::all_of(parts, [&](const WeightMatrix& part) {
    return part.type() == ElementType::i8 &&
           std::ranges::equal(smooth(part), smooth(parts.front()));
  });
}

/// Those of parts that are int8 already.
Result<CodedRows> stored_rows(const Parts& parts, const LinearStorage& storage) {
  CodedRows stored = {.scales = std::vector<float>(static_cast<std::size_t>(storage.out))};
  std::span<float> rest = stored.scales;
  for (const WeightMatrix& part : parts) {
    EMBD_TRY(to_floats(*part.scale, rest.first(part.rows())));
    rest = rest.subspan(part.rows());
    stored.codes.insert(stored.codes.end(), part.values->data.begin(), part.values->data.end());
  }
  return stored;
}

Result<void> load_smooth(const Tensor& smooth, LinearStorage& storage) {
  const std::span<float> inverse(storage.inverse_smooth, static_cast<std::size_t>(storage.in));
  EMBD_TRY(to_floats(smooth, inverse));
  for (float& factor : inverse) factor = 1.0F / factor;
  storage.smoothed = true;
  return {};
}

Result<void> pack_int8(const Parts& parts, const Products& products, LinearStorage& storage) {
  const bool stored = are_codes_of_one_input(parts);
  const CodedRows rows = EMBD_TRY(stored ? stored_rows(parts, storage) : round_rows(parts));
  if (const Tensor* smooth = parts.front().smooth; stored && smooth != nullptr) {
    EMBD_TRY(load_smooth(*smooth, storage));
  }
  products.pack({.out = storage.out,
                 .in = storage.in,
                 .codes = reinterpret_cast<const std::int8_t*>(rows.codes.data()),
                 .scale = rows.scales.data()},
                storage.packed);
  return {};
}

Result<void> load_linear(const WeightFile& file, const Products& products, Arithmetic arithmetic,
                         std::span<const std::string> names, LinearStorage& storage) {
  if (storage.in > products.max_depth) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: {} columns, more than the {} that {} adds up exactly",
                            names.front(), storage.in, products.max_depth, products.name));
  }
  Parts parts;
  float* bias = storage.bias;
  for (const std::string& name : names) {
    parts.push_back(EMBD_TRY(file.matrix(name + ".weight")));
    bias = std::ranges::copy(EMBD_TRY(file.vector(name + ".bias")), bias).out;
  }
  if (arithmetic == Arithmetic::int8) {
    EMBD_TRY(pack_int8(parts, products, storage));
  } else {
    EMBD_TRY(pack_floats(parts, products, storage));
  }
  for (const WeightMatrix& part : parts) file.release(part.values->data);
  return {};
}

Result<void> load_norm(const WeightFile& file, const std::string& name,
                       const NormStorage& storage) {
  std::ranges::copy(EMBD_TRY(file.vector(name + ".weight")), storage.gamma);
  std::ranges::copy(EMBD_TRY(file.vector(name + ".bias")), storage.beta);
  return {};
}

/// The parts of a layer, each a task of its own.
constexpr std::size_t tasks_per_layer = 5;

Result<void> load_part(const WeightFile& file, const Products& products, Arithmetic arithmetic,
                       std::size_t layer, std::size_t part, LayerStorage& storage) {
  const auto name = [&](std::string_view suffix) {
    return fmt::format("encoder.layer.{}.{}", layer, suffix);
  };
  const auto linear = [&](std::initializer_list<std::string_view> suffixes, LinearStorage& step) {
    std::vector<std::string> names;
    for (const std::string_view suffix : suffixes) names.push_back(name(suffix));
    return load_linear(file, products, arithmetic, names, step);
  };
  switch (part) {
    case 0:
      return linear({"attention.self.query", "attention.self.key", "attention.self.value"},
                    storage.query_key_value);
    case 1:
      return linear({"intermediate.dense"}, storage.up);
    case 2:
      return linear({"output.dense"}, storage.down);
    case 3:
      return linear({"attention.output.dense"}, storage.attention_output);
    default:
      EMBD_TRY(load_norm(file, name("attention.output.LayerNorm"), storage.attention_norm));
      return load_norm(file, name("output.LayerNorm"), storage.output_norm);
  }
}

}  // namespace

Result<Embeddings> Embeddings::load(const WeightFile& file) {
  Embeddings loaded;
  loaded.words_ = EMBD_TRY(file.matrix("embeddings.word_embeddings.weight"));
  loaded.words_in_place_ = loaded.words_.view();
  const WeightMatrix positions = EMBD_TRY(file.matrix("embeddings.position_embeddings.weight"));
  loaded.positions_.resize(std::size_t{positions.rows()} * positions.cols());
  EMBD_TRY(positions.to_floats(loaded.positions_));
  loaded.token_type_.resize(file.config().hidden);
  EMBD_TRY(EMBD_TRY(file.matrix("embeddings.token_type_embeddings.weight"))
               .row_to_floats(0, 1, loaded.token_type_));
  loaded.gamma_ = EMBD_TRY(file.vector("embeddings.LayerNorm.weight"));
  loaded.beta_ = EMBD_TRY(file.vector("embeddings.LayerNorm.bias"));
  loaded.epsilon_ = static_cast<float>(file.config().layer_norm_eps);
  return loaded;
}

void Embeddings::sum(std::int32_t id, std::int64_t position, std::span<float> out) const noexcept {
  const auto word = static_cast<std::uint32_t>(id);
  Eigen::Map<Eigen::RowVectorXf> row(out.data(), static_cast<Eigen::Index>(out.size()));
  if (words_in_place_) {
    row = map_of(*words_in_place_).row(word);
  } else {
    // Cannot fail: the id is inside the vocabulary and the file was checked when it was opened.
    (void)words_.row_to_floats(word, 1, out);
  }
  row += map_of({positions_.data(), positions_.size() / out.size(), out.size()}).row(position);
  row += map_of({token_type_.data(), 1, out.size()}).row(0);
}

Result<Weights> Weights::load(const WeightFile& file, const Kernels& kernels, int threads,
                              Arithmetic arithmetic) {
  Weights weights;
  weights.products_ = kernels.products(arithmetic);
  const Products& products = *weights.products_;
  weights.config_ = file.config();
  if (weights.config_.max_positions > products.max_depth) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} positions, more than the {} that {} adds up exactly",
                            weights.config_.max_positions, products.max_depth, products.name));
  }
  weights.embeddings_ = EMBD_TRY(Embeddings::load(file));

  Arena measure(nullptr);
  allocate_layers(measure, products, weights.config_);
  weights.memory_ = AlignedBuffer(measure.used());
  Arena arena(weights.memory_.data());
  std::vector<LayerStorage> layers = allocate_layers(arena, products, weights.config_);

  EMBD_TRY(parallel_for(layers.size() * tasks_per_layer, threads, [&](std::size_t task) {
    const std::size_t layer = task / tasks_per_layer;
    return load_part(file, products, arithmetic, layer, task % tasks_per_layer, layers[layer]);
  }));

  const auto epsilon = static_cast<float>(weights.config_.layer_norm_eps);
  const auto norm = [&](const NormStorage& storage) {
    return LayerNorm{storage.gamma, storage.beta, epsilon};
  };
  for (const LayerStorage& storage : layers) {
    weights.layers_.push_back({.query_key_value = storage.query_key_value.linear(),
                               .attention_output = storage.attention_output.linear(),
                               .attention_norm = norm(storage.attention_norm),
                               .up = storage.up.linear(),
                               .down = storage.down.linear(),
                               .output_norm = norm(storage.output_norm)});
  }
  return weights;
}

}  // namespace embd
