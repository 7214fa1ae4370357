// Any files as a term index: refused, or opened and searched for each of its terms. An input that
// is no files is a text, whose terms make an index that is checked.
//
// An input is several files in one: "%%% NAME", a line end, and the bytes of the file up to the
// next such mark. terms_seeds.py packs an index so. An array comes without its header, which is
// made for as many elements as there are, so that mutations reach the numbers.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "embd/terms.h"
#include "formats/vectors/numpy/npy_header.h"
#include "index/terms/term_index_impl.h"
#include "tests/fuzz/require.h"

namespace {

using namespace embd;
using fuzz::require;
namespace fs = std::filesystem;

constexpr std::string_view mark = "%%% ";

/// One folder for the process, emptied before each input.
const fs::path& folder() {
  static const fs::path path =
      fs::temp_directory_path() / ("terms_fuzzer-" + std::to_string(::getpid()));
  return path;
}

/// Returns the header of the array in a file; empty for another file.
std::string header_of(std::string_view name, std::size_t bytes) {
  if (name.starts_with("data.")) return numpy::format_header(ElementType::f32, bytes / 4);
  if (name.starts_with("indices.")) return numpy::format_header(ElementType::i32, bytes / 4);
  if (name.starts_with("indptr.")) return numpy::format_header(ElementType::i64, bytes / 8);
  if (name.starts_with("tf.")) return numpy::format_header(ElementType::u16, bytes / 2);
  if (name.starts_with("lengths.")) return numpy::format_header(ElementType::u32, bytes / 4);
  return {};
}

void unpack(std::string_view input) {
  while (input.starts_with(mark)) {
    input.remove_prefix(mark.size());
    const std::string_view file = input.substr(0, input.find(mark));
    input.remove_prefix(file.size());
    const std::size_t line = std::min(file.find('\n'), file.size());
    const std::string_view name = file.substr(0, line);
    const std::string_view content = file.substr(std::min(line + 1, file.size()));
    const bool is_safe =
        name.size() < 40 &&
        std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || c == '.'; });
    if (is_safe)
      std::ofstream(folder() / name, std::ios::binary)
          << header_of(name, content.size()) << content;
  }
}

/// Searches for each term alone, and for all together.
void search(const TermIndex::Impl& impl, const TermIndex& index) {
  std::vector<std::string> query;
  for (std::size_t column = 0; column < impl.vocabulary().size(); ++column) {
    query.emplace_back(impl.vocabulary()[column]);
    const auto hits = index.search(std::span(query).last(1), 3).value();
    require(hits.size() == std::min<std::size_t>(impl.num_rows_with(column), 3));
    require(std::isfinite(index.weight(query.back())));
  }
  const std::vector<TermHit> all = index.search(query, index.num_rows() + 1).value();
  for (const TermHit& hit : all) {
    require(hit.row < index.num_rows());
    require(index.scores(query, {&hit.row, 1}).value().front() == hit.score);
  }
}

void use_folder(std::string_view input) {
  std::error_code ignored;
  fs::remove_all(folder(), ignored);
  fs::create_directories(folder(), ignored);
  unpack(input);
  auto impl = term_files::open(folder());
  if (!impl) {
    require(!impl.error().message().empty());
    return;
  }
  const TermIndex index = TermIndex::open(folder()).value();
  search(**impl, index);
  (void)index.check();
}

void use_text(std::string_view text) {
  for (const TermKind kind : {TermKind::stems, TermKind::words}) {
    const Terms found = terms(text, {.kind = kind}).value();
    require(found.texts.size() == found.ranges.size());
    for (std::size_t i = 0; i < found.texts.size(); ++i) {
      require(!found.texts[i].empty());
      require(found.ranges[i].begin < found.ranges[i].end && found.ranges[i].end <= text.size());
    }
    const TermIndex index = TermIndex::build({&text, 1}, {.kind = kind}).value();
    require(index.check().has_value());
    require(index.search(found.texts, 1).value().size() == (found.texts.empty() ? 0 : 1));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with(mark))
    use_folder(input);
  else
    use_text(input);
  return 0;
}
