#include "engine/open_model.h"

#include <fmt/format.h>

#include <utility>

#include "base/kept_hash.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/try.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "formats/weights/huggingface/model_folder.h"
#include "formats/weights/huggingface/wordpiece_files.h"

namespace embd {
namespace {

/// Returns a function that keeps the hash of a model file in a record. It uses the descriptor of
/// the file to make sure that the file has not changed.
HashKeeper keeper_of(const std::filesystem::path& record, FileDescriptor descriptor) {
  const auto file = std::make_shared<const FileDescriptor>(std::move(descriptor));
  return [record, file](const auto& compute) { return kept_hash(record, *file, compute); };
}

Result<WeightFileOptions> file_options_of(const LoadOptions& options) {
  WeightFileOptions file_options = {.vocab = {}, .verify = options.verify};
  if (!options.vocab.empty()) file_options.vocab = EMBD_TRY(huggingface::read_vocab(options.vocab));
  return file_options;
}

/// Returns the name of the class of models that has this head.
std::string_view class_name(HeadKind head) {
  switch (head) {
    case HeadKind::pooling:
      return "a sentence embedding model";
    case HeadKind::classifier:
      break;
  }
  return "a cross-encoder, which scores pairs of texts";
}

Result<void> check_head(const WeightFile& file, HeadKind expected,
                        const std::filesystem::path& path) {
  if (file.spec().head == expected) return {};
  return fail_in(path, ErrorCode::unsupported,
                 fmt::format("the model {} is {}, expected {}", file.spec().name,
                             class_name(file.spec().head), class_name(expected)));
}

}  // namespace

Result<HeadKind> head_of(const std::filesystem::path& path, const LoadOptions& options) {
  if (os::is_folder(path)) return EMBD_TRY(huggingface::read_model_folder(path)).spec.head;
  return EMBD_TRY(WeightFile::open(path, EMBD_TRY(file_options_of(options)))).spec().head;
}

Result<std::unique_ptr<const LoadedModel>> open_model(const std::filesystem::path& path,
                                                      const LoadOptions& options, HeadKind head) {
  WeightFileOptions file_options = EMBD_TRY(file_options_of(options));
  if (os::is_folder(path)) {
    WeightFile file = EMBD_TRY(huggingface::open_model_folder(path, std::move(file_options)));
    EMBD_TRY(check_head(file, head, path));
    return LoadedModel::load(std::move(file), options.compute);
  }
  FileDescriptor descriptor = EMBD_TRY(FileDescriptor::open(path));
  MappedFile map = EMBD_TRY(MappedFile::of(descriptor, path));
  WeightFile file = EMBD_TRY(WeightFile::from_map(std::move(map), path, std::move(file_options)));
  EMBD_TRY(check_head(file, head, path));
  HashKeeper keep_hash;
  if (!options.hash_record.empty())
    keep_hash = keeper_of(options.hash_record, std::move(descriptor));
  return LoadedModel::load(std::move(file), options.compute, std::move(keep_hash));
}

}  // namespace embd
