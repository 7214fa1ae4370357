#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <memory>

#include "base/byte_reader.h"
#include "base/guard.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/spill_file.h"
#include "base/try.h"
#include "embd/vectors.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/word2vec/word2vec_reader.h"

namespace embd::word2vec {
namespace {

class WordWriter final : public VectorWriter {
 public:
  WordWriter(const std::filesystem::path& path, std::uint64_t dim, Layout layout, OutputFile file)
      : VectorWriter(dim),
        layout_(layout),
        file_(std::move(file)),
        rows_(SpillFile::beside(path)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    return guarded([&]() -> Result<void> {
      const auto* words = std::get_if<std::vector<std::string>>(&ids);
      const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        const std::uint64_t row = num_rows() + i;
        const std::string number =
            words ? std::string() : std::to_string(numbers ? (*numbers)[i] : row);
        const std::string_view word = words ? std::string_view((*words)[i]) : number;
        put_row(word, rows.row(i));
        EMBD_TRY(check_row(word, row));
        // Rows wait only if the shape stands before them.
        EMBD_TRY(layout_ == Layout::text ? file_.write(as_bytes(row_))
                                         : rows_.write(as_bytes(row_)));
      }
      return {};
    });
  }

  Result<void> finish_file() override {
    return guarded([&]() -> Result<void> {
      if (layout_ != Layout::text) {
        EMBD_TRY(file_.write(as_bytes(fmt::format("{} {}\n", num_rows(), dim()))));
        EMBD_TRY(rows_.copy_to(file_, 0, rows_.size()));
      }
      return file_.finish();
    });
  }

  /// Checks that a reader will find `word` in `row_` again.
  Result<void> check_row(std::string_view word, std::uint64_t row) const {
    const auto refuse = [&](std::string_view why) {
      return fail(ErrorCode::bad_value,
                  fmt::format("the word of row {} is {:?}, which contains a {}", row,
                              word.substr(0, 80), why));
    };
    if (word.contains('\n')) return refuse("line feed");
    if (layout_ == Layout::binary) {
      if (word.contains(' ')) return refuse("space, which ends a word in this format");
      return {};
    }
    const std::string_view line(row_.data(), row_.size() - 1);
    if (layout_ == Layout::text && row == 0 && count_values(line) != dim())
      return refuse(
          "space, which the first word may not, because its line determines the number of values");
    // A reader takes "5 1" for a shape if 5 lines with one value each follow.
    if (layout_ == Layout::text && row == 0 && says_shape(line) && line.ends_with(" 1"))
      return fail(ErrorCode::bad_value,
                  fmt::format("the first line would be {:?}, which readers take for the numbers of "
                              "rows and of values: choose another format or other ids",
                              line));
    return {};
  }

  void put_row(std::string_view word, std::span<const float> values) {
    row_.assign(word);
    if (layout_ == Layout::binary) {
      row_.push_back(' ');
      row_.append(as_text(std::as_bytes(values)));
    } else {
      for (const float value : values) fmt::format_to(std::back_inserter(row_), " {}", value);
    }
    row_.push_back('\n');
  }

  Layout layout_;
  OutputFile file_;
  SpillFile rows_;
  std::string row_;  ///< The row as it is written.
};

/// Makes a writer. Ids are the words; without ids, the words are the row numbers from 0. A word
/// that could not be read back fails with bad_value: a word with a line feed and, in binary files,
/// a word with a space. In text files, each value is the shortest decimal that reads back to the
/// same float32. Memory does not grow with the rows.
template <Layout layout>
Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  if (dim == 0)
    return fail(ErrorCode::invalid_argument, "rows have 0 values, expected at least one");
  if (options.element_type != ElementType::f32) {
    return fail(ErrorCode::unsupported,
                fmt::format("word embeddings are stored as f32, but the type {} was asked for",
                            element_name(options.element_type)));
  }
  return std::make_unique<WordWriter>(path, dim, layout, EMBD_TRY(OutputFile::create(path)));
}

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
     .create = create<Layout::binary>,
     .room = always<Room{.ids = IdsInside::any}>},
    {.name = "textdims",
     .extensions = text_dims_extensions,
     .has_magic = nullptr,
     .open = open_by_lines<open_text_dims>,
     .create = create<Layout::text_dims>,
     .room = always<Room{.ids = IdsInside::any}>},
    {.name = "text",
     .extensions = text_extensions,
     .has_magic = nullptr,
     .open = open_by_lines<open_text>,
     .create = create<Layout::text>,
     .room = always<Room{.ids = IdsInside::any}>},
    {.name = "fasttext",
     .extensions = fasttext_extensions,
     .has_magic = has_fasttext_magic,
     .open = open_by_lines<open_fasttext>,
     .create = nullptr,
     .room = always<Room{.ids = IdsInside::any}>},
};

}  // namespace embd::word2vec
