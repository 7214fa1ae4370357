#include "formats/vectors/svs/svs_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/elements.h"
#include "base/links.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/path_names.h"
#include "base/try.h"
#include "formats/vectors/svs/lvq_encoder.h"
#include "formats/vectors/svs/object_writer.h"
#include "formats/vectors/svs/row_file.h"
#include "formats/vectors/svs/specification_names.h"
#include "formats/vectors/svs/specification_writer.h"
#include "formats/vectors/svs/svs_layout.h"
#include "formats/vectors/svs/written_files.h"

namespace embd::svs {
namespace {

Result<void> check_element_type(ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f16 || type == ElementType::u8 ||
      type == ElementType::i8)
    return {};
  return fail(ErrorCode::unsupported,
              fmt::format("SVS cannot store vectors of type {}, expected f32, f16, u8 or i8",
                          element_name(type)));
}

class FileWriter final : public VectorWriter {
 public:
  explicit FileWriter(RowFile rows)
      : VectorWriter(rows.dim(), kept_as(rows.type())), rows_(std::move(rows)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override { return rows_.append(rows); }
  Result<void> finish_file() override {
    EMBD_TRY(rows_.finish());
    return {};
  }

  RowFile rows_;
};

class DirectoryWriter final : public VectorWriter {
 public:
  DirectoryWriter(OutputDirectory directory, RowFile rows, std::optional<Recipe> recipe)
      : VectorWriter(rows.dim(), kept_as(rows.type())),
        directory_(std::move(directory)),
        rows_(std::move(rows)),
        recipe_(std::move(recipe)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override { return rows_.append(rows); }
  Result<void> finish_file() override {
    const Uuid uuid = EMBD_TRY(rows_.finish());
    EMBD_TRY(write_text_file(directory_.path() / config_name,
                             envelope(uncompressed_fields(data_name, rows_.num_rows(), rows_.dim(),
                                                          library_name(rows_.type()), uuid),
                                      recipe_)));
    return directory_.finish();
  }

  OutputDirectory directory_;
  RowFile rows_;
  std::optional<Recipe> recipe_;
};

/// Writes rows with LVQ, which needs the mean of all rows first. Rows are kept as float32 in the
/// new directory and encoded at the end.
class LvqWriter final : public VectorWriter {
 public:
  LvqWriter(OutputDirectory directory, OutputFile rows, std::uint64_t dim, LvqBits bits,
            std::optional<Recipe> recipe)
      : VectorWriter(dim, KeptValues::codes),
        directory_(std::move(directory)),
        rows_(std::move(rows)),
        bits_(bits),
        recipe_(std::move(recipe)),
        sum_(dim) {}

  static std::filesystem::path rows_path(const OutputDirectory& directory) {
    return directory.path() / "rows";
  }

 private:
  Result<void> append_rows(MatrixView rows, const Ids&) override {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      std::ranges::transform(sum_, rows.row(i), sum_.begin(), std::plus());
    return rows_.write(std::as_bytes(rows.values()));
  }

  Result<void> prepare_file() override {
    EMBD_TRY(rows_.finish());
    std::vector<float> mean(sum_.size());
    const double count = static_cast<double>(std::max<std::uint64_t>(1, num_rows()));
    std::ranges::transform(sum_, mean.begin(),
                           [&](double sum) { return static_cast<float>(sum / count); });

    const LvqEncoder::Uuids uuids = EMBD_TRY(encode(mean));
    RowFile centroids =
        EMBD_TRY(RowFile::create(directory_.path() / (bits_.residual ? "data_2.svs" : "data_1.svs"),
                                 ElementType::f32, mean.size()));
    EMBD_TRY(centroids.append({mean.data(), 1, mean.size()}));
    EMBD_TRY(write_text_file(directory_.path() / config_name,
                             envelope(object(uuids, EMBD_TRY(centroids.finish())), recipe_)));
    std::error_code ignored;
    std::filesystem::remove(rows_path(directory_), ignored);
    return {};
  }
  Result<void> finish_file() override { return directory_.finish(); }

  Result<LvqEncoder::Uuids> encode(std::span<const float> mean) {
    LvqEncoder encoder = EMBD_TRY(LvqEncoder::create(
        bits_, mean, directory_.path() / "lvq_data_0.svs", directory_.path() / "data_1.svs"));
    const MappedFile file = EMBD_TRY(MappedFile::open(rows_path(directory_)));
    std::vector<float> row(mean.size());
    for (std::uint64_t i = 0; i < num_rows(); ++i) {
      floats_from_elements(ElementType::f32, file.bytes().subspan(i * row.size() * sizeof(float)),
                           row);
      EMBD_TRY(encoder.append(row));
    }
    return encoder.finish(num_rows());
  }

  std::string object(const LvqEncoder::Uuids& uuids, const Uuid& centroids) const {
    const std::uint64_t dim = sum_.size();
    std::string text = bits_.residual
                           ? "__schema__ = 'two_level_lvq_dataset'\n__version__ = 'v0.0.3'\n"
                           : "__schema__ = 'one_level_lvq_dataset'\n__version__ = 'v0.0.2'\n";
    text +=
        "\n[object.centroids]\n" + uncompressed_fields(bits_.residual ? "data_2.svs" : "data_1.svs",
                                                       1, dim, "float32", centroids);
    text += fmt::format(
        "\n[object.primary]\n__schema__ = 'lvq_with_scaling_constants'\n__version__ = "
        "'v0.0.3'\nbinary_file = 'lvq_data_0.svs'\nbits = {}\n"
        "file_uuid = '{}'\nkind = 'lvq_with_scaling_constants'\nlogical_dimensions = "
        "{}\nnum_vectors = {}\n",
        bits_.primary, uuids.primary.text(), dim, num_rows());
    if (bits_.residual) {
      text += fmt::format(
          "\n[object.residual]\n__schema__ = 'lvq_compressed_dataset'\n__version__ = "
          "'v0.0.0'\nbits = {}\ndata_dims = {}\n"
          "kind = 'compressed dataset'\nndims = {}\nnum_points = {}\nsign = "
          "'unsigned'\n\n[object.residual.inner]\n",
          *bits_.residual, dim, dim, num_rows());
      text += uncompressed_fields("data_1.svs", num_rows(), (dim * *bits_.residual + 7) / 8, "byte",
                                  uuids.residual);
    }
    return text;
  }

  OutputDirectory directory_;
  OutputFile rows_;
  LvqBits bits_;
  std::optional<Recipe> recipe_;
  std::vector<double> sum_;
};

bool is_config(const std::filesystem::path& path) {
  return without_trailing_slash(path).extension() == config_extension;
}

Result<void> check_layout(const std::filesystem::path& path, Layout layout) {
  if (layout != Layout::specification && is_config(path)) {
    return fail_in(
        path, ErrorCode::invalid_argument,
        fmt::format(
            "the SVS layout \"{}\" has no .config file: choose another name, or the layout \"{}\"",
            name_of(layout, svs_layout_names), name_of(Layout::specification, svs_layout_names)));
  }
  if (layout != Layout::file && is_written_in_place(path)) {
    return fail_in(path, ErrorCode::invalid_argument,
                   fmt::format("the SVS layout \"{}\" writes several files, which a device or a "
                               "pipe cannot take: choose the layout \"file\"",
                               name_of(layout, svs_layout_names)));
  }
  return {};
}

/// Returns the bits of the quantizer in the options; nullopt if there is none.
Result<std::optional<LvqBits>> check_quantizer(Layout layout, const WriteOptions& options) {
  std::string_view name = name_of(options.finalfusion.quantizer, finalfusion_quantizer_names);
  const std::optional<LvqBits> bits = lvq_bits(options.svs.quantizer);
  if (bits && layout != Layout::directory)
    name = name_of(options.svs.quantizer, svs_quantizer_names);
  if (name.empty()) return bits;
  return fail(
      ErrorCode::unsupported,
      fmt::format("the quantizer is \"{}\", but SVS expects lvq4, lvq8, lvq4x4, lvq4x8 or lvq8x8",
                  name));
}

}  // namespace

Layout layout_of(const std::filesystem::path& path, const WriteOptions& options) {
  if (options.svs.layout != Layout::automatic) return options.svs.layout;
  return is_config(path) ? Layout::specification : Layout::directory;
}

std::filesystem::path svs_output_path(const std::filesystem::path& path,
                                      const WriteOptions& options) {
  if (layout_of(path, options) != Layout::specification || is_written_in_place(path)) return path;
  return without_trailing_slash(path).replace_extension(config_extension);
}

Result<std::unique_ptr<VectorWriter>> create_svs(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options) {
  EMBD_TRY(check_element_type(options.element_type));
  const Layout layout = layout_of(path, options);
  EMBD_TRY(check_layout(path, layout));
  if (const auto bits = EMBD_TRY(check_quantizer(layout, options))) {
    OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path, check_replaceable));
    OutputFile rows = EMBD_TRY(OutputFile::create(LvqWriter::rows_path(directory)));
    return std::make_unique<LvqWriter>(std::move(directory), std::move(rows), dim, *bits,
                                       options.recipe);
  }
  if (layout == Layout::directory) {
    OutputDirectory directory = EMBD_TRY(OutputDirectory::create(path, check_replaceable));
    RowFile rows =
        EMBD_TRY(RowFile::create(directory.path() / data_name, options.element_type, dim));
    return std::make_unique<DirectoryWriter>(std::move(directory), std::move(rows), options.recipe);
  }
  if (layout == Layout::file)
    return std::make_unique<FileWriter>(EMBD_TRY(RowFile::create(path, options.element_type, dim)));
  return create_specification_vectors(svs_output_path(path, options), dim, options.element_type,
                                      options.recipe);
}

}  // namespace embd::svs
