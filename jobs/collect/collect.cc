#include "embd/collect.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/temporary_files.h"
#include "base/try.h"
#include "embd/digest.h"
#include "embd/split.h"
#include "jobs/collect/documents.h"
#include "jobs/collect/new_vectors.h"
#include "jobs/collect/passage_rows.h"
#include "jobs/recipe_check.h"
#include "jobs/sets/collection_record.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using collection::FileEntry;
using collection::FoundDocument;
using collection::NewVectors;
using collection::PassageReader;
using collection::PassageRows;

constexpr std::int64_t a_second = 1'000'000'000;

std::int64_t now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

/// Returns true if a file may have changed without a change of its time, because that is too near
/// to the time when its bytes were compared.
bool is_racy(std::int64_t modified, std::int64_t checked) {
  return modified >= checked - 2 * a_second;
}

/// A folder that is locked against other updates. If it was made for this and nothing came into it,
/// it is removed again.
class LockedFolder {
 public:
  static Result<LockedFolder> open(const fs::path& path) {
    const auto made = os::make_folder(path, 0777);
    if (!made && made.error() != std::errc::file_exists)
      return std::unexpected(system_error("create", path, made.error()));
    LockedFolder folder;
    folder.lock_ =
        EMBD_TRY(open_locked(path, Opening::read_folder,
                             "another process is updating this collection: wait until it ends"));
    if (made) folder.made_ = path;
    return folder;
  }
  LockedFolder(LockedFolder&& other) noexcept
      : made_(std::exchange(other.made_, {})), lock_(std::move(other.lock_)) {}
  LockedFolder& operator=(LockedFolder&&) = delete;
  ~LockedFolder() {
    if (!made_.empty()) (void)os::remove_folder(made_);
  }

 private:
  LockedFolder() = default;

  fs::path made_;
  FileDescriptor lock_;
};

bool is_generation(const fs::path& path) {
  const std::string name = text_of_path(path.filename());
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

/// Fails if a folder that is no collection has files that embd did not put there.
Result<void> check_new_folder(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = text_of_path(entry.path().filename());
    if (is_generation(entry.path()) || name == collection::journal_name ||
        name.find(".embd-") != std::string::npos)
      continue;
    return fail_in(folder, ErrorCode::invalid_argument,
                   "the folder is no collection, but has files such as {}: name a new folder",
                   name);
  }
  if (!error) return {};
  return fail_in(folder, ErrorCode::io_failed, error.message());
}

/// Removes the folders of other generations, which readers that have opened them keep.
void remove_generations_except(std::uint64_t generation, const fs::path& folder) {
  std::vector<fs::path> others;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (is_generation(entry.path()) &&
        entry.path() != collection::generation_folder(folder, generation))
      others.push_back(entry.path());
  for (const fs::path& other : others) remove_if_possible(other);
}

/// A document of the new generation.
struct Planned {
  FileEntry entry;
  const FileEntry* taken = nullptr;  ///< the entry whose rows it keeps; null: it has new passages
  PassageRows passages = {};
  std::vector<std::string> keys = {};  ///< of the vectors of `passages`
};

/// An update of a collection.
class Update {
 public:
  Update(const Model& model, fs::path folder, const CollectOptions& options, std::stop_token stop)
      : model_(model), folder_(std::move(folder)), options_(options), stop_(std::move(stop)) {}

  Result<CollectReport> run(std::span<const fs::path> roots) {
    EMBD_TRY(open_old());
    info_.roots = EMBD_TRY(collection::with_roots(info_.roots, roots));
    EMBD_TRY(take_settings());
    EMBD_TRY(plan());
    if (report_.is_refused) return report_;
    if (is_same()) {
      EMBD_TRY(renew_stamps());
    } else {
      EMBD_TRY(write_generation());
    }
    old_.reset();  // Windows removes no folder whose files are mapped.
    // A run that was killed may have left them.
    remove_if_possible(folder_ / collection::journal_name);
    remove_generations_except(info_.generation, folder_);
    report_.generation = info_.generation;
    return report_;
  }

 private:
  Result<void> open_old();
  Result<void> take_settings();
  Result<void> plan();
  Result<void> plan_document(FoundDocument found);
  Result<void> read_document_of(const fs::path& path, Planned& planned, const FileEntry* old);
  bool is_unchanged(const FileEntry& found, const FileEntry& old) const;
  void count_gone();
  bool is_same() const;
  Result<void> renew_stamps();
  Result<void> write_generation();
  Result<void> write_rows(const NewVectors& vectors, collection::GenerationWriter& out);
  Result<void> copy_rows(std::uint64_t first, std::uint64_t count,
                         const std::vector<std::string>& ids, collection::GenerationWriter& out);
  Result<void> write_record() {
    return write_text_file(folder_ / collection::record_name, collection::to_json(info_));
  }
  bool has_old() const noexcept { return old_.has_value(); }
  /// Returns true if the passages that the collection has so far have an index by these settings.
  bool has_index(const CollectionInfo& info) const {
    return has_old() && collection::has_index(old_->num_rows(), info.index_rows);
  }

  const Model& model_;
  const fs::path folder_;
  const CollectOptions& options_;
  const std::stop_token stop_;
  const std::int64_t began_ = now();

  CollectionInfo info_;      // of the new generation, whose number is that of the old one at first
  CollectionInfo old_info_;  // as it was
  std::optional<PassageReader> old_;
  std::vector<FileEntry> old_files_;
  EncodeOptions encode_;
  Recipe recipe_;
  bool keeps_vectors_ = false;   // the old vectors are of this recipe
  bool keeps_passages_ = false;  // and the passages of a file that has not changed
  std::vector<Planned> planned_;
  bool has_new_stamps_ = false;
  CollectReport report_;
};

Result<void> Update::open_old() {
  if (!is_collection(folder_)) return check_new_folder(folder_);
  info_ = old_info_ = EMBD_TRY(collection_info(folder_));
  old_ = EMBD_TRY(PassageReader::open(collection::passages_in(folder_, info_.generation)));
  old_files_ =
      EMBD_TRY(collection::read_file_table(collection::files_in(folder_, info_.generation)));
  return {};
}

Result<void> Update::take_settings() {
  const auto& prompts = model_.prompts();
  const auto prompt = std::ranges::find(prompts, "document", &Prompt::name);
  if (prompt != prompts.end() && !prompt->text.empty()) encode_.prompt_name = prompt->name;
  encode_.threads = options_.threads;
  recipe_ = EMBD_TRY(model_.recipe(encode_));
  if (options_.max_tokens) info_.max_tokens = *options_.max_tokens;
  if (options_.stemmer) info_.stemmer = *options_.stemmer;
  if (options_.index_rows) info_.index_rows = *options_.index_rows;
  if (!options_.model_path.empty()) info_.model = options_.model_path;
  if (!has_old()) return {};
  const auto recipe = EMBD_TRY(old_->recipe());
  keeps_vectors_ = recipe && Digest(*recipe).recipe_hex() == Digest(recipe_).recipe_hex();
  keeps_passages_ = keeps_vectors_ && info_.max_tokens == old_info_.max_tokens;
  if (keeps_vectors_ || options_.force) return {};
  if (recipe) EMBD_TRY(check_recipe(*recipe, model_, encode_, text_of_path(folder_), false));
  return fail_in(folder_, ErrorCode::recipe_mismatch,
                 "the collection was embedded with another arithmetic or prompt");
}

bool Update::is_unchanged(const FileEntry& found, const FileEntry& old) const {
  return !options_.check_content && found.size == old.size && found.modified == old.modified &&
         !is_racy(old.modified, old.checked);
}

Result<void> Update::plan() {
  auto found = EMBD_TRY(collection::documents_in(info_.roots, options_.on_skip));
  if (found.empty() && !has_old())
    return fail_in(info_.roots.front().path, ErrorCode::missing,
                   "the folder contains no document, expected at least one file with an extension "
                   "of Markdown, text or code, such as .md, .txt or .py");
  for (FoundDocument& document : found) {
    if (stop_.stop_requested()) return fail_stopped();
    EMBD_TRY(plan_document(std::move(document)));
  }
  report_.files = planned_.size();
  count_gone();
  return {};
}

Result<void> Update::plan_document(FoundDocument found) {
  const auto place = std::ranges::lower_bound(old_files_, found.entry.name, {}, &FileEntry::name);
  const bool is_known = place != old_files_.end() && place->name == found.entry.name;
  const FileEntry* old = is_known ? &*place : nullptr;
  Planned planned = {.entry = std::move(found.entry)};
  planned.entry.checked = began_;
  if (is_known && keeps_passages_ && is_unchanged(planned.entry, *old)) {
    planned.entry = *old;
    planned.taken = old;
    planned_.push_back(std::move(planned));
    return {};
  }
  auto read = read_document_of(found.path, planned, old);
  if (!read) {
    // A file that was removed after it was found is as one that was removed before.
    if (read.error().code() == ErrorCode::not_found) return {};
    return read;
  }
  if (!is_known) ++report_.new_files;
  if (is_known && planned.entry.sha256 != old->sha256) ++report_.changed_files;
  planned_.push_back(std::move(planned));
  return {};
}

Result<void> Update::read_document_of(const fs::path& path, Planned& planned,
                                      const FileEntry* old) {
  const auto text = read_document(path);
  if (!text) {
    const ErrorCode code = text.error().code();
    if (code != ErrorCode::unsupported && code != ErrorCode::bad_value)
      return std::unexpected(text.error());
    if (options_.on_skip) options_.on_skip(text.error());
  } else {
    planned.entry.sha256 = sha256_hex(as_bytes(*text));
  }
  if (old != nullptr && old->sha256 == planned.entry.sha256 && keeps_passages_) {
    const bool is_new_stamp = planned.entry.size != old->size ||
                              planned.entry.modified != old->modified ||
                              !is_racy(planned.entry.modified, began_);
    has_new_stamps_ = has_new_stamps_ || is_new_stamp;
    if (!is_new_stamp) planned.entry.checked = old->checked;
    planned.taken = old;
    return {};
  }
  if (!text) return {};
  const SplitOptions split_options = {.max_tokens = info_.max_tokens,
                                      .invalid_text = InvalidText::replace};
  return split({planned.entry.name, *text}, model_, split_options,
               [&](const Passage& passage) -> Result<void> {
                 planned.passages.add(passage, planned.entry.name);
                 return {};
               });
}

/// Counts the files that the collection has no longer. A file that was moved is not among those
/// that make an update suspicious.
void Update::count_gone() {
  std::unordered_set<std::string_view> names;
  std::unordered_set<std::string_view> contents;
  for (const Planned& planned : planned_) {
    names.insert(planned.entry.name);
    contents.insert(planned.entry.sha256);
  }
  std::uint64_t num_lost = 0;
  for (const FileEntry& old : old_files_) {
    if (names.contains(old.name)) continue;
    ++report_.gone_files;
    if (!contents.contains(old.sha256)) ++num_lost;
  }
  report_.is_refused = !options_.force && 2 * num_lost > old_files_.size();
}

bool Update::is_same() const {
  return has_old() && keeps_passages_ && info_.stemmer == old_info_.stemmer &&
         has_index(info_) == has_index(old_info_) && report_.gone_files == 0 &&
         std::ranges::all_of(planned_,
                             [](const Planned& planned) { return planned.taken != nullptr; });
}

/// Writes what has changed besides passages: the times of files, and the settings.
Result<void> Update::renew_stamps() {
  report_.passages = report_.reused = old_->num_rows();
  if (has_new_stamps_) {
    std::vector<FileEntry> entries;
    for (const Planned& planned : planned_) {
      entries.push_back(planned.entry);
      entries.back().first_row = planned.taken->first_row;
      entries.back().num_rows = planned.taken->num_rows;
    }
    EMBD_TRY(
        collection::write_file_table(collection::files_in(folder_, info_.generation), entries));
  }
  if (info_.roots == old_info_.roots && info_.model == old_info_.model &&
      info_.index_rows == old_info_.index_rows)
    return {};
  return write_record();
}

Result<void> Update::write_generation() {
  NewVectors vectors(model_, encode_, Digest(recipe_).recipe_hex());
  for (Planned& planned : planned_) {
    for (std::size_t i = 0; i < planned.passages.size(); ++i)
      planned.keys.push_back(vectors.want(planned.passages, i));
  }
  if (keeps_vectors_) EMBD_TRY(vectors.take_from(*old_));
  EMBD_TRY(vectors.embed(folder_ / collection::journal_name, options_.progress, stop_));
  report_.embedded = vectors.num_embedded();
  report_.tokens = vectors.num_tokens();

  ++info_.generation;
  auto out = EMBD_TRY(
      collection::GenerationWriter::create(collection::generation_folder(folder_, info_.generation),
                                           vectors.dim(), recipe_, info_.stemmer));
  if (has_old() && info_.stemmer == old_info_.stemmer) {
    // Without a good index of the old terms they are found in the texts, which gives the same.
    auto terms = TermIndex::open(collection::terms_in(folder_, old_info_.generation));
    if (terms && terms->num_rows() == old_->num_rows()) out.take_terms(std::move(*terms));
  }
  EMBD_TRY(write_rows(vectors, out));
  report_.passages = out.num_rows();
  report_.reused = report_.passages - report_.embedded;
  std::vector<FileEntry> entries;
  for (Planned& planned : planned_) entries.push_back(std::move(planned.entry));
  EMBD_TRY(out.finish(entries, info_.index_rows, options_.threads, stop_));
  return write_record();
}

Result<void> Update::write_rows(const NewVectors& vectors, collection::GenerationWriter& out) {
  const auto ids = has_old() ? EMBD_TRY(old_->ids()) : std::vector<std::string>();
  // Neighbouring files that keep their rows are copied together.
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  const auto copy = [&]() -> Result<void> {
    return copy_rows(first, std::exchange(count, 0), ids, out);
  };
  for (Planned& planned : planned_) {
    if (stop_.stop_requested()) return fail_stopped();
    planned.entry.first_row = static_cast<std::int64_t>(out.num_rows() + count);
    if (planned.taken != nullptr) {
      const auto row = static_cast<std::uint64_t>(planned.taken->first_row);
      if (row != first + count) {
        EMBD_TRY(copy());
        first = row;
      }
      planned.entry.num_rows = planned.taken->num_rows;
      count += static_cast<std::uint64_t>(planned.taken->num_rows);
      continue;
    }
    EMBD_TRY(copy());
    planned.entry.num_rows = static_cast<std::int64_t>(planned.passages.size());
    if (planned.passages.size() == 0) continue;
    EMBD_TRY(out.append(EMBD_TRY(vectors.rows_of(planned.keys)), planned.passages));
    planned.passages = {};
  }
  return copy();
}

Result<void> Update::copy_rows(std::uint64_t first, std::uint64_t count,
                               const std::vector<std::string>& ids,
                               collection::GenerationWriter& out) {
  constexpr std::uint64_t most_rows = 4096;
  for (const std::uint64_t end = first + count; first < end; first += most_rows) {
    if (stop_.stop_requested()) return fail_stopped();
    const std::uint64_t some = std::min(most_rows, end - first);
    PassageRows rows = EMBD_TRY(old_->rows(first, some));
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    rows.ids.assign(begin, begin + static_cast<std::ptrdiff_t>(some));
    Matrix vectors(some, old_->dim());
    EMBD_TRY(old_->vectors(first, some, vectors.values()));
    EMBD_TRY(out.append_old(vectors, rows, first));
  }
  return {};
}

}  // namespace

Result<CollectReport> collect(const Model& model, std::span<const fs::path> roots,
                              const fs::path& folder, const CollectOptions& options,
                              std::stop_token stop) {
  return guarded([&]() -> Result<CollectReport> {
    const auto began = std::chrono::steady_clock::now();
    const fs::path path = without_trailing_slash(folder);
    const LockedFolder locked = EMBD_TRY(LockedFolder::open(path));
    CollectReport report = EMBD_TRY(Update(model, path, options, std::move(stop)).run(roots));
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return report;
  });
}

}  // namespace embd
