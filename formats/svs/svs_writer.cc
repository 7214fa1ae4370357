#include "formats/svs/svs_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/elements.h"
#include "base/mapped_file.h"
#include "base/try.h"
#include "formats/svs/binary_writer.h"
#include "formats/svs/dataset.h"
#include "formats/svs/lvq_encoder.h"
#include "formats/svs/seed_names.h"
#include "formats/svs/svs_layout.h"

namespace embd::svs {
namespace {

constexpr std::string_view data_name = "data_0.svs";

Result<void> check_element_type(ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f16 || type == ElementType::u8 ||
      type == ElementType::i8)
    return {};
  return fail(ErrorCode::unsupported,
              fmt::format("SVS vectors of {}, expected f32, f16, u8 or i8", element_name(type)));
}

Result<void> write_text(const std::filesystem::path& path, std::string_view text) {
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  EMBD_TRY(file.write(as_bytes(text)));
  return file.finish();
}

/// The fields of a plain data set inside the table `header` opens.
std::string uncompressed_table(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                               std::string_view eltype, const Uuid& uuid) {
  return fmt::format(
      "__schema__ = 'uncompressed_data'\n__version__ = 'v0.0.0'\nbinary_file = '{}'\ndims = "
      "{}\neltype = '{}'\nname = 'uncompressed'\n"
      "num_vectors = {}\nuuid = '{}'\n",
      file, dim, eltype, rows, uuid.text());
}

std::string envelope(std::string_view object) {
  return fmt::format("__version__ = '{}'\n\n[object]\n{}", envelope_version, object);
}

/// Rows of one element type on their way into one binary file.
class RowFile {
 public:
  static Result<RowFile> create(const std::filesystem::path& path, ElementType type,
                                std::uint64_t dim) {
    return RowFile(EMBD_TRY(BinaryWriter::create(path)), type, dim);
  }

  Result<void> append(MatrixView rows) {
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, rows.values(), elements_));
    num_rows_ += rows.rows();
    return binary_.append(elements_);
  }
  Result<Uuid> finish() { return binary_.finish(library_name(type_), num_rows_, dim_); }

  std::uint64_t num_rows() const noexcept { return num_rows_; }
  std::uint64_t dim() const noexcept { return dim_; }
  ElementType type() const noexcept { return type_; }

 private:
  RowFile(BinaryWriter binary, ElementType type, std::uint64_t dim)
      : binary_(std::move(binary)), type_(type), dim_(dim) {}

  BinaryWriter binary_;
  ElementType type_;
  std::uint64_t dim_;
  std::uint64_t num_rows_ = 0;
  std::vector<std::byte> elements_;
};

class FileWriter final : public VectorWriter {
 public:
  explicit FileWriter(RowFile rows) : rows_(std::move(rows)) {}
  Result<void> append(MatrixView rows, const Ids&) override { return rows_.append(rows); }
  Result<void> finish() override {
    EMBD_TRY(rows_.finish());
    return {};
  }

 private:
  RowFile rows_;
};

class DirectoryWriter final : public VectorWriter {
 public:
  DirectoryWriter(OutputDirectory directory, RowFile rows)
      : directory_(std::move(directory)), rows_(std::move(rows)) {}
  Result<void> append(MatrixView rows, const Ids&) override { return rows_.append(rows); }
  Result<void> finish() override {
    const Uuid uuid = EMBD_TRY(rows_.finish());
    EMBD_TRY(write_text(directory_.path() / config_name,
                        envelope(uncompressed_table(data_name, rows_.num_rows(), rows_.dim(),
                                                    library_name(rows_.type()), uuid))));
    return directory_.finish();
  }

 private:
  OutputDirectory directory_;
  RowFile rows_;
};

/// LVQ needs the mean before the first row: rows are kept as float32 in the directory to come, then
/// encoded.
class LvqWriter final : public VectorWriter {
 public:
  LvqWriter(OutputDirectory directory, OutputFile rows, std::uint64_t dim, LvqBits bits)
      : directory_(std::move(directory)), rows_(std::move(rows)), bits_(bits), sum_(dim) {}

  static std::filesystem::path rows_path(const OutputDirectory& directory) {
    return directory.path() / "rows";
  }

  Result<void> append(MatrixView rows, const Ids&) override {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      std::ranges::transform(sum_, rows.row(i), sum_.begin(), std::plus());
    num_rows_ += rows.rows();
    return rows_.write(std::as_bytes(rows.values()));
  }

  Result<void> finish() override {
    EMBD_TRY(rows_.finish());
    std::vector<float> mean(sum_.size());
    const double count = static_cast<double>(std::max<std::uint64_t>(1, num_rows_));
    std::ranges::transform(sum_, mean.begin(),
                           [&](double sum) { return static_cast<float>(sum / count); });

    const LvqEncoder::Uuids uuids = EMBD_TRY(encode(mean));
    RowFile centroids =
        EMBD_TRY(RowFile::create(directory_.path() / (bits_.residual ? "data_2.svs" : "data_1.svs"),
                                 ElementType::f32, mean.size()));
    EMBD_TRY(centroids.append({mean.data(), 1, mean.size()}));
    EMBD_TRY(write_text(directory_.path() / config_name,
                        envelope(object(uuids, EMBD_TRY(centroids.finish())))));
    std::error_code ignored;
    std::filesystem::remove(rows_path(directory_), ignored);
    return directory_.finish();
  }

 private:
  Result<LvqEncoder::Uuids> encode(std::span<const float> mean) {
    LvqEncoder encoder = EMBD_TRY(LvqEncoder::create(
        bits_, mean, directory_.path() / "lvq_data_0.svs", directory_.path() / "data_1.svs"));
    const MappedFile file = EMBD_TRY(MappedFile::open(rows_path(directory_)));
    std::vector<float> row(mean.size());
    for (std::uint64_t i = 0; i < num_rows_; ++i) {
      floats_from_elements(ElementType::f32, file.bytes().subspan(i * row.size() * sizeof(float)),
                           row);
      EMBD_TRY(encoder.append(row));
    }
    return encoder.finish(num_rows_);
  }

  std::string object(const LvqEncoder::Uuids& uuids, const Uuid& centroids) const {
    const std::uint64_t dim = sum_.size();
    std::string text = bits_.residual
                           ? "__schema__ = 'two_level_lvq_dataset'\n__version__ = 'v0.0.3'\n"
                           : "__schema__ = 'one_level_lvq_dataset'\n__version__ = 'v0.0.2'\n";
    text +=
        "\n[object.centroids]\n" + uncompressed_table(bits_.residual ? "data_2.svs" : "data_1.svs",
                                                      1, dim, "float32", centroids);
    text += fmt::format(
        "\n[object.primary]\n__schema__ = 'lvq_with_scaling_constants'\n__version__ = "
        "'v0.0.3'\nbinary_file = 'lvq_data_0.svs'\nbits = {}\n"
        "file_uuid = '{}'\nkind = 'lvq_with_scaling_constants'\nlogical_dimensions = "
        "{}\nnum_vectors = {}\n",
        bits_.primary, uuids.primary.text(), dim, num_rows_);
    if (bits_.residual) {
      text += fmt::format(
          "\n[object.residual]\n__schema__ = 'lvq_compressed_dataset'\n__version__ = "
          "'v0.0.0'\nbits = {}\ndata_dims = {}\n"
          "kind = 'compressed dataset'\nndims = {}\nnum_points = {}\nsign = "
          "'unsigned'\n\n[object.residual.inner]\n",
          *bits_.residual, dim, dim, num_rows_);
      text += uncompressed_table("data_1.svs", num_rows_, (dim * *bits_.residual + 7) / 8, "byte",
                                 uuids.residual);
    }
    return text;
  }

  OutputDirectory directory_;
  OutputFile rows_;
  LvqBits bits_;
  std::vector<double> sum_;
  std::uint64_t num_rows_ = 0;
};

/// The files of the seed layout lie beside each other, so each appears by itself; the configuration
/// last.
class SeedWriter final : public VectorWriter {
 public:
  SeedWriter(std::filesystem::path config, RowFile rows)
      : config_(std::move(config)), rows_(std::move(rows)) {}

  Result<void> append(MatrixView rows, const Ids& ids) override {
    if (std::holds_alternative<std::vector<std::string>>(ids))
      return fail(ErrorCode::unsupported, "the seed layout has numbers for ids, not strings");
    if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids))
      ids_.insert(ids_.end(), numbers->begin(), numbers->end());
    return rows_.append(rows);
  }

  Result<void> finish() override {
    const Uuid rows_uuid = EMBD_TRY(rows_.finish());
    std::string text = "[format]\nversion = 1\ntype = \"vector\"\n\n[external_id]\n";
    if (ids_.empty()) {
      text += fmt::format("present = false\nformat = \"uint64\"\nbinary_file_uuid = \"{}\"\n",
                          Uuid().text());
    } else {
      const auto path = config_.parent_path() / (seed_stem(config_) + std::string(ids_extension));
      BinaryWriter ids = EMBD_TRY(BinaryWriter::create(path));
      EMBD_TRY(ids.append(std::as_bytes(std::span(ids_))));
      const Uuid ids_uuid = EMBD_TRY(ids.finish("ids", ids_.size(), 1));
      text += fmt::format("present = true\nformat = \"uint64\"\nbinary_file_uuid = \"{}\"\n",
                          ids_uuid.text());
    }
    const auto type = std::ranges::find(element_types, rows_.type(), &Named<ElementType>::value);
    Sha256 origin;
    origin.update("vectors");
    origin.update(std::as_bytes(std::span(rows_uuid.bytes)));
    text += fmt::format(
        "\n[[encoding]]\nuuid = \"{}\"\nn_elements = {}\nformat = \"{}\"\nposition = "
        "1\nbinary_file_uuid = \"{}\"\n\n[encoding.params]\nn_dimensions = {}\n",
        Uuid::from_digest(origin.digest()).text(), rows_.num_rows(), type->name, rows_uuid.text(),
        rows_.dim());
    return write_text(config_, text);
  }

 private:
  std::filesystem::path config_;
  RowFile rows_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace

Result<std::unique_ptr<VectorWriter>> create_svs(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options) {
  EMBD_TRY(check_element_type(options.element_type));
  const bool directory_layout = options.svs_layout.empty() || options.svs_layout == "directory";
  if (!options.quantize.empty()) {
    const auto bits = parse_lvq(options.quantize);
    if (!bits || !directory_layout) {
      return fail(
          ErrorCode::unsupported,
          fmt::format(
              "SVS quantised by \"{}\"; a directory may have lvq4, lvq8, lvq4x4, lvq4x8 or lvq8x8",
              options.quantize));
    }
    OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path));
    OutputFile rows = EMBD_TRY(OutputFile::create(LvqWriter::rows_path(directory)));
    return std::make_unique<LvqWriter>(std::move(directory), std::move(rows), dim, *bits);
  }
  if (directory_layout) {
    OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path));
    RowFile rows =
        EMBD_TRY(RowFile::create(directory.path() / data_name, options.element_type, dim));
    return std::make_unique<DirectoryWriter>(std::move(directory), std::move(rows));
  }
  if (options.svs_layout == "file")
    return std::make_unique<FileWriter>(EMBD_TRY(RowFile::create(path, options.element_type, dim)));
  if (options.svs_layout == "seed") {
    const auto name = subset_name(seed_stem(path), 1, 1);
    return std::make_unique<SeedWriter>(
        path, EMBD_TRY(RowFile::create(path.parent_path() / name, options.element_type, dim)));
  }
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("SVS layout \"{}\", expected directory, file or seed", options.svs_layout));
}

}  // namespace embd::svs
