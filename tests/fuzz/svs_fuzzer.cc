// Whatever the files of a SVS directory hold, opening them refuses them or gives rows, and a Vamana
// index that can be searched.
//
// An input is several files in one: `%%% NAME`, a line end, and the file's bytes up to the next
// such mark. svs_seeds.py packs the fixtures so. A first name that ends in .config is a
// configuration of the specification's layout, any other lies in a directory of the library's. An
// input without a mark is a lone binary file.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "embd/index.h"
#include "formats/vectors/formats.h"

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "%%% ";
constexpr std::uint64_t many_values = 1 << 22;

/// One folder for the process, emptied before each input.
const fs::path& folder() {
  static const fs::path path =
      fs::temp_directory_path() / ("svs_fuzzer-" + std::to_string(::getpid()));
  return path;
}

bool is_plain(std::string_view name) {
  return !name.empty() && name.size() < 64 && name.front() != '/' &&
         name.find("..") == std::string_view::npos &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < 127; });
}

/// The path to open.
fs::path unpack(std::string_view input) {
  const auto write = [](const fs::path& path, std::string_view content) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary).write(content.data(), std::ssize(content));
  };
  if (!input.starts_with(mark)) {
    write(folder() / "lone.svs", input);
    return folder() / "lone.svs";
  }
  fs::path opened = folder();
  for (bool first = true; !input.empty(); first = false) {
    input.remove_prefix(mark.size());
    const std::string_view file = input.substr(0, input.find(mark));
    input.remove_prefix(file.size());
    const std::size_t line = std::min(file.find('\n'), file.size());
    const std::string_view name = file.substr(0, line);
    if (!is_plain(name)) continue;
    write(folder() / name, file.substr(std::min(line + 1, file.size())));
    if (first && name.ends_with(".config")) opened /= name;
  }
  return opened;
}

void search(const fs::path& path) {
  const auto index = embd::Index::open(path, {.vectors = {}, .metric = embd::Metric::l2sq});
  if (!index) return;
  const std::vector<float> query(index->info().dim, 0.5F);
  (void)index->search(query, 5, {.window = 8, .threads = 1});
  (void)index->search(query, 5, {.exact = true, .threads = 1});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::error_code ignored;
  fs::remove_all(folder(), ignored);
  const fs::path path = unpack({reinterpret_cast<const char*>(data), size});
  const auto reader = embd::svs::format.open(path, {});
  if (!reader) return 0;
  const auto& info = (*reader)->info();
  if (info.dim == 0 || info.num_rows > many_values / info.dim) return 0;
  std::vector<float> rows(info.num_rows * info.dim);
  (void)(*reader)->read(0, info.num_rows, rows);
  (void)(*reader)->ids();
  (void)(*reader)->recipe();
  (void)(*reader)->describe();
  (void)(*reader)->verify();
  if (embd::svs::format.is_index(path)) search(path);
  return 0;
}
