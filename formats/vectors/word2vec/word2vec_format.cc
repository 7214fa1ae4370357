#include "formats/vectors/word2vec/word2vec_format.h"

#include <array>

#include "base/byte_reader.h"
#include "base/os/mapped_file.h"
#include "base/try.h"
#include "formats/vectors/word2vec/fasttext_reader.h"
#include "formats/vectors/word2vec/word2vec_reader.h"
#include "formats/vectors/word2vec/word2vec_writer.h"

namespace embd::word2vec {
namespace {

constexpr std::array<std::string_view, 1> binary_extensions = {".w2v.bin"};
constexpr std::array<std::string_view, 1> text_dims_extensions = {".vec"};
constexpr std::array<std::string_view, 1> text_extensions = {".txt"};
constexpr std::array<std::string_view, 1> fasttext_extensions = {".bin"};

bool has_fasttext_magic(const std::filesystem::path&, Bytes head) {
  return head.size() >= sizeof(fasttext_magic) && load<std::uint32_t>(head) == fasttext_magic;
}

/// Opens a file as its first lines show, whatever its name. If they show nothing, or if the format
/// was named, `open` opens it.
template <auto open>
Result<std::unique_ptr<VectorReader>> open_by_lines(const std::filesystem::path& path,
                                                    const ReadOptions& options) {
  if (!options.format.empty()) return open(path, options);
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  if (has_fasttext_magic(path, file.bytes())) return open(path, options);
  const std::optional<Layout> layout = layout_of(as_text(file.bytes()));
  if (!layout) return open(path, options);
  switch (*layout) {
    case Layout::binary:
      return open_binary(path, options);
    case Layout::text_dims:
      return open_text_dims(path, options);
    case Layout::text:
      break;
  }
  return open_text(path, options);
}

}  // namespace

const Format formats[4] = {
    {.name = "word2vec",
     .extensions = binary_extensions,
     .has_magic = nullptr,
     .open = open_by_lines<open_binary>,
     .create = create_binary,
     .room = always<Room{.ids = IdsInside::any}>},
    {.name = "textdims",
     .extensions = text_dims_extensions,
     .has_magic = nullptr,
     .open = open_by_lines<open_text_dims>,
     .create = create_text_dims,
     .room = always<Room{.ids = IdsInside::any}>},
    {.name = "text",
     .extensions = text_extensions,
     .has_magic = nullptr,
     .open = open_by_lines<open_text>,
     .create = create_text,
     .room = always<Room{.ids = IdsInside::any}>},
    {.name = "fasttext",
     .extensions = fasttext_extensions,
     .has_magic = has_fasttext_magic,
     .open = open_by_lines<open_fasttext>,
     .create = nullptr,
     .room = always<Room{.ids = IdsInside::any}>},
};

}  // namespace embd::word2vec
