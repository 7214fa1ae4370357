#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "base/json_text.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/system_error.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/split.h"
#include "formats/text/line_stream.h"
#include "formats/text/open_records.h"

namespace embd {
namespace {

namespace fs = std::filesystem;

constexpr auto markdown_extensions =
    std::to_array<std::string_view>({".markdown", ".md", ".mdown", ".mdx", ".mkd"});
constexpr auto text_extensions =
    std::to_array<std::string_view>({".adoc", ".org", ".rst", ".tex", ".text", ".txt"});
constexpr auto code_extensions = std::to_array<std::string_view>(
    {".bash", ".c",   ".cc",  ".clj",  ".cmake", ".cpp", ".cs",   ".css",   ".cxx",  ".dart",
     ".el",   ".erl", ".ex",  ".exs",  ".fish",  ".go",  ".h",    ".hh",    ".hpp",  ".hs",
     ".hxx",  ".inc", ".ini", ".java", ".jl",    ".js",  ".jsx",  ".kt",    ".lisp", ".lua",
     ".m",    ".mjs", ".ml",  ".mm",   ".php",   ".pl",  ".pm",   ".proto", ".ps1",  ".py",
     ".pyi",  ".r",   ".rb",  ".rs",   ".scala", ".scm", ".scss", ".sh",    ".sql",  ".swift",
     ".toml", ".ts",  ".tsx", ".vim",  ".yaml",  ".yml", ".zig",  ".zsh"});
/// Documents that another program must turn into text or Markdown first.
constexpr auto foreign_extensions = std::to_array<std::string_view>(
    {".doc", ".docx", ".epub", ".htm", ".html", ".ipynb", ".odp", ".ods", ".odt", ".pdf", ".ppt",
     ".pptx", ".rtf", ".xhtml", ".xls", ".xlsx"});

template <std::size_t size>
bool has_one_of(const fs::path& path, const std::array<std::string_view, size>& extensions) {
  const std::string extension = in_small_letters(text_of_path(path.extension()));
  return std::ranges::find(extensions, extension) != extensions.end();
}

bool is_foreign(const fs::path& path) {
  return has_one_of(path, foreign_extensions);
}
bool is_document(const fs::path& path) {
  return has_one_of(path, markdown_extensions) || has_one_of(path, text_extensions) ||
         has_one_of(path, code_extensions);
}

std::unexpected<Error> fail_foreign(const fs::path& path) {
  const bool is_pdf = has_one_of(path, std::to_array<std::string_view>({".pdf"}));
  return fail_in(path, ErrorCode::unsupported,
                 "{} is neither Markdown nor plain text: convert it to one of them",
                 is_pdf ? "a PDF" : "the document");
}

/// Returns true if a file in a folder is a symbolic link to a file that is not in the folder.
bool leads_out(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_symlink(file, error)) return false;
  const fs::path target = fs::canonical(file, error);
  const fs::path root = error ? fs::path() : fs::canonical(folder, error);
  if (error) return true;
  return std::ranges::mismatch(root, target).in1 != root.end();
}

}  // namespace

std::string passage_to_json(const Passage& passage, const fs::path& file) {
  std::string json;
  const auto append = [&json](std::string_view name, std::string_view text) {
    json.append(json.empty() ? "{" : ",").append("\"").append(name).append("\":");
    append_json_string(text, json);
  };
  const std::string name = generic_text_of_path(file);
  std::string id = fmt::format("{}:{}", name, passage.first_line);
  if (passage.column > 1) id += fmt::format(":{}", passage.column);
  append("id", id);
  append("file", name);
  fmt::format_to(std::back_inserter(json), ",\"lines\":[{},{}],\"bytes\":[{},{}]",
                 passage.first_line, passage.last_line, passage.bytes.begin, passage.bytes.end);
  if (!passage.title.empty()) append("title", passage.title);
  json += ",\"headings\":";
  append_json_strings(passage.headings, json);
  append("context", passage.context);
  append("text", passage.text);
  return json + '}';
}

Result<DocumentKind> document_kind(const fs::path& path) {
  if (is_foreign(path)) return fail_foreign(path);
  if (has_one_of(path, markdown_extensions)) return DocumentKind::markdown;
  return has_one_of(path, code_extensions) ? DocumentKind::code : DocumentKind::text;
}

Result<std::string> read_document(const fs::path& path) {
  // Before the file is opened, because a pipe opens only when somebody writes to it.
  if (EMBD_TRY(result_of("open", path, os::status_of(path))).kind != FileKind::file)
    return fail_in(path, ErrorCode::io_failed, "the path does not name a regular file");
  const FileDescriptor file = EMBD_TRY(FileDescriptor::open(path));
  const FileStatus status = EMBD_TRY(result_of("stat", path, os::status_of(file)));
  if (status.size > max_document_bytes)
    return fail_in(path, ErrorCode::bad_value, "the document has {} bytes, expected at most {}",
                   status.size, max_document_bytes);
  std::string text(status.size, '\0');
  EMBD_TRY(file.read_at(0, std::as_writable_bytes(std::span(text)), path));
  EMBD_TRY(in_file(path, refuse_known_binary(text)));
  if (text.find('\0') != std::string::npos)
    return fail_in(path, ErrorCode::unsupported, "the file has a NUL byte, so it is no text");
  return text;
}

Result<std::vector<fs::path>> document_files(std::span<const fs::path> paths,
                                             const std::function<void(const Error&)>& on_skip) {
  std::vector<fs::path> files;
  const auto skip = [&](const Error& error) {
    if (on_skip) on_skip(error);
  };
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    const auto is_wanted = [](const fs::path& file) {
      return is_foreign(file) || is_document(file);
    };
    for (fs::path& file : EMBD_TRY(files_below(path, is_wanted))) {
      if (leads_out(file, path)) {
        skip(fail_in(file, ErrorCode::unsupported,
                     "the symbolic link leads out of the folder, and is left out")
                 .error());
      } else if (is_foreign(file)) {
        skip(fail_foreign(file).error());
      } else {
        files.push_back(std::move(file));
      }
    }
    if (files.size() == before)
      return fail_in(path, ErrorCode::missing,
                     "the folder contains no document, expected at least one file with an "
                     "extension of Markdown, text or code, such as .md, .txt or .py");
  }
  return files;
}

}  // namespace embd
