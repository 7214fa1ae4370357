#include "jobs/sets/set_tie.h"

#include <algorithm>
#include <vector>

#include "base/checksum.h"
#include "base/json.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/system_error.h"
#include "base/try.h"
#include "formats/vectors/formats.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t whole_bytes = 1 << 20;
constexpr std::uint64_t block_bytes = 4096;
constexpr std::uint64_t num_blocks = 64;
constexpr std::size_t num_digits = 32;

Result<void> add_block(const FileDescriptor& file, std::uint64_t offset, std::uint64_t count,
                       const fs::path& path, Sha256& hash) {
  std::vector<std::byte> bytes(count);
  EMBD_TRY(file.read_at(offset, bytes, path));
  hash.update(bytes);
  return {};
}

Result<void> add_file(const fs::path& path, Sha256& hash) {
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path));
  const std::uint64_t size = EMBD_TRY(result_of("stat", path, os::status_of(file))).size;
  hash.update(std::to_string(size) + "\n");
  if (size <= whole_bytes) return add_block(file, 0, size, path, hash);
  for (std::uint64_t i = 0; i < num_blocks; ++i) {
    // Divides first, so that no product exceeds 2^64.
    const std::uint64_t last = size - block_bytes;
    const std::uint64_t offset =
        last / (num_blocks - 1) * i + last % (num_blocks - 1) * i / (num_blocks - 1);
    EMBD_TRY(add_block(file, offset, block_bytes, path, hash));
  }
  return {};
}

using Json = nlohmann::json;

/// The member of OUT.recipe.json that holds the tie.
constexpr const char* member = "files";

}  // namespace

Result<std::string> fingerprint(const fs::path& path) {
  Sha256 hash;
  if (!os::is_folder(path)) {
    EMBD_TRY(add_file(path, hash));
    return hash.hex().substr(0, num_digits);
  }
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(path, error))
    if (svs::is_written_file(entry.path().lexically_relative(path))) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    hash.update(generic_text_of_path(file.lexically_relative(path)) + "\n");
    EMBD_TRY(add_file(file, hash));
  }
  return hash.hex().substr(0, num_digits);
}

void set_tie(Json& recipe, const SetTie& tie) {
  Json& files = recipe[member] = Json::object();
  files["vectors"] = tie.vectors;
  if (!tie.ids.empty()) files["ids"] = tie.ids;
  if (!tie.ranges.empty()) files["ranges"] = tie.ranges;
}

std::optional<SetTie> tie_in(const std::string& recipe) {
  const auto json = parse_json(recipe);
  if (!json || !json->is_object()) return std::nullopt;
  const auto files = json->find(member);
  if (files == json->end() || !files->is_object()) return std::nullopt;
  return SetTie{.vectors = text_member(*files, "vectors"),
                .ids = text_member(*files, "ids"),
                .ranges = text_member(*files, "ranges")};
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return sha256_hex(file.bytes());
}

}  // namespace embd
