#include "jobs/collect/roots.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/split.h"

namespace embd::collection {
namespace {

namespace fs = std::filesystem;

/// Returns true if `path` is `folder` or in it. Both are absolute and without symbolic links.
bool is_in(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Returns the name of a document: that of its root, and its path in it.
std::string name_of(const CollectionRoot& root, const fs::path& path) {
  if (path == root.path) return root.name;
  const std::string inside =
      generic_text_of_path(path).substr(generic_text_of_path(root.path).size() + 1);
  return root.name.empty() ? inside : root.name + "/" + inside;
}

Result<CollectionRoot> root_at(const fs::path& named) {
  EMBD_TRY(result_of("open", named, os::status_of(named)));
  std::error_code error;
  CollectionRoot root;
  root.path = fs::canonical(named, error);
  if (error) return fail_in(named, ErrorCode::io_failed, error.message());
  root.name = generic_text_of_path(without_trailing_slash(named.lexically_normal()));
  if (root.name == ".") root.name.clear();
  if (!find_invalid_utf8(text_of_path(root.path)) && !find_invalid_utf8(root.name)) return root;
  return fail_in(named, ErrorCode::invalid_argument,
                 "the path is not UTF-8, which a collection records: rename the folder");
}

}  // namespace

Result<std::vector<CollectionRoot>> with_roots(std::vector<CollectionRoot> roots,
                                               std::span<const fs::path> named) {
  for (const fs::path& path : named) {
    CollectionRoot added = EMBD_TRY(root_at(path));
    if (std::ranges::find(roots, added.path, &CollectionRoot::path) != roots.end()) continue;
    for (const CollectionRoot& root : roots) {
      if (is_in(added.path, root.path) || is_in(root.path, added.path))
        return fail_in(path, ErrorCode::invalid_argument,
                       "one of this path and {} contains the other, so its documents would be in "
                       "the collection twice",
                       text_of_path(root.path));
      if (added.name == root.name)
        return fail_in(path, ErrorCode::invalid_argument,
                       "the collection has another root of this name, {}: name the absolute path",
                       text_of_path(root.path));
    }
    roots.push_back(std::move(added));
  }
  if (!roots.empty()) return roots;
  return fail(ErrorCode::invalid_argument,
              "no folder of documents was named, expected at least one for a new collection");
}

Result<std::vector<FoundDocument>> documents_in(std::span<const CollectionRoot> roots,
                                                const std::function<void(const Error&)>& on_skip) {
  std::vector<FoundDocument> found;
  for (const CollectionRoot& root : roots) {
    EMBD_TRY(result_of("open", root.path, os::status_of(root.path)));
    auto files = document_files({&root.path, 1}, on_skip);
    // A folder without documents, which is no mistake if it had some before.
    if (!files && files.error().code() == ErrorCode::missing) continue;
    for (fs::path& path : EMBD_TRY(std::move(files))) {
      const auto status = os::status_of(path);
      if (!status) continue;  // It was removed meanwhile.
      FileEntry entry = {.name = name_of(root, path),
                         .size = static_cast<std::int64_t>(status->size),
                         .modified = nanoseconds_of(status->modified)};
      if (find_invalid_utf8(entry.name)) {
        if (on_skip)
          on_skip(
              fail_in(path, ErrorCode::unsupported, "the name of the file is not UTF-8").error());
        continue;
      }
      found.push_back({std::move(entry), std::move(path)});
    }
  }
  std::ranges::sort(
      found, {}, [](const FoundDocument& file) -> const std::string& { return file.entry.name; });
  return found;
}

fs::path path_of(const std::string& name, std::span<const CollectionRoot> roots) {
  const CollectionRoot* best = nullptr;
  for (const CollectionRoot& root : roots) {
    const bool has_it = root.name.empty() || name == root.name || name.starts_with(root.name + "/");
    if (has_it && (best == nullptr || best->name.size() < root.name.size())) best = &root;
  }
  if (best == nullptr) return {};
  if (name == best->name) return best->path;
  const fs::path inside = path_of_text(name.substr(best->name.empty() ? 0 : best->name.size() + 1));
  const bool leads_out = inside.has_root_path() || std::ranges::find(inside, "..") != inside.end();
  return leads_out ? fs::path() : best->path / inside;
}

Result<fs::path> checked_path_of(const std::string& name, std::span<const CollectionRoot> roots) {
  const fs::path path = path_of(name, roots);
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (path.empty() || error)
    return fail_in(name, ErrorCode::not_found, "the document is gone since it was collected");
  for (const CollectionRoot& root : roots)
    if (is_in(real, root.path)) return real;
  return fail_in(name, ErrorCode::invalid_argument,
                 "a symbolic link leads the document out of the folders of the collection");
}

}  // namespace embd::collection
