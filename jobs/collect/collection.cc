
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/messages.h"
#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/collect.h"
#include "embd/split.h"
#include "jobs/collect/documents.h"
#include "jobs/collect/passage_rows.h"
#include "jobs/sets/collection_record.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using collection::FileEntry;

DocumentState state_of(const fs::path& path, const FileEntry& entry) {
  const auto status = os::status_of(path);
  if (path.empty() || !status || status->kind != FileKind::file) return DocumentState::gone;
  const bool is_same = std::cmp_equal(status->size, entry.size) &&
                       collection::nanoseconds_of(status->modified) == entry.modified;
  return is_same ? DocumentState::unchanged : DocumentState::changed;
}

Result<std::vector<std::string>> strings_of(const std::string& text) {
  const nlohmann::json json = EMBD_TRY(parse_json(text));
  std::vector<std::string> strings;
  for (const nlohmann::json& value : json) {
    if (!json.is_array() || !value.is_string())
      return fail(ErrorCode::bad_type, "headings of a passage are no array of strings");
    strings.push_back(value.get<std::string>());
  }
  return strings;
}

/// Returns lines [first, last] of a document.
Result<DocumentLines> lines_of(std::string_view text, std::uint64_t first, std::uint64_t last,
                               DocumentState state) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  DocumentLines lines = {.text = {}, .first_line = first, .state = state};
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++lines.num_lines;
    if (lines.num_lines == first) begin = at;
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (lines.num_lines <= last) {
      lines.last_line = lines.num_lines;
      end = at;
    }
  }
  if (first == 0 || last < first || first > lines.num_lines)
    return fail(ErrorCode::invalid_argument,
                "the lines {} to {} were asked for, but the document has {}", first, last,
                counted(lines.num_lines, "line"));
  lines.text = collection::valid_utf8(text.substr(begin, end - begin));
  return lines;
}

/// The texts of all passages, in order.
class TextReader final : public RecordReader {
 public:
  TextReader(collection::PassageReader passages, std::string name)
      : passages_(std::move(passages)), name_(std::move(name)) {}

  Result<bool> next(Record& record) override {
    if (next_ == passages_.num_rows()) return false;
    if (next_ % block_rows == 0) {
      const std::uint64_t count = std::min(block_rows, passages_.num_rows() - next_);
      texts_ = EMBD_TRY(passages_.texts(next_, count));
      contexts_ = EMBD_TRY(passages_.text_column("context", next_, count));
    }
    record = {};
    const std::size_t i = next_++ % block_rows;
    record.text = collection::embedded_text(contexts_[i], texts_[i]);
    record.line = next_;
    return true;
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  static constexpr std::uint64_t block_rows = 1024;

  collection::PassageReader passages_;
  std::string name_;
  std::uint64_t next_ = 0;
  std::vector<std::string> texts_;
  std::vector<std::string> contexts_;
};

}  // namespace

struct Collection::Impl {
  fs::path folder;
  CollectionInfo info;
  collection::PassageReader passages;
  std::vector<FileEntry> files;
};

Collection::Collection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Collection::Collection(Collection&&) noexcept = default;
Collection& Collection::operator=(Collection&&) noexcept = default;
Collection::~Collection() = default;

Result<Collection> Collection::open(const fs::path& folder) {
  return guarded([&] {
    return collection::with_generation<Collection>(
        folder, [&](const CollectionInfo& info) -> Result<Collection> {
          const fs::path passages = collection::passages_in(folder, info.generation);
          const fs::path table = collection::files_in(folder, info.generation);
          auto reader = EMBD_TRY(collection::PassageReader::open(passages));
          auto files = EMBD_TRY(collection::read_file_table(table));
          const std::int64_t num_rows =
              files.empty() ? 0 : files.back().first_row + files.back().num_rows;
          if (std::cmp_not_equal(num_rows, reader.num_rows()))
            return fail_in(table, ErrorCode::bad_count,
                           "the files have {} passages, but the collection has {}", num_rows,
                           reader.num_rows());
          return Collection(
              std::make_unique<Impl>(Impl{folder, info, std::move(reader), std::move(files)}));
        });
  });
}

const CollectionInfo& Collection::info() const noexcept {
  return impl_->info;
}
fs::path Collection::passages() const {
  return collection::passages_in(impl_->folder, impl_->info.generation);
}
fs::path Collection::terms() const {
  return collection::terms_in(impl_->folder, impl_->info.generation);
}
std::uint64_t Collection::num_passages() const noexcept {
  return impl_->passages.num_rows();
}

Result<PassagePlace> Collection::place(std::uint64_t row) const {
  return guarded([&]() -> Result<PassagePlace> {
    if (row >= num_passages())
      return fail(ErrorCode::invalid_argument, "row {} was asked for, but there are {}", row,
                  num_passages());
    const auto behind = std::ranges::upper_bound(impl_->files, static_cast<std::int64_t>(row), {},
                                                 &FileEntry::first_row);
    const FileEntry& file = *(behind - 1);
    PassagePlace place = {.file = file.name,
                          .path = collection::path_of(file.name, impl_->info.roots)};
    place.first_line = static_cast<std::uint64_t>(
        EMBD_TRY(impl_->passages.number_column("first_line", row, 1)).front());
    place.last_line = static_cast<std::uint64_t>(
        EMBD_TRY(impl_->passages.number_column("last_line", row, 1)).front());
    place.headings =
        EMBD_TRY(strings_of(EMBD_TRY(impl_->passages.text_column("headings", row, 1)).front()));
    place.state = state_of(place.path, file);
    return place;
  });
}

Result<DocumentLines> Collection::read_lines(const std::string& file, std::uint64_t first,
                                             std::uint64_t last) const {
  return guarded([&]() -> Result<DocumentLines> {
    const auto entry = std::ranges::lower_bound(impl_->files, file, {}, &FileEntry::name);
    if (entry == impl_->files.end() || entry->name != file)
      return fail(
          ErrorCode::missing,
          "the collection has no document of the name {:?}, expected a name as hits have it", file);
    const fs::path path = EMBD_TRY(collection::checked_path_of(file, impl_->info.roots));
    const DocumentState state = state_of(path, *entry);
    const std::string text = EMBD_TRY(read_document(path));
    return in_file(file, lines_of(text, first, last, state));
  });
}

Result<SearchedCollection> search_collection(const fs::path& folder,
                                             const SearcherOptions& options) {
  return guarded([&]() -> Result<SearchedCollection> {
    for (;;) {
      Collection opened = EMBD_TRY(Collection::open(folder));
      Searcher searcher = EMBD_TRY(Searcher::open(folder, options));
      // An update that came between has made one of them newer than the other.
      if (EMBD_TRY(collection_info(folder)).generation == opened.info().generation)
        return SearchedCollection{std::move(opened), std::move(searcher)};
    }
  });
}

Result<std::unique_ptr<RecordReader>> collection_texts(const fs::path& folder) {
  return guarded([&] {
    return collection::with_generation<std::unique_ptr<RecordReader>>(
        folder, [&](const CollectionInfo& info) -> Result<std::unique_ptr<RecordReader>> {
          return std::make_unique<TextReader>(
              EMBD_TRY(collection::PassageReader::open(
                  collection::passages_in(folder, info.generation))),
              text_of_path(folder));
        });
  });
}

}  // namespace embd
