#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/temporary_files.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/vectors.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/word2vec/word_rows.h"

namespace embd::word2vec {

WordRows::WordRows(MappedFile file, std::string format, std::string encoding, std::uint64_t dim,
                   std::vector<WordRow> rows)
    : file_(std::move(file)), rows_(std::move(rows)) {
  info_.format = std::move(format);
  info_.encoding = std::move(encoding);
  info_.num_rows = rows_.size();
  info_.dim = dim;
}

Result<Ids> WordRows::ids() const {
  std::vector<std::string> ids;
  ids.reserve(rows_.size());
  for (std::uint64_t row = 0; row < rows_.size(); ++row) ids.emplace_back(word(row));
  return ids;
}

std::string WordRows::describe() const {
  return fmt::format(R"({{"format": "{}", "encoding": "{}", "rows": {}, "dim": {}}})", info_.format,
                     info_.encoding, info_.num_rows, info_.dim);
}

Result<void> WordRows::verify() const {
  // Without rows, the dimension may be any number, because nothing in the file limits it.
  std::vector<float> values(info_.num_rows > 0 ? info_.dim : 0);
  for (std::uint64_t row = 0; row < info_.num_rows; ++row) EMBD_TRY(read(row, 1, values));
  return {};
}

namespace {

enum class Layout { binary, text, text_dims };

struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t dim = 0;
};

/// Returns a line without its end and the blanks before the end.
std::string_view line_at(std::string_view text, std::uint64_t offset) {
  std::string_view line = text.substr(offset, text.find('\n', offset) - offset);
  while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::uint64_t after_line(std::string_view text, std::uint64_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

/// Returns the number of a line, counted from 1. Used only for errors, because it counts all lines
/// before.
std::uint64_t line_number(std::string_view text, std::uint64_t offset) {
  return 1 + static_cast<std::uint64_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

/// Returns the place of the first line, behind a byte order mark.
std::uint64_t begin_of(std::string_view text) {
  return text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
}

/// Returns the shape that a line "rows dim" says; nothing if it is another line.
std::optional<Shape> shape_in(std::string_view line) {
  Shape shape;
  const char* const end = line.data() + line.size();
  const auto rows = std::from_chars(line.data(), end, shape.rows);
  if (rows.ec != std::errc() || rows.ptr == end || *rows.ptr != ' ') return std::nullopt;
  const auto dim = std::from_chars(rows.ptr + 1, end, shape.dim);
  if (dim.ec != std::errc() || dim.ptr != end) return std::nullopt;
  return shape;
}

/// Returns the beginning of the first line, which is the whole line if it says a shape.
std::string_view shape_line(std::string_view text) {
  constexpr std::size_t max_line = 64;
  return line_at(text.substr(begin_of(text), max_line), 0);
}

/// Reads the first line, "rows dim". Each value takes at least `min_value_bytes`.
Result<Shape> read_shape(std::string_view text, std::uint64_t min_value_bytes) {
  const std::string_view line = shape_line(text);
  const std::optional<Shape> found = shape_in(line);
  if (!found) {
    return fail_at(0, ErrorCode::bad_value,
                   "the first line is {:?}, expected the number of rows and the dimension", line);
  }
  const Shape shape = *found;
  const std::uint64_t left = text.size() - after_line(text, 0);
  if (shape.dim == 0 || shape.dim > left / min_value_bytes + (shape.rows == 0 ? shape.dim : 0) ||
      (shape.rows != 0 && shape.dim > left / min_value_bytes / shape.rows)) {
    return fail_at(0, ErrorCode::bad_count,
                   "the first line says {} rows of {} values, but {} bytes are left, "
                   "expected at least 1 value and room for all rows",
                   shape.rows, shape.dim, left);
  }
  return shape;
}

Result<void> check_word(std::string_view word, std::uint64_t offset) {
  const auto bad = find_invalid_utf8(word);
  if (!bad) return {};
  return fail_at(offset + *bad, ErrorCode::invalid_utf8, "word");
}

class BinaryRows final : public WordRows {
 public:
  BinaryRows(MappedFile file, std::uint64_t dim, std::vector<WordRow> rows)
      : WordRows(std::move(file), "word2vec", "f32", dim, std::move(rows)) {}

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    const std::size_t row_bytes = info_.dim * sizeof(float);
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(out.data() + i * info_.dim, file_.bytes().data() + rows_[first + i].values_at,
                  row_bytes);
    return {};
  }
};

Result<std::vector<WordRow>> find_binary_rows(std::string_view text, const Shape& shape) {
  std::vector<WordRow> rows;
  std::uint64_t offset = after_line(text, 0);
  for (std::uint64_t i = 0; i < shape.rows; ++i) {
    // The line feed at the end of a row stands before the word of the next row.
    if (offset < text.size() && text[offset] == '\n') ++offset;
    const std::size_t space = text.find(' ', offset);
    if (space == std::string_view::npos) {
      return fail_at(offset, ErrorCode::file_too_short,
                     "the word of row {} does not end with a space", i);
    }
    const std::string_view word = text.substr(offset, space - offset);
    EMBD_TRY(check_word(word, offset));
    const std::uint64_t values_at = space + 1;
    if (shape.dim > (text.size() - values_at) / sizeof(float)) {
      return fail_at(values_at, ErrorCode::file_too_short,
                     "row {} takes {} × 4 bytes, but only {} are left", i, shape.dim,
                     text.size() - values_at);
    }
    rows.push_back({.word_at = offset, .values_at = values_at, .word_bytes = word.size()});
    offset = values_at + shape.dim * sizeof(float);
  }
  if (offset < text.size() && text[offset] == '\n') ++offset;
  if (offset != text.size()) {
    return fail_at(offset, ErrorCode::trailing_bytes,
                   "{} bytes follow the last of {} rows, expected none", text.size() - offset,
                   shape.rows);
  }
  return rows;
}

class TextRows final : public WordRows {
 public:
  TextRows(MappedFile file, std::string format, std::uint64_t dim, std::vector<WordRow> rows)
      : WordRows(std::move(file), std::move(format), "text", dim, std::move(rows)) {}

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    for (std::uint64_t i = 0; i < count; ++i)
      EMBD_TRY(parse(rows_[first + i].values_at, out.subspan(i * info_.dim, info_.dim)));
    return {};
  }
  Result<void> parse(std::uint64_t offset, std::span<float> out) const {
    const std::string_view text = as_text(file_.bytes());
    const std::string_view line = line_at(text, offset);
    const char* next = line.data();
    const char* const end = next + line.size();
    for (float& value : out) {
      while (next != end && *next == ' ') ++next;
      const char* const stop = parse_decimal(next, end, value);
      if (stop == nullptr || (stop != end && *stop != ' ')) {
        const auto at = static_cast<std::uint64_t>(next - text.data());
        const std::string_view found(next, std::find(next, end, ' '));
        return std::unexpected(
            error(ErrorCode::bad_value,
                  fmt::format("{:?} was found, expected a float32 number", found.substr(0, 40)), at)
                .at_line(line_number(text, at)));
      }
      next = stop;
    }
    return {};
  }
};

/// Splits a line into its word and the last `dim` fields.
Result<WordRow> split_line(std::string_view text, std::uint64_t offset, std::uint64_t dim) {
  const std::string_view line = line_at(text, offset);
  std::size_t values = line.size();
  for (std::uint64_t i = 0; i < dim; ++i) {
    while (values > 0 && line[values - 1] != ' ') --values;
    if (values == 0) {
      return fail_at(offset, ErrorCode::bad_count,
                     "the line has {} values, expected a word and {} values", i, dim);
    }
    --values;  // the space
    if (i + 1 < dim)
      while (values > 0 && line[values - 1] == ' ') --values;
  }
  EMBD_TRY(check_word(line.substr(0, values), offset));
  return WordRow{.word_at = offset, .values_at = offset + values + 1, .word_bytes = values};
}

Result<std::vector<WordRow>> find_text_rows(std::string_view text, std::uint64_t offset,
                                            std::uint64_t dim) {
  std::vector<WordRow> rows;
  for (; offset < text.size(); offset = after_line(text, offset)) {
    auto row = split_line(text, offset, dim);
    if (!row) return std::unexpected(std::move(row).error().at_line(line_number(text, offset)));
    rows.push_back(*row);
  }
  return rows;
}

/// Maps a file and opens it by `open_mapped(file)`, whose errors get the name of the file.
Result<std::unique_ptr<VectorReader>> open_file(const std::filesystem::path& path,
                                                const auto& open_mapped) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const auto open = [&]() -> Result<std::unique_ptr<VectorReader>> {
    return open_mapped(std::move(file));
  };
  return in_file(path, guarded(open));
}

/// Returns true if no byte of a line is one that only a binary file has.
bool is_text(std::string_view line) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r';
  };
  return std::ranges::none_of(line, is_control) && !find_invalid_utf8(line);
}

/// Returns the number of values that open_text() finds in the first line: all fields but the first.
/// This line alone gives the dimension, so its word cannot contain spaces.
std::uint64_t count_values(std::string_view first_line) noexcept {
  std::uint64_t count = first_line.starts_with(' ') ? 1 : 0;  // After an empty word.
  for (std::size_t i = 1; i < first_line.size(); ++i)
    if (first_line[i] == ' ' && first_line[i - 1] != ' ') ++count;
  return count;
}

/// Decides on the layout of a file whose first line says a shape; `rest` is what follows the line.
Layout layout_after(const Shape& shape, std::string_view rest) {
  if (rest.empty()) return shape.rows == 0 ? Layout::text_dims : Layout::text;
  const std::string_view line = line_at(rest, 0);
  if (!is_text(line)) return Layout::binary;
  if (count_values(line) != 1) return Layout::text_dims;
  // Words with one value each, of which the first is a number with a whole number as its value, or
  // the shape of such words.
  const auto num_lines =
      static_cast<std::uint64_t>(std::ranges::count(rest, '\n')) + (rest.ends_with('\n') ? 0 : 1);
  return shape.dim == 1 && shape.rows == num_lines ? Layout::text_dims : Layout::text;
}

/// Returns true if a line is "rows dim": two whole numbers.
bool says_shape(std::string_view first_line) noexcept {
  return shape_in(first_line).has_value();
}

/// Returns the layout that the first lines of a file show; nothing if they show none. A first line
/// "rows dim" stands before rows, which are binary if the next line is no text. Only if the lines
/// after it have one value each, and are not as many as it says or should have more, it is a word
/// with its value itself.
std::optional<Layout> layout_of(std::string_view text) {
  if (const auto shape = shape_in(shape_line(text)))
    return layout_after(*shape, text.substr(after_line(text, 0)));
  const std::string_view line = line_at(text, begin_of(text));
  const std::string_view last = line.substr(line.rfind(' ') + 1);
  if (count_values(line) == 0 || !is_text(line) || !decimal_of<float>(last)) return std::nullopt;
  return Layout::text;
}

/// Opens a binary file of word2vec: a line "rows dim", then for each word the word, a space, `dim`
/// float32 values and mostly a line feed.
Result<std::unique_ptr<VectorReader>> open_binary(const std::filesystem::path& path,
                                                  const ReadOptions&) {
  return open_file(path, [](MappedFile file) -> Result<std::unique_ptr<VectorReader>> {
    const std::string_view text = as_text(file.bytes());
    const Shape shape = EMBD_TRY(read_shape(text, sizeof(float)));
    auto rows = EMBD_TRY(find_binary_rows(text, shape));
    return std::make_unique<BinaryRows>(std::move(file), shape.dim, std::move(rows));
  });
}

/// Opens a text file with one word per line, followed by its values as decimals, such as the files
/// of GloVe. The first line gives the dimension. A word may contain spaces, because values are
/// counted from the end of the line.
Result<std::unique_ptr<VectorReader>> open_text(const std::filesystem::path& path,
                                                const ReadOptions&) {
  return open_file(path, [](MappedFile file) -> Result<std::unique_ptr<VectorReader>> {
    const std::string_view text = as_text(file.bytes());
    const std::uint64_t begin = begin_of(text);
    const std::uint64_t dim = count_values(line_at(text, begin));
    if (dim == 0 && begin != text.size()) {
      return fail_at(0, ErrorCode::bad_count, "the first line is not a word followed by values");
    }
    auto rows = EMBD_TRY(find_text_rows(text, begin, dim));
    return std::make_unique<TextRows>(std::move(file), "text", dim, std::move(rows));
  });
}

/// Opens a text file as open_text() does, which begins with a line "rows dim", such as the text
/// files of word2vec and fastText.
Result<std::unique_ptr<VectorReader>> open_text_dims(const std::filesystem::path& path,
                                                     const ReadOptions&) {
  return open_file(path, [](MappedFile file) -> Result<std::unique_ptr<VectorReader>> {
    const std::string_view text = as_text(file.bytes());
    // A value takes at least a digit and a blank.
    const Shape shape = EMBD_TRY(read_shape(text, 2));
    auto rows = EMBD_TRY(find_text_rows(text, after_line(text, 0), shape.dim));
    if (rows.size() != shape.rows) {
      return fail_at(0, ErrorCode::bad_count, "the first line says {} rows, but the file has {}",
                     shape.rows, rows.size());
    }
    return std::make_unique<TextRows>(std::move(file), "textdims", shape.dim, std::move(rows));
  });
}

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
        follows_shape_ = layout_ == Layout::text && row == 0 && says_shape(line_at(row_, 0));
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
      return fail(ErrorCode::bad_value, "the word of row {} is {:?}, which contains a {}", row,
                  word.substr(0, 80), why);
    };
    if (word.contains('\n')) return refuse("line feed");
    if (layout_ == Layout::binary) {
      if (word.contains(' ')) return refuse("space, which ends a word in this format");
      return {};
    }
    const std::string_view line(row_.data(), row_.size() - 1);
    if (follows_shape_ && !is_text(line))
      return refuse(
          "control character, which it may not, because readers take the file for a binary one");
    if (layout_ == Layout::text && row == 0 && count_values(line) != dim())
      return refuse(
          "space, which the first word may not, because its line determines the number of values");
    // A reader takes "5 1" for a shape if 5 lines with one value each follow.
    if (layout_ == Layout::text && row == 0 && says_shape(line) && line.ends_with(" 1"))
      return fail(ErrorCode::bad_value,
                  "the first line would be {:?}, which readers take for the numbers of "
                  "rows and of values: choose another format or other ids",
                  line);
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
  bool follows_shape_ = layout_ == Layout::text_dims;  // so does the next row
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
                "word embeddings are stored as f32, but the type {} was asked for",
                element_name(options.element_type));
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
