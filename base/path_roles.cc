#include "base/path_roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/directories.h"
#include "base/links.h"
#include "base/path_names.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

std::vector<FileIdentity> folders_of(const fs::path& path) {
  std::vector<FileIdentity> folders;
  std::error_code error;
  fs::path folder = fs::canonical(directory_of(path), error);
  while (!error) {
    if (const auto identity = identity_of(folder)) folders.push_back(*identity);
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return folders;
}

}  // namespace

void PathRoles::reads(const std::string& role, const fs::path& path) {
  if (!path.empty() && path != "-") add(role, path, Use::read);
}

void PathRoles::reads_folder(const std::string& role, const fs::path& path) {
  if (!path.empty()) add(role, path, Use::read_folder);
}

void PathRoles::writes(const std::string& role, const fs::path& path) {
  if (!path.empty()) add(role, path, Use::write);
}

void PathRoles::add(const std::string& role, const fs::path& path, Use use) {
  const fs::path end = follow_links(without_trailing_slash(path));
  entries_.push_back({.role = role,
                      .path = path,
                      .use = use,
                      .place = place_of(path, use),
                      .folders = folders_of(end)});
}

std::optional<PathRoles::Place> PathRoles::place_of(const fs::path& path, Use use) {
  const bool is_standard_output = use == Use::write && path == "-";
  if (const auto status =
          is_standard_output ? os::status_of_standard_output() : os::status_of(path)) {
    // A terminal or /dev/null takes everything, and may be read and written at once.
    if (status->kind == FileKind::character_device) return std::nullopt;
    return Place{.file = status->identity, .name = {}};
  }
  const fs::path end = follow_links(without_trailing_slash(path));
  const auto folder = identity_of(directory_of(end));
  // A file whose folder does not exist cannot be created. The code that tries reports the error.
  if (is_standard_output || !folder) return std::nullopt;
  return Place{.file = *folder, .name = end.filename()};
}

bool PathRoles::collide(const Entry& written, const Entry& other) {
  if (!written.place) return false;
  if (other.place && *written.place == *other.place) return true;
  const auto lies_in = [](const Entry& inner, const Entry& outer) {
    return outer.place && outer.place->name.empty() &&
           std::ranges::find(inner.folders, outer.place->file) != inner.folders.end();
  };
  if (lies_in(other, written)) return true;
  // A new file in a folder that is read is not one of the files that are read.
  return other.use == Use::read_folder && written.place->name.empty() && lies_in(written, other);
}

Result<void> PathRoles::check() const {
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    for (auto before = entries_.begin(); before != entry; ++before) {
      const bool wrong = (entry->use == Use::write && collide(*entry, *before)) ||
                         (before->use == Use::write && collide(*before, *entry));
      if (!wrong) continue;
      return std::unexpected(Error(
          ErrorCode::invalid_argument,
          fmt::format("{} {} and {} {} are the same file, or one is inside the other, expected an "
                      "output that is no other file",
                      before->role, before->path.native(), entry->role, entry->path.native())));
    }
  }
  return {};
}

}  // namespace embd
