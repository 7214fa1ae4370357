// Replaces the format SVS in a build without it (EMBD_SVS=OFF). Its files are still recognized, so
// that opening one says what the build lacks.

#include <array>

#include "base/try.h"
#include "formats/vectors/formats.h"

namespace embd::svs {
namespace {

constexpr std::array<std::string_view, 2> extensions = {".svs", ".config"};

std::unexpected<Error> left_out(const std::filesystem::path& path) {
  return fail_in(path, ErrorCode::unsupported, "this build of embd has no SVS");
}

bool has_no_magic(const std::filesystem::path&, Bytes) {
  return false;
}

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path, const ReadOptions&) {
  return left_out(path);
}

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t,
                                             const WriteOptions&) {
  return left_out(path);
}

}  // namespace

bool is_written_file(const std::filesystem::path&) {
  return false;
}

Result<void> check_replaceable(const std::filesystem::path& directory) {
  return left_out(directory);
}

std::vector<std::filesystem::path> specification_files(const std::filesystem::path&) {
  return {};
}

const Format format = {
    .name = "svs",
    .extensions = extensions,
    .has_magic = has_no_magic,
    .open = open,
    .create = create,
    .index = IndexKind::vamana,
};

}  // namespace embd::svs
