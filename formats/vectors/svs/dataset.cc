#include "formats/vectors/svs/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/elements.h"
#include "base/half.h"
#include "base/path_text.h"
#include "base/try.h"

namespace embd::svs {
namespace {

constexpr std::uint64_t turbo_lanes = 16;
constexpr std::uint64_t turbo_block_bytes = 64;

/// How the codes of a row are packed.
struct Packing {
  std::uint64_t bits;  // 4 or 8
  bool turbo;          // True for blocks of 16 lanes, false for one dimension after another.
  std::uint64_t dim;

  std::uint64_t codes_per_lane() const { return turbo_block_bytes / turbo_lanes * 8 / bits; }
  std::uint64_t code_bytes() const {
    if (!turbo) return (dim * bits + 7) / 8;
    const std::uint64_t block_dims = turbo_lanes * codes_per_lane();
    return (dim + block_dims - 1) / block_dims * turbo_block_bytes;
  }
  float code(Bytes row, std::uint64_t i) const noexcept {
    std::uint64_t byte = 0;
    bool high = false;
    if (turbo) {
      const std::uint64_t block = i / (turbo_lanes * codes_per_lane());
      const std::uint64_t lane = i % turbo_lanes;
      const std::uint64_t slot = i / turbo_lanes % codes_per_lane();
      byte = block * turbo_block_bytes + lane * (turbo_block_bytes / turbo_lanes) + slot * bits / 8;
      high = bits == 4 && slot % 2 == 1;
    } else {
      byte = i * bits / 8;
      high = bits == 4 && i % 2 == 1;
    }
    const auto value = std::to_integer<unsigned>(row[byte]);
    return static_cast<float>(bits == 8 ? value : high ? value >> 4 : value & 15U);
  }
};

/// The primary LVQ data: codes, and a scale and bias for each row.
struct Primary {
  BinaryFile binary;
  Packing packing;
  bool half_constants;  // True if scale and bias are float16, as in early releases.

  Bytes row(std::uint64_t i) const noexcept {
    return binary.data().subspan(i * binary.columns, binary.columns);
  }
  float constant(Bytes row, unsigned which) const noexcept {
    const Bytes tail = row.subspan(packing.code_bytes());
    return half_constants ? float_from_half(load<std::uint16_t>(tail.subspan(2 * which)))
                          : load<float>(tail.subspan(4 * which));
  }
  float scale(Bytes row) const noexcept { return constant(row, 0); }
  float bias(Bytes row) const noexcept { return constant(row, 1); }
  std::uint64_t centroid(Bytes row) const noexcept {
    return std::to_integer<std::uint64_t>(row[packing.code_bytes() + (half_constants ? 4 : 8)]);
  }
};

Result<Primary> open_primary(const TomlTable& object, const std::filesystem::path& directory) {
  const std::string schema = EMBD_TRY(schema_of(object));
  if (schema != "lvq_with_scaling_constants v0.0.3" &&
      schema != "lvq_with_scaling_constants v0.0.4") {
    return object.fail(ErrorCode::unsupported_version, "__schema__",
                       "{} is not a schema of LVQ codes that embd can read", schema);
  }
  const bool first_version = schema.ends_with("v0.0.3");
  const std::uint64_t bits = EMBD_TRY(object.count("bits"));
  if (bits != 4 && bits != 8)
    return object.fail(ErrorCode::bad_value, "bits", "{}, expected 4 or 8", bits);
  const std::uint64_t dim = EMBD_TRY(object.count("logical_dimensions"));
  const std::uint64_t rows = EMBD_TRY(object.count("num_vectors"));
  const std::uint64_t alignment = first_version ? 0 : EMBD_TRY(object.count("alignment"));
  const std::string packing_name =
      first_version ? "sequential" : EMBD_TRY(object.string("packing"));
  const std::string turbo_name = bits == 8 ? "turbo<16x4>" : "turbo<16x8>";
  if (packing_name != "sequential" && packing_name != turbo_name) {
    return object.fail(
        ErrorCode::unsupported, "packing",
        "the packing is \"{}\", which has no public description, expected sequential or {}",
        packing_name, turbo_name);
  }

  const std::string name =
      object.has("binary_file") ? EMBD_TRY(object.string("binary_file")) : std::string();
  BinaryFile binary = EMBD_TRY(find_binary(object, "file_uuid", directory, name));
  Primary primary{.binary = std::move(binary),
                  .packing = {.bits = bits, .turbo = packing_name == turbo_name, .dim = dim},
                  .half_constants = false};
  EMBD_TRY(primary.binary.expect_elements(1));
  if (primary.binary.rows != rows) {
    return object.fail(ErrorCode::bad_count, "num_vectors",
                       "the number is {}, but the binary file has {} rows", rows,
                       primary.binary.rows);
  }
  // The row size of the file limits the dimensions, before anything is computed from them.
  const std::uint64_t columns = primary.binary.columns;
  if (dim / 2 > columns) {
    return object.fail(ErrorCode::bad_count, "logical_dimensions",
                       "{} dimensions do not fit in rows of {} bytes", dim, columns);
  }
  const std::uint64_t float_row = primary.packing.code_bytes() + 9;
  const std::uint64_t half_row = primary.packing.code_bytes() + 5;
  const std::uint64_t padded_row =
      alignment > 1 ? (float_row + alignment - 1) / alignment * alignment : float_row;
  primary.half_constants = first_version && columns == half_row;
  if (!primary.half_constants && columns != padded_row) {
    return object.fail(
        ErrorCode::bad_count, "logical_dimensions",
        "{} dimensions take rows of {} bytes, but the rows of the binary file have {}", dim,
        padded_row, columns);
  }
  return primary;
}

/// The residual LVQ data: codes of the difference that the primary codes leave.
struct Residual {
  std::unique_ptr<Dataset> bytes;
  Packing packing;
};

Result<Residual> open_residual(const TomlTable& object, const std::filesystem::path& directory,
                               const Primary& primary) {
  const std::string schema = EMBD_TRY(schema_of(object));
  if (schema != "lvq_compressed_dataset v0.0.0") {
    return object.fail(ErrorCode::unsupported_version, "__schema__",
                       "{} is not a schema of LVQ residuals that embd can read", schema);
  }
  const std::uint64_t bits = EMBD_TRY(object.count("bits"));
  if (bits != 4 && bits != 8)
    return object.fail(ErrorCode::bad_value, "bits", "{}, expected 4 or 8", bits);
  if (const std::string sign = EMBD_TRY(object.string("sign")); sign != "unsigned") {
    return object.fail(ErrorCode::bad_value, "sign", "\"{}\", expected \"unsigned\"", sign);
  }
  const std::uint64_t dim = EMBD_TRY(object.count("ndims"));
  if (dim != primary.packing.dim) {
    return object.fail(ErrorCode::bad_count, "ndims",
                       "the number is {}, but the primary codes have {}", dim, primary.packing.dim);
  }
  auto bytes = EMBD_TRY(open_dataset(EMBD_TRY(object.table("inner")), directory));
  Residual residual{.bytes = std::move(bytes),
                    .packing = {.bits = bits, .turbo = false, .dim = dim}};
  if (!residual.bytes->raw() || residual.bytes->element_type() != ElementType::u8 ||
      residual.bytes->rows() != primary.binary.rows ||
      residual.bytes->dim() != residual.packing.code_bytes()) {
    return object.fail(ErrorCode::bad_count, "inner", "expected {} rows of {} bytes",
                       primary.binary.rows, residual.packing.code_bytes());
  }
  return residual;
}

class Lvq final : public Dataset {
 public:
  Lvq(Primary primary, std::unique_ptr<Dataset> centroids, std::optional<Residual> residual)
      : primary_(std::move(primary)),
        residual_(std::move(residual)),
        centroids_(centroids->rows(), centroids->dim()) {
    centroids->decode(0, centroids->rows(), centroids_.values());
  }

  std::uint64_t rows() const noexcept override { return primary_.binary.rows; }
  std::uint64_t dim() const noexcept override { return primary_.packing.dim; }
  ElementType element_type() const noexcept override { return ElementType::f32; }
  std::string encoding() const override {
    return residual_ ? fmt::format("lvq{}x{}", primary_.packing.bits, residual_->packing.bits)
                     : fmt::format("lvq{}", primary_.packing.bits);
  }
  void decode(std::uint64_t first, std::uint64_t count,
              std::span<float> out) const noexcept override {
    for (std::uint64_t i = 0; i < count; ++i) decode_row(first + i, out.subspan(i * dim(), dim()));
  }

 private:
  void decode_row(std::uint64_t i, std::span<float> out) const noexcept {
    const Bytes row = primary_.row(i);
    const float scale = primary_.scale(row);
    const float bias = primary_.bias(row);
    const auto centroid =
        centroids_.row(std::min<std::uint64_t>(primary_.centroid(row), centroids_.rows() - 1));
    for (std::uint64_t d = 0; d < out.size(); ++d)
      out[d] = primary_.packing.code(row, d) * scale + bias + centroid[d];
    if (!residual_) return;
    const Packing& packing = residual_->packing;
    const Bytes codes =
        residual_->bytes->raw()->subspan(i * packing.code_bytes(), packing.code_bytes());
    const float step = scale / static_cast<float>((1U << packing.bits) - 1);
    for (std::uint64_t d = 0; d < out.size(); ++d)
      out[d] += packing.code(codes, d) * step - scale / 2;
  }

  Primary primary_;
  std::optional<Residual> residual_;
  Matrix centroids_;
};

/// Opens a data set of locally-adaptive vector quantization (LVQ). The mean of all rows is
/// subtracted, and each row has its own scale and bias. With two levels, the second code of a row
/// stores the remainder that the first one leaves.
template <bool two_levels>
Result<std::unique_ptr<Dataset>> open_lvq(const TomlTable& object,
                                          const std::filesystem::path& directory) {
  Primary primary = EMBD_TRY(open_primary(EMBD_TRY(object.table("primary")), directory));
  auto centroids = EMBD_TRY(open_dataset(EMBD_TRY(object.table("centroids")), directory));
  if (centroids->rows() == 0 || centroids->rows() > 256 ||
      centroids->dim() != primary.packing.dim) {
    return object.fail(ErrorCode::bad_count, "centroids", "{} × {}, expected 1 to 256 × {}",
                       centroids->rows(), centroids->dim(), primary.packing.dim);
  }
  for (std::uint64_t i = 0; i < primary.binary.rows; ++i) {
    if (primary.centroid(primary.row(i)) >= centroids->rows()) {
      return std::unexpected(
          Error(ErrorCode::bad_value,
                fmt::format(
                    "row {} refers to centroid {}, but there are {} centroids, counted from 0", i,
                    primary.centroid(primary.row(i)), centroids->rows()))
              .at_offset(primary.binary.data_offset + i * primary.binary.columns)
              .in_file(text_of_path(primary.binary.path())));
    }
  }
  std::optional<Residual> residual;
  if (two_levels)
    residual = EMBD_TRY(open_residual(EMBD_TRY(object.table("residual")), directory, primary));
  return std::make_unique<Lvq>(std::move(primary), std::move(centroids), std::move(residual));
}

/// A LeanVec data set. Its rows are those of its second data set.
class LeanVec final : public Dataset {
 public:
  LeanVec(std::unique_ptr<Dataset> primary, std::unique_ptr<Dataset> secondary)
      : primary_(std::move(primary)), secondary_(std::move(secondary)) {}

  std::uint64_t rows() const noexcept override { return secondary_->rows(); }
  std::uint64_t dim() const noexcept override { return secondary_->dim(); }
  ElementType element_type() const noexcept override { return secondary_->element_type(); }
  std::string encoding() const override {
    return fmt::format("leanvec{} ({} + {})", primary_->dim(), primary_->encoding(),
                       secondary_->encoding());
  }
  void decode(std::uint64_t first, std::uint64_t count,
              std::span<float> out) const noexcept override {
    secondary_->decode(first, count, out);
  }

 private:
  std::unique_ptr<Dataset> primary_;
  std::unique_ptr<Dataset> secondary_;
};

Result<void> check_projection(const TomlTable& matrices, std::string_view key,
                              const std::filesystem::path& directory, const Dataset& primary,
                              const Dataset& secondary) {
  const auto matrix = EMBD_TRY(open_dataset(EMBD_TRY(matrices.table(key)), directory));
  if (matrix->rows() != secondary.dim() || matrix->dim() != primary.dim()) {
    return matrices.fail(ErrorCode::bad_count, key, "{} × {}, expected {} × {}", matrix->rows(),
                         matrix->dim(), secondary.dim(), primary.dim());
  }
  return {};
}

/// Opens a LeanVec data set. Rows are decoded from its second part, which has the full dimension.
Result<std::unique_ptr<Dataset>> open_leanvec(const TomlTable& object,
                                              const std::filesystem::path& directory) {
  auto primary = EMBD_TRY(open_dataset(EMBD_TRY(object.table("primary")), directory));
  auto secondary = EMBD_TRY(open_dataset(EMBD_TRY(object.table("secondary")), directory));
  if (primary->rows() != secondary->rows()) {
    return object.fail(ErrorCode::bad_count, "secondary",
                       "there are {} rows, but the primary vectors have {}", secondary->rows(),
                       primary->rows());
  }
  const TomlTable matrices = EMBD_TRY(object.table("matrices"));
  EMBD_TRY(check_projection(matrices, "data_matrix", directory, *primary, *secondary));
  EMBD_TRY(check_projection(matrices, "query_matrix", directory, *primary, *secondary));
  if (const auto means = EMBD_TRY(object.floats("means")); means.size() != secondary->dim()) {
    return object.fail(ErrorCode::bad_count, "means", "{} values, expected {}", means.size(),
                       secondary->dim());
  }
  return std::make_unique<LeanVec>(std::move(primary), std::move(secondary));
}

struct TypeName {
  ElementType type;
  std::string_view name;
};
constexpr std::array type_names = {
    TypeName{ElementType::f32, "float32"}, TypeName{ElementType::f16, "float16"},
    TypeName{ElementType::u8, "uint8"},    TypeName{ElementType::i8, "int8"},
    TypeName{ElementType::f64, "float64"}, TypeName{ElementType::bf16, "bfloat16"},
    TypeName{ElementType::i16, "int16"},   TypeName{ElementType::u16, "uint16"},
    TypeName{ElementType::i32, "int32"},   TypeName{ElementType::u32, "uint32"},
    TypeName{ElementType::i64, "int64"},   TypeName{ElementType::u64, "uint64"},
};

class Uncompressed final : public Dataset {
 public:
  Uncompressed(BinaryFile binary, ElementType type) : binary_(std::move(binary)), type_(type) {}

  std::uint64_t rows() const noexcept override { return binary_.rows; }
  std::uint64_t dim() const noexcept override { return binary_.columns; }
  ElementType element_type() const noexcept override { return type_; }
  std::string encoding() const override { return std::string(element_name(type_)); }
  std::optional<Bytes> raw() const noexcept override { return binary_.data(); }
  void decode(std::uint64_t first, std::uint64_t count,
              std::span<float> out) const noexcept override {
    const std::uint64_t row_bytes = dim() * element_bits(type_) / 8;
    floats_from_elements(type_, binary_.data().subspan(first * row_bytes, count * row_bytes), out);
  }

 private:
  BinaryFile binary_;
  ElementType type_;
};

/// A data set with value = scale · code + bias. All rows share scale and bias.
class ScalarQuantized final : public Dataset {
 public:
  ScalarQuantized(std::unique_ptr<Dataset> codes, float scale, float bias)
      : codes_(std::move(codes)), scale_(scale), bias_(bias) {}

  std::uint64_t rows() const noexcept override { return codes_->rows(); }
  std::uint64_t dim() const noexcept override { return codes_->dim(); }
  ElementType element_type() const noexcept override { return codes_->element_type(); }
  std::string encoding() const override {
    return fmt::format("sq{}", element_bits(element_type()));
  }
  void decode(std::uint64_t first, std::uint64_t count,
              std::span<float> out) const noexcept override {
    codes_->decode(first, count, out);
    for (float& value : out) value = value * scale_ + bias_;
  }

 private:
  std::unique_ptr<Dataset> codes_;
  float scale_;
  float bias_;
};

Result<std::unique_ptr<Dataset>> open_uncompressed(const TomlTable& object,
                                                   const std::filesystem::path& directory) {
  const std::uint64_t dim = EMBD_TRY(object.count("dims"));
  const std::string eltype = EMBD_TRY(object.string("eltype"));
  const bool is_byte = eltype == "byte";  // Opaque bytes: codes of LVQ.
  const auto type = is_byte ? ElementType::u8 : element_from_library_name(eltype);
  if (!type) return object.fail(ErrorCode::bad_type, "eltype", type.error().what());

  const std::string name =
      object.has("binary_file") ? EMBD_TRY(object.string("binary_file")) : std::string();
  BinaryFile binary = EMBD_TRY(find_binary(object, "uuid", directory, name));
  EMBD_TRY(binary.expect_shape(
      object.has("num_vectors") ? EMBD_TRY(object.count("num_vectors")) : binary.rows, dim));
  return make_uncompressed(std::move(binary), *type);
}

Result<std::unique_ptr<Dataset>> open_scalar_quantized(const TomlTable& object,
                                                       const std::filesystem::path& directory) {
  const double scale = EMBD_TRY(object.floating("scale"));
  const double bias = EMBD_TRY(object.floating("bias"));
  auto codes = EMBD_TRY(open_dataset(EMBD_TRY(object.table("data")), directory));
  if (codes->element_type() != ElementType::i8 && codes->element_type() != ElementType::i16) {
    return object.fail(ErrorCode::bad_type, "data", "codes must be int8 or int16");
  }
  return std::make_unique<ScalarQuantized>(std::move(codes), static_cast<float>(scale),
                                           static_cast<float>(bias));
}

using Opener = Result<std::unique_ptr<Dataset>> (*)(const TomlTable&, const std::filesystem::path&);
struct Schema {
  std::string_view name_and_version;
  Opener open;
};
constexpr std::array schemas = {
    Schema{"uncompressed_data v0.0.0", open_uncompressed},
    Schema{"one_level_lvq_dataset v0.0.2", open_lvq<false>},
    Schema{"two_level_lvq_dataset v0.0.3", open_lvq<true>},
    Schema{"scalar_quantization_dataset v0.0.0", open_scalar_quantized},
    Schema{"leanvec_dataset v0.0.0", open_leanvec},
};

}  // namespace

std::string_view library_name(ElementType type) noexcept {
  const auto found = std::ranges::find(type_names, type, &TypeName::type);
  return found == type_names.end() ? "undef" : found->name;
}

Result<ElementType> element_from_library_name(std::string_view name) {
  const auto found = std::ranges::find(type_names, name, &TypeName::name);
  if (found == type_names.end())
    return fail(ErrorCode::bad_type,
                "the element type of the vectors is \"{}\", which embd does not know", name);
  return found->type;
}

Result<std::unique_ptr<Dataset>> make_uncompressed(BinaryFile binary, ElementType type) {
  if (library_name(type) == "undef")
    return fail(ErrorCode::unsupported, "SVS cannot store vectors of type {}", element_name(type));
  EMBD_TRY(binary.expect_elements(element_bits(type) / 8));
  return std::make_unique<Uncompressed>(std::move(binary), type);
}

Result<std::string> schema_of(const TomlTable& object) {
  const std::string version = EMBD_TRY(object.string("__version__"));
  if (object.has("__schema__")) return EMBD_TRY(object.string("__schema__")) + ' ' + version;
  const std::string name = EMBD_TRY(object.string("name"));
  if (name == "uncompressed") return "uncompressed_data " + version;
  if (name == "graph") return "default_graph " + version;
  if (name == "vamana config parameters") return "vamana_index_parameters " + version;
  return object.fail(ErrorCode::missing, "__schema__",
                     "there is no schema, and \"{}\" is not the name of a known object", name);
}

Result<TomlTable> open_object(const std::filesystem::path& directory) {
  const TomlTable root = EMBD_TRY(TomlTable::read(directory / config_name));
  const std::string version = EMBD_TRY(root.string("__version__"));
  if (version != envelope_version && version != legacy_envelope_version) {
    return root.fail(ErrorCode::unsupported_version, "__version__", "{}, expected {} or {}",
                     version, envelope_version, legacy_envelope_version);
  }
  TomlTable object = EMBD_TRY(root.table("object"));
  if (version == envelope_version && !object.has("__schema__")) {
    return object.fail(ErrorCode::missing, "__schema__", "expected a string");
  }
  return object;
}

Result<std::unique_ptr<Dataset>> open_dataset(const TomlTable& object,
                                              const std::filesystem::path& directory) {
  const std::string schema = EMBD_TRY(schema_of(object));
  const auto known = std::ranges::find(schemas, schema, &Schema::name_and_version);
  if (known == schemas.end()) {
    return object.fail(ErrorCode::unsupported_version, "__schema__",
                       "{} is not a schema of vectors that embd can read", schema);
  }
  return known->open(object, directory);
}

}  // namespace embd::svs
