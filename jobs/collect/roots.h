#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "embd/collect.h"
#include "embd/error.h"
#include "jobs/collect/file_table.h"

// The documents of the roots of a collection.
namespace embd::collection {

/// Adds roots that a user names to those that a collection has. Fails with not_found or io_failed
/// for one that does not exist, and with invalid_argument for one that is in another root or has
/// the name of another, or whose name is not UTF-8.
Result<std::vector<CollectionRoot>> with_roots(std::vector<CollectionRoot> roots,
                                               std::span<const std::filesystem::path> named);

/// A document that was found in a root.
struct FoundDocument {
  FileEntry entry;  ///< its name, size and time of change
  std::filesystem::path path;
};

/// Returns the documents in all roots, in the order of their names. Fails with not_found or
/// io_failed for a root that is missing or a folder that cannot be read. `on_skip` is as in
/// document_files().
Result<std::vector<FoundDocument>> documents_in(std::span<const CollectionRoot> roots,
                                                const std::function<void(const Error&)>& on_skip);

/// Returns the path of a document by its name; empty if no root has it. A name never leads out of
/// its root, except through a symbolic link that was put there since.
std::filesystem::path path_of(const std::string& name, std::span<const CollectionRoot> roots);
/// Returns the same path, without symbolic links. Fails with not_found if nothing is there, and
/// with invalid_argument if it is outside all roots.
Result<std::filesystem::path> checked_path_of(const std::string& name,
                                              std::span<const CollectionRoot> roots);

}  // namespace embd::collection
