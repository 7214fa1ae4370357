#include "engine/open_model.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/kept_hash.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/try.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/model_folder.h"
#include "formats/weights/model_spec.h"

namespace embd {
namespace {

/// Returns a function that keeps the hash of a model in a record; none if no record was given. It
/// uses the descriptor of the file with the weights to make sure that the file has not changed.
/// `also` is the hash of whatever else the model consists of.
HashKeeper keeper_of(const std::filesystem::path& record,
                     std::shared_ptr<const FileDescriptor> file, std::string also = {}) {
  if (record.empty() || file == nullptr) return {};
  return [record, file = std::move(file), also = std::move(also)](const auto& compute) {
    return kept_hash(record, *file, compute, also);
  };
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
  return fail_in(path, ErrorCode::unsupported, "the model {} is {}, expected {}", file.spec().name,
                 class_name(file.spec().head), class_name(expected));
}

}  // namespace

std::optional<ModelNote> note_slow_opening(double seconds) {
  constexpr double slow_seconds = 1;
  if (seconds <= slow_seconds) return std::nullopt;
  return ModelNote{NoteKind::slow_opening,
                   fmt::format("it took {:.1f} s to convert the folder in memory, and does so each "
                               "time; a weight file made of it opens at once",
                               seconds)};
}

Result<HeadKind> head_of(const std::filesystem::path& path, const LoadOptions& options) {
  if (os::is_folder(path)) return EMBD_TRY(huggingface::read_model_folder(path)).spec.head;
  return EMBD_TRY(WeightFile::open(path, EMBD_TRY(file_options_of(options)))).spec().head;
}

Result<std::unique_ptr<const LoadedModel>> open_model(const std::filesystem::path& path,
                                                      const LoadOptions& options, HeadKind head) {
  WeightFileOptions file_options = EMBD_TRY(file_options_of(options));
  if (os::is_folder(path)) {
    const auto start = std::chrono::steady_clock::now();
    auto [file, notes, weights] =
        EMBD_TRY(huggingface::open_model_folder(path, std::move(file_options)));
    EMBD_TRY(check_head(file, head, path));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (auto note = note_slow_opening(passed.count())) notes.push_back(*std::move(note));
    HashKeeper keep_hash = keeper_of(options.hash_record, std::move(weights), file.front_sha256());
    return LoadedModel::load(std::move(file), options.compute, std::move(keep_hash),
                             std::move(notes));
  }
  auto descriptor = std::make_shared<const FileDescriptor>(EMBD_TRY(FileDescriptor::open(path)));
  MappedFile map = EMBD_TRY(MappedFile::of(*descriptor, path));
  WeightFile file = EMBD_TRY(WeightFile::from_map(std::move(map), path, std::move(file_options)));
  EMBD_TRY(check_head(file, head, path));
  HashKeeper keep_hash = keeper_of(options.hash_record, std::move(descriptor));
  std::vector<ModelNote> notes;
  if (head == HeadKind::pooling)
    if (auto note = note_missing_prompts({&file.spec().name, 1}, file.spec().prompts))
      notes.push_back(*std::move(note));
  return LoadedModel::load(std::move(file), options.compute, std::move(keep_hash),
                           std::move(notes));
}

}  // namespace embd
