#include "formats/weights/huggingface/convert_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/decimal.h"
#include "base/elements.h"
#include "base/os/mapped_file.h"
#include "base/output_set.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/weights/embd/embd_spec.h"
#include "formats/weights/embd/embd_tensors.h"
#include "formats/weights/embd/embd_tokenizer.h"
#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/huggingface/checkpoint.h"
#include "formats/weights/huggingface/model_folder.h"

namespace embd {
namespace huggingface {
namespace {

constexpr std::int64_t last_second = 253'402'300'799;  // The last second of the year 9999.

Result<std::string> creation_date() {
  std::int64_t seconds = 0;
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text = epoch;
    const auto given = whole_number<std::int64_t>(text);
    if (!given || *given < 0 || *given > last_second) {
      return fail(ErrorCode::invalid_argument,
                  "the environment variable SOURCE_DATE_EPOCH is \"{}\", expected a number of "
                  "seconds since 1970",
                  text);
    }
    seconds = *given;
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string folder_name(const std::filesystem::path& folder) {
  return text_of_path(without_trailing_slash(folder).filename());
}

/// Moves the rows in `kept`, which is ascending, to the front.
void gather_rows(std::span<const std::int32_t> kept, std::size_t width, std::span<float> values) {
  for (std::size_t row = 0; row < kept.size(); ++row) {
    const auto from = values.subspan(static_cast<std::size_t>(kept[row]) * width, width);
    std::ranges::copy(from, values.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
}

/// Returns the error about the first value that is not finite once it is stored as `type`; nothing
/// if there is none.
Result<void> check_values(const SourceTensor& tensor, std::span<const float> values,
                          ElementType type) {
  const float limit = first_infinite(type);
  const auto bad =
      std::ranges::find_if_not(values, [limit](float value) { return std::abs(value) < limit; });
  if (bad == values.end()) return {};
  return fail(ErrorCode::bad_value, "{}: value {} is {}, which is too large for the type {}",
              tensor.name, bad - values.begin(), *bad, element_name(type));
}

/// Returns the values of a tensor in the wanted shape. Fails as check_values() does. Rows that the
/// source does not have are zeros. `kept` has the source's rows that are taken; empty takes all.
Result<Matrix> matrix_of(const SourceTensor& tensor, const TensorShape& shape, ElementType type,
                         std::span<const std::int32_t> kept) {
  std::vector<float> source(tensor.num_values());
  tensor.to_floats(source);
  EMBD_TRY(check_values(tensor, source, type));
  const bool is_matrix = shape.rank == 2;
  Matrix values(is_matrix ? shape.dims[0] : 1, is_matrix ? shape.dims[1] : shape.dims[0]);
  gather_rows(kept, values.cols(), source);
  source.resize(values.values().size());
  std::ranges::copy(source, values.data());
  return values;
}

/// Returns true if a float32 in `block` is infinite or not a number.
bool has_infinity(Bytes block) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::array<std::uint32_t, 1024> values = {};
  std::memcpy(values.data(), block.data(), std::min(block.size(), sizeof(values)));
  bool found = false;
  for (const std::uint32_t value : values) found |= (value & exponent) == exponent;
  return found;
}

/// Checks that a tensor of float32 is finite, without a copy of it and without keeping its pages in
/// memory.
Result<void> check_in_place(const SourceTensor& tensor) {
  constexpr std::size_t block_bytes = 1024 * sizeof(float);
  constexpr std::size_t piece_bytes = 1024 * block_bytes;
  bool found = false;
  for (std::size_t piece_at = 0; piece_at < tensor.data.size() && !found; piece_at += piece_bytes) {
    const Bytes rest = tensor.data.subspan(piece_at);
    const Bytes piece = rest.first(std::min(piece_bytes, rest.size()));
    for (std::size_t at = 0; at < piece.size(); at += block_bytes)
      found |= has_infinity(piece.subspan(at, std::min(block_bytes, piece.size() - at)));
    MappedFile::release(piece);
  }
  if (!found) return {};
  std::vector<float> values(tensor.num_values());
  tensor.to_floats(values);
  return check_values(tensor, values, ElementType::f32);
}

ElementType type_for(TensorRole role, ElementType wanted) {
  if (is_allowed(role, wanted)) return wanted;
  return ElementType::f32;
}

/// Returns true if a tensor of the file has the first bytes of its source.
bool is_as_stored(const SourceTensor& source, const ModelTensor& wanted, ElementType type,
                  std::span<const std::int32_t> kept) {
  return source.dtype == "F32" && source.recipe == nullptr && type == ElementType::f32 &&
         kept.empty() && source.shape[0] >= wanted.shape.dims[0];
}

/// Adds a matrix that is rounded to int8: its codes, its scales and its smoothing factors, if
/// there are `factors`.
template <class Add>
void add_int8(const ModelTensor& wanted, std::span<const float> factors, const Add& add) {
  const auto [rows, cols] = std::array{wanted.shape.dims[0], wanted.shape.dims[1]};
  const std::uint32_t block = wanted.role == TensorRole::word_table ? cols : int8_block;
  const std::uint32_t blocks = (cols - 1) / block + 1;
  const std::vector<float> smooth(factors.begin(), factors.end());
  add(wanted.name, ElementType::i8, wanted.shape, [block, smooth](Matrix values) {
    if (!smooth.empty()) multiply_columns(values, smooth);
    return encode_int8(values, int8_scales(values, block), block);
  });
  add(scale_name(wanted.name), ElementType::f32,
      blocks == 1 ? TensorShape{rows} : TensorShape{rows, blocks}, [block, smooth](Matrix values) {
        if (!smooth.empty()) multiply_columns(values, smooth);
        return encode_floats(ElementType::f32, int8_scales(values, block));
      });
  if (smooth.empty()) return;
  add(smooth_name(wanted.name), ElementType::f32, {cols},
      [smooth](const Matrix& /*values*/) { return encode_floats(ElementType::f32, smooth); });
}

/// Adds a tensor to the content of the file. `kept` is passed to matrix_of() and must outlive the
/// tensors. `smooth` is for int8 only.
Result<void> add_tensor(const SourceTensor& source, const ModelTensor& wanted, ElementType type,
                        std::span<const std::int32_t> kept, std::span<const float> smooth,
                        std::vector<TensorSource>& tensors) {
  if (is_as_stored(source, wanted, type, kept)) {
    EMBD_TRY(check_in_place(source));
    const std::size_t row_bytes = source.data.size() / source.shape[0];
    tensors.push_back(
        {wanted.name, type, wanted.shape, {}, source.data.first(wanted.shape.dims[0] * row_bytes)});
    return {};
  }
  const auto add = [&](std::string name, ElementType stored, TensorShape shape, auto encode) {
    tensors.push_back({std::move(name), stored, shape,
                       [source, type, encode, kept,
                        in = wanted.shape](std::vector<std::byte>& bytes) -> Result<void> {
                         bytes = encode(EMBD_TRY(matrix_of(source, in, type, kept)));
                         return {};
                       }});
  };
  if (type != ElementType::i8) {
    add(wanted.name, type, wanted.shape,
        [type](const Matrix& values) { return encode_floats(type, values.values()); });
    return {};
  }
  add_int8(wanted, smooth, add);
  return {};
}

Result<void> check_type(ElementType type) {
  for (const ElementType known :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8})
    if (type == known) return {};
  return fail(ErrorCode::invalid_argument,
              "weights cannot be stored as {}, expected f32, f16, bf16 or i8", element_name(type));
}

Result<void> check_text(std::string_view what, std::string_view text) {
  if (!find_invalid_utf8(text)) return {};
  return fail(ErrorCode::invalid_argument, "{} is not valid UTF-8", what);
}

/// The content of the EMBD file of a folder, and the files from which its tensors are read.
struct FolderContent {
  Checkpoint weights;
  /// The rows of the word table that are kept; empty keeps all.
  std::vector<std::int32_t> kept_pieces;
  ModelSpec spec;
  std::vector<ModelNote> notes;
  WeightFileContent content;

  /// Sets the metadata of the file. `source_sha256` is the hash of the weights; empty leaves it
  /// out.
  void set_metadata(std::string source_sha256) {
    spec.source_sha256 = std::move(source_sha256);
    content.metadata = metadata_of(spec);
  }
};

Result<FolderContent> read_folder(const std::filesystem::path& folder,
                                  const ConvertModelOptions& options,
                                  const SmoothingFactors& smoothing) {
  EMBD_TRY(check_type(options.type));
  ModelFolder model = EMBD_TRY(read_model_folder(folder));
  FolderContent read;
  read.weights = std::move(model.weights);
  if (options.texts_to_prune_for) {
    read.kept_pieces =
        EMBD_TRY(in_file(model.encoder, needed_pieces(model, *options.texts_to_prune_for)));
    keep_pieces(model, read.kept_pieces);
  }
  ModelSpec& spec = model.spec;
  spec.name = options.model_name.empty() ? folder_name(folder) : options.model_name;
  spec.version = "1.0.0";
  spec.created_at = EMBD_TRY(creation_date());
  spec.license = options.license;

  WeightFileContent& content = read.content;
  content.special = model.special;
  content.checksums = options.checksums;
  const auto gather = [&](const ModelTensor& wanted) -> Result<void> {
    const SourceTensor source = EMBD_TRY(read.weights.find(wanted));
    const bool is_word_table = wanted.module == Module::word_embeddings;
    const std::span<const std::int32_t> all_rows;
    const ElementType type = type_for(wanted.role, options.type);
    return add_tensor(source, wanted, type, is_word_table ? read.kept_pieces : all_rows,
                      smoothing.of(wanted.module, layer_of(wanted.name).value_or(0)),
                      content.tensors);
  };
  EMBD_TRY(in_file(model.encoder, for_each_tensor(spec, gather)));
  if (spec.tokenizer == TokenizerKind::unigram) {
    auto tables = EMBD_TRY(
        in_file(model.encoder, unigram_tensors(model.vocab, model.scores, model.character_map)));
    std::ranges::move(tables, std::back_inserter(content.tensors));
  }
  if (spec.tokenizer == TokenizerKind::bpe) content.tensors.push_back(merges_tensor(model.merges));
  content.vocab = std::move(model.vocab);
  read.spec = std::move(spec);
  read.notes = std::move(model.notes);
  return read;
}

/// The EMBD file that a folder would be converted to.
class FolderFile final : public UnwrittenFile {
 public:
  explicit FolderFile(FolderContent read) : read_(std::move(read)) {}

  const WeightFileContent& content() const noexcept override { return read_.content; }
  WeightFileContent whole_content() const override {
    return content_with(read_.spec.source_sha256.empty() ? read_.weights.sha256()
                                                         : read_.spec.source_sha256);
  }
  std::uint64_t file_bytes() const override {
    const std::string some_hash(64, '0');
    return front_of(content_with(some_hash)).value().file_bytes;
  }
  bool is_mapped(Bytes tensor) const noexcept override { return read_.weights.has(tensor); }

 private:
  WeightFileContent content_with(const std::string& source_sha256) const {
    ModelSpec spec = read_.spec;
    spec.source_sha256 = source_sha256;
    WeightFileContent content = read_.content;
    content.metadata = metadata_of(spec);
    return content;
  }

  FolderContent read_;
};

}  // namespace

Result<OpenedFolder> open_model_folder(const std::filesystem::path& folder,
                                       WeightFileOptions options) {
  auto read = std::make_unique<FolderContent>(EMBD_TRY(read_folder(folder, {}, {})));
  read->set_metadata(options.hash_source ? read->weights.sha256() : "");
  std::vector<ModelNote> notes = std::move(read->notes);
  auto weights = read->weights.only_file();
  WeightFile file = EMBD_TRY(WeightFile::from_unwritten(
      std::make_unique<const FolderFile>(std::move(*read)), folder, std::move(options)));
  return OpenedFolder{std::move(file), std::move(notes), std::move(weights)};
}

Result<void> convert_folder(const std::filesystem::path& folder, const std::filesystem::path& out,
                            const ConvertModelOptions& options, const SmoothingFactors& smoothing) {
  PathRoles roles;
  // A weight file inside the folder may be replaced, because the conversion does not read such
  // files.
  if (out.extension() != ".weights") roles.reads_folder("the folder", folder);
  roles.writes("the weight file", out);
  EMBD_TRY(roles.check());
  EMBD_TRY(check_text("the given name", options.model_name));
  EMBD_TRY(check_text("the given license", options.license));
  FolderContent read = EMBD_TRY(read_folder(folder, options, smoothing));
  read.set_metadata(read.weights.sha256());
  // An older file is replaced only after the new one was read back.
  OutputSet set = EMBD_TRY(OutputSet::create(out));
  auto written = write_weight_file(set.staged(set.main()), read.content);
  if (!written) return std::unexpected(set.as_seen(std::move(written).error()));
  if (!set.is_in_place()) {
    auto back = WeightFile::open(set.staged(set.main()), {.vocab = {}, .verify = true});
    if (!back) return std::unexpected(set.as_seen(std::move(back).error()));
  }
  return set.finish();
}

}  // namespace huggingface
}  // namespace embd
