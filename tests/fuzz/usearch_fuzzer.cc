// Whatever a USearch file holds, opening it refuses it or gives an index that can be searched.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include "embd/index.h"
#include "formats/vectors/usearch/usearch_file.h"

namespace {

/// One file for the process, overwritten by each input.
const std::filesystem::path& input_path() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("usearch_fuzzer-" + std::to_string(::getpid()));
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!embd::usearch::Reader::parse({reinterpret_cast<const std::byte*>(data), size})) return 0;
  std::FILE* file = std::fopen(input_path().c_str(), "wb");
  if (file == nullptr) return 0;
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  for (const bool mapped : {false, true}) {
    auto index = mapped ? embd::Index::view(input_path()) : embd::Index::open(input_path());
    if (!index || index->info().dim > 4096) continue;
    const std::vector<float> query(index->info().dim, 0.5F);
    embd::SearchOptions options;
    options.threads = 1;
    options.expansion = 16;
    (void)index->search(query, 5, options);
    options.exact = true;
    (void)index->search(query, 5, options);
    if (mapped) continue;
    const auto ids = index->ids();
    if (!ids.empty()) (void)index->remove(std::span(ids).first(1));
    const std::uint64_t added = 77;
    (void)index->add({query.data(), 1, query.size()}, std::span(&added, 1), 1);
    (void)index->compact();
    (void)index->search(query, 5);
  }
  return 0;
}
