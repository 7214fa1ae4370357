#include "formats/svs/svs_format.h"

#include <array>

#include "base/byte_reader.h"
#include "formats/svs/svs_layout.h"
#include "formats/svs/svs_reader.h"
#include "formats/svs/svs_writer.h"
#include "formats/svs/vamana_directory.h"

namespace embd {
namespace {

constexpr std::array<std::string_view, 2> extensions = {".svs", ".config"};

bool has_magic(const std::filesystem::path& path, Bytes head) {
  if (head.size() >= sizeof(svs::v1_magic)) {
    const auto magic = load<std::uint64_t>(head);
    return magic == svs::v1_magic || magic == svs::vtest_magic;
  }
  std::error_code error;
  return std::filesystem::is_regular_file(path / svs::config_name, error) ||
         svs::is_vamana_directory(path);
}

}  // namespace

const Format svs_format = {
    .name = "svs",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = svs::open_svs,
    .create = svs::create_svs,
};

}  // namespace embd
