#include "formats/vectors/svs/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/elements.h"
#include "base/try.h"
#include "formats/vectors/svs/lvq.h"
#include "formats/vectors/svs/svs_layout.h"

namespace embd::svs {
namespace {

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
  if (!type)
    return std::unexpected(object.error(ErrorCode::bad_type, "eltype", type.error().what()));

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
    return std::unexpected(
        object.error(ErrorCode::bad_type, "data", "codes must be int8 or int16"));
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
    Schema{"one_level_lvq_dataset v0.0.2", open_one_level_lvq},
    Schema{"two_level_lvq_dataset v0.0.3", open_two_level_lvq},
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
    return fail(
        ErrorCode::bad_type,
        fmt::format("the element type of the vectors is \"{}\", which embd does not know", name));
  return found->type;
}

Result<std::unique_ptr<Dataset>> make_uncompressed(BinaryFile binary, ElementType type) {
  if (library_name(type) == "undef")
    return fail(ErrorCode::unsupported,
                fmt::format("SVS cannot store vectors of type {}", element_name(type)));
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
  return std::unexpected(object.error(
      ErrorCode::missing, "__schema__",
      fmt::format("there is no schema, and \"{}\" is not the name of a known object", name)));
}

Result<TomlTable> open_object(const std::filesystem::path& directory) {
  const TomlTable root = EMBD_TRY(TomlTable::read(directory / config_name));
  const std::string version = EMBD_TRY(root.string("__version__"));
  if (version != envelope_version && version != legacy_envelope_version) {
    return std::unexpected(root.error(
        ErrorCode::unsupported_version, "__version__",
        fmt::format("{}, expected {} or {}", version, envelope_version, legacy_envelope_version)));
  }
  TomlTable object = EMBD_TRY(root.table("object"));
  if (version == envelope_version && !object.has("__schema__")) {
    return std::unexpected(object.error(ErrorCode::missing, "__schema__", "expected a string"));
  }
  return object;
}

Result<std::unique_ptr<Dataset>> open_dataset(const TomlTable& object,
                                              const std::filesystem::path& directory) {
  const std::string schema = EMBD_TRY(schema_of(object));
  const auto known = std::ranges::find(schemas, schema, &Schema::name_and_version);
  if (known == schemas.end()) {
    return std::unexpected(
        object.error(ErrorCode::unsupported_version, "__schema__",
                     fmt::format("{} is not a schema of vectors that embd can read", schema)));
  }
  return known->open(object, directory);
}

}  // namespace embd::svs
