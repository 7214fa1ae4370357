#include "embd/vectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/messages.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/output_set.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/format.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/ids.h"
#include "jobs/sets/collection_record.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/index_sets.h"
#include "jobs/sets/narrow_rows.h"
#include "jobs/sets/set_files.h"

namespace embd {
namespace {

/// The number of bytes in which every format's magic number can be found.
constexpr std::size_t head_bytes = 4096;

/// Reads the first bytes of a file; none of a directory.
Result<std::vector<std::byte>> read_head(const std::filesystem::path& path) {
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path));
  const FileKind kind = EMBD_TRY(result_of("stat", path, os::status_of(file))).kind;
  if (kind == FileKind::folder) return std::vector<std::byte>();
  if (kind != FileKind::file) {
    return fail_in(path, ErrorCode::io_failed, "the path names neither a file nor a directory");
  }
  std::vector<std::byte> head(head_bytes);
  head.resize(EMBD_TRY(file.read_some(head, path)));
  return head;
}

enum class Direction { read, write };

/// Returns the names of the formats that can be read, which are all, or written.
std::vector<std::string> format_names(Direction direction) {
  std::vector<std::string> names;
  for (const Format* format : all_formats())
    if (direction == Direction::read || format->create != nullptr) names.emplace_back(format->name);
  return names;
}

/// Returns the extensions that end in `ending`, of formats that can be written.
std::vector<std::string> writable_extensions(std::string_view ending) {
  std::vector<std::string> all;
  for (const Format* format : all_formats()) {
    for (const std::string_view extension : format->extensions)
      if (format->create != nullptr && extension.ends_with(ending)) all.emplace_back(extension);
  }
  return all;
}

const Format* by_name(std::string_view name) {
  for (const Format* format : all_formats())
    if (format->name == name) return format;
  return nullptr;
}

/// Returns the format of the longest matching extension: ".w2v.bin" before ".bin".
const Format* by_extension(const std::filesystem::path& path) {
  const std::string name = text_of_path(without_trailing_slash(path).filename());
  const Format* best = nullptr;
  std::size_t longest = 0;
  for (const Format* format : all_formats()) {
    for (const std::string_view extension : format->extensions) {
      if (!name.ends_with(extension) || extension.size() <= longest) continue;
      best = format;
      longest = extension.size();
    }
  }
  return best;
}

const Format* by_magic(const std::filesystem::path& path, Bytes head) {
  for (const Format* format : all_formats())
    if (format->has_magic != nullptr && format->has_magic(path, head)) return format;
  return nullptr;
}

Result<const Format*> named_format(const std::string& name, Direction direction) {
  const Format* format = by_name(name);
  if (format != nullptr) return format;
  const std::vector<std::string> names = format_names(direction);
  return fail(ErrorCode::invalid_argument, "no format is named {:?}{}, expected one of {}", name,
              did_you_mean(name, names), fmt::join(names, ", "));
}

Result<const Format*> detect(const std::filesystem::path& path) {
  const std::vector<std::byte> head = EMBD_TRY(read_head(path));
  const Format* content = by_magic(path, head);
  const Format* name = by_extension(path);
  if (content == nullptr && name == nullptr) {
    return fail_in(
        path, ErrorCode::bad_magic,
        "neither the content nor the name of the file tells its format: name the format, one of {}",
        fmt::join(format_names(Direction::read), ", "));
  }
  if (content != nullptr && name != nullptr && content != name) {
    return fail_in(
        path, ErrorCode::bad_magic,
        "the file is {} by its content, but {} by its name: rename it, or name its format",
        content->name, name->name);
  }
  return content != nullptr ? content : name;
}

/// Returns the recipe with the type in which the format stores the values. Codes (int8, binary)
/// stay codes, whatever type holds them.
std::optional<Recipe> recipe_of_file(const Format& format, const WriteOptions& options) {
  std::optional<Recipe> recipe = options.recipe;
  const ElementType type = format.stored_type(options);
  const bool plain = type == ElementType::f32 || type == ElementType::f16;
  if (recipe && plain && !are_codes(recipe->output_type)) recipe->output_type = element_name(type);
  return recipe;
}

}  // namespace

std::span<const Format* const> all_formats() noexcept {
#ifdef EMBD_MINIMAL
  static const std::array table = {&numpy::format};
#else
  static const std::array table = {
      &cvc::format,           &finalfusion::format,   &svs::format,
      &usearch::format,       &numpy::format,         &parquet::format,
      &jsonl::format,         &vecs::vecs_formats[0], &vecs::vecs_formats[1],
      &vecs::vecs_formats[2], &vecs::vecs_formats[3], &vecs::bin_formats[0],
      &vecs::bin_formats[1],  &vecs::bin_formats[2],  &word2vec::formats[0],
      &word2vec::formats[1],  &word2vec::formats[2],  &word2vec::formats[3],
  };
#endif
  return table;
}

Result<const Format*> format_for_output(const std::filesystem::path& path,
                                        const std::string& name) {
  const Format* format =
      name.empty() ? by_extension(path) : EMBD_TRY(named_format(name, Direction::write));
  const std::vector<std::string> names = format_names(Direction::write);
  const std::string ending = text_of_path(path.extension());
  if (format == nullptr) {
    const std::vector<std::string> extensions = writable_extensions("");
    return fail(
        ErrorCode::invalid_argument,
        "the name {} does not tell a format{}: end it in one of {}, or name the format ({})",
        text_of_path(path), did_you_mean(ending, extensions), fmt::join(extensions, ", "),
        fmt::join(names, ", "));
  }
  if (format->create != nullptr) return format;
  if (!name.empty())
    return fail(ErrorCode::invalid_argument,
                "files of the format {} can be read, but not written: choose another format",
                format->name);
  const std::vector<std::string> others =
      writable_extensions(ending.substr(std::min<std::size_t>(1, ending.size())));
  return fail(ErrorCode::invalid_argument,
              "the name {} stands for the format {}, which can be read, but not written: end the "
              "name in {}, or name the format ({})",
              text_of_path(path), format->name,
              fmt::join(others.empty() ? writable_extensions("") : others, ", "),
              fmt::join(names, ", "));
}

Result<void> check_name(const std::filesystem::path& path, const Format& format) {
  const Format* told = by_extension(path);
  if (told == nullptr || told->create == nullptr || told == &format) return {};
  return fail(ErrorCode::invalid_argument,
              "the name {} stands for the format {}, but the format {} was named: end the name in "
              "{}, or name no format",
              text_of_path(path), told->name, format.name, fmt::join(format.extensions, " or "));
}

Result<const Format*> format_for_index(const std::filesystem::path& path) {
  const Format* format = by_extension(path);
  if (format != nullptr && format->index) return format;
  std::vector<std::string_view> extensions;
  for (const Format* each : all_formats())
    if (each->index)
      extensions.insert(extensions.end(), each->extensions.begin(), each->extensions.end());
  return fail(ErrorCode::invalid_argument,
              "{} is not the name of an index, expected a name that ends in {}", text_of_path(path),
              fmt::join(extensions, ", "));
}

const Format& format_of(const VectorSetInfo& info) noexcept {
  static constexpr Format unknown = {};
  const Format* format = by_name(info.format);
  return format != nullptr ? *format : unknown;
}

Result<const Format*> format_of_input(const std::filesystem::path& path, const std::string& name) {
  if (name.empty() && is_collection(path)) return by_name("parquet");
  return name.empty() ? detect(path) : named_format(name, Direction::read);
}

Result<std::unique_ptr<VectorReader>> open_vectors(const std::filesystem::path& path,
                                                   const ReadOptions& options) {
  using Opened = std::unique_ptr<VectorReader>;
  if (options.format.empty() && is_collection(path))
    return collection::with_generation<Opened>(path, [&](const CollectionInfo& info) {
      return open_vectors(collection::passages_in(path, info.generation), options);
    });
  return consistently<std::unique_ptr<VectorReader>>(
      path, [&]() -> Result<std::unique_ptr<VectorReader>> {
        const Format* format = EMBD_TRY(format_of_input(path, options.format));
        return with_sidecar(EMBD_TRY(format->open(path, options)), path);
      });
}

Result<std::unique_ptr<VectorWriter>> create_bare(const Format& format,
                                                  const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options) {
  std::optional<Recipe> recipe = recipe_of_file(format, options);
  if (recipe) recipe->input_sha256.clear();
  if (recipe == options.recipe) return format.create(path, dim, options);
  WriteOptions inside = options;
  inside.recipe = std::move(recipe);
  return format.create(path, dim, inside);
}

Result<std::unique_ptr<VectorSetWriter>> create_vector_set(const Format& format,
                                                           const std::filesystem::path& path,
                                                           std::uint64_t dim,
                                                           const WriteOptions& options) {
  if (dim == 0)
    return fail(ErrorCode::invalid_argument, "the rows have 0 values, expected at least one");
  if (options.recipe) EMBD_TRY(check_recipe(*options.recipe));
  const std::filesystem::path main = format.output_path(path, options);
  return create_set(
      main, format.replaceable(path, options),
      {.room = format.room(main, options),
       .recipe = recipe_of_file(format, options),
       .ids = options.ids},
      [&](const std::filesystem::path& file) { return create_bare(format, file, dim, options); });
}

Result<std::unique_ptr<VectorWriter>> create_vectors(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options) {
  const Format& format = *EMBD_TRY(format_for_output(path, options.format));
  EMBD_TRY(check_name(path, format));
  return EMBD_TRY(create_vector_set(format, path, dim, options));
}

Result<void> write_vectors(const std::filesystem::path& path, MatrixView rows,
                           const WriteOptions& options) {
  const auto num_ids = count_ids(options.ids);
  if (num_ids && *num_ids != rows.rows()) {
    return fail(ErrorCode::invalid_argument,
                "{} ids were given for {} rows, expected one id for each row", *num_ids,
                rows.rows());
  }
  WriteOptions counted = options;
  counted.num_rows = rows.rows();
  const auto writer = EMBD_TRY(create_vectors(path, rows.cols(), counted));
  EMBD_TRY(in_file(path, writer->append(rows, Ids{})));
  return writer->finish();
}

}  // namespace embd
