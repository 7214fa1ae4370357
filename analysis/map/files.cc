#include "analysis/map/files.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/checksum.h"

namespace embd {
namespace {

/// Returns the hash of the text between `begin` and `end`, as a source.
std::string hash_source(std::string_view page, std::string_view begin, std::string_view end) {
  const std::size_t first = page.find(begin) + begin.size();
  Sha256 hash;
  hash.update(page.substr(first, page.find(end, first) - first));
  const auto digest = hash.digest();
  return fmt::format("'sha256-{}'", encode_base64(as_text(std::as_bytes(std::span(digest)))));
}

}  // namespace

std::string own_sources(std::string_view page) {
  return fmt::format("script-src {}; style-src {}", hash_source(page, "<script>", "</script>"),
                     hash_source(page, "<style>", "</style>"));
}

}  // namespace embd
