#include "formats/vectors/svs/svs_format.h"

#include <array>

#include "base/byte_reader.h"
#include "formats/vectors/svs/svs_layout.h"
#include "formats/vectors/svs/svs_reader.h"
#include "formats/vectors/svs/svs_writer.h"
#include "formats/vectors/svs/vamana_directory.h"
#include "formats/vectors/svs/written_files.h"

namespace embd::svs {
namespace {

constexpr std::array<std::string_view, 2> extensions = {".svs", ".config"};

bool has_magic(const std::filesystem::path& path, Bytes head) {
  if (head.size() >= sizeof(v1_magic)) {
    const auto magic = load<std::uint64_t>(head);
    return magic == v1_magic || magic == vtest_magic;
  }
  return is_svs_directory(path);
}

Room room(const std::filesystem::path& path, const WriteOptions& options) {
  const Layout layout = layout_of(path, options);
  if (layout == Layout::file) return {};
  return {.ids = layout == Layout::specification ? IdsInside::numbers : IdsInside::none,
          .recipe = true};
}

bool is_several_files(const std::filesystem::path& path, const WriteOptions& options) {
  return layout_of(path, options) != Layout::file;
}

CheckReplaceable replaceable(const std::filesystem::path& path, const WriteOptions& options) {
  return layout_of(path, options) == Layout::directory ? check_replaceable : nullptr;
}

}  // namespace

const Format format = {
    .name = "svs",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open_svs,
    .create = create_svs,
    .room = room,
    .output_path = svs_output_path,
    .replaceable = replaceable,
    .keeps_codes = true,
    .is_several_files = is_several_files,
    .index = IndexKind::vamana,
    .is_index = is_vamana,
};

}  // namespace embd::svs
