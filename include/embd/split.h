#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/enum_names.h"
#include "embd/error.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/tokens.h"

namespace embd {

/// The language of a document, which decides where it may be divided.
enum class DocumentKind {
  markdown,  ///< blocks of CommonMark, and tables; headings begin sections
  text,      ///< paragraphs between blank lines, then sentences
  code,      ///< runs of lines between blank lines
};
/// The words for the kinds of documents in options.
inline constexpr EnumNames<DocumentKind, 3> document_kind_names = {
    {{"markdown", DocumentKind::markdown},
     {"text", DocumentKind::text},
     {"code", DocumentKind::code}}};

/// Options for dividing documents into passages.
struct SplitOptions {
  /// The language of the documents. If it is unset, the extension of the path decides; an
  /// unknown extension stands for text.
  std::optional<DocumentKind> kind = {};
  /// The most tokens of a passage and its context together, without special tokens; at least 32.
  /// If the model reads fewer, its own limit counts.
  std::uint32_t max_tokens = 256;
  /// The treatment of bytes that are not UTF-8: an error, or to take them as U+FFFD. Passages have
  /// the bytes of the file either way.
  InvalidText invalid_text = InvalidText::refuse;
};

/// The greatest size of a document in bytes.
inline constexpr std::uint64_t max_document_bytes = std::uint64_t{1} << 24;

/// A document, whose bytes belong to the caller.
struct Document {
  std::filesystem::path path;  ///< its name for kinds, titles, contexts and errors
  std::string_view text;
};

/// A piece of a document that becomes a row. Valid during the call of a PassageSink only.
struct Passage {
  /// The bytes of the file, and the same bytes. A passage begins and ends with a character that is
  /// no white space, except that it has the spaces and tabs with which its first line begins.
  ByteRange bytes;
  std::string_view text;
  std::uint64_t first_line = 0;  ///< from 1
  std::uint64_t last_line = 0;   ///< the line of the last byte
  std::uint64_t column = 0;      ///< the byte of the first line where the passage begins, from 1
  std::string_view title = {};   ///< the first heading of level 1; empty if there is none
  /// The headings over the passage, the outermost first. If it begins with headings of its own,
  /// they are among them. Each is cut to 120 bytes, and has no markup of links, code and emphasis.
  std::vector<std::string> headings = {};
  /// The words that a reader needs and the text does not have: the title of the document, or else
  /// its name, and the headings over the passage that are not in it, joined by " > "; of code, the
  /// path. A second line has the head of the table, or the opening line of the code, that the
  /// passage continues. Outer headings are left out if the context would take more than a quarter
  /// of the tokens.
  std::string context = {};
};

/// Receives passages in the order of the document.
using PassageSink = std::function<Result<void>(const Passage&)>;

/// Divides a document into passages. They do not overlap, and every byte that is no white space is
/// in exactly one, except for a byte order mark and the front matter of Markdown (lines from --- to
/// --- or ..., or from +++ to +++, at the beginning). The tokens of a passage are counted with the
/// model's tokenizer. A passage never has more than 16 KiB.
///
/// Takes time that is linear in the size of the document, and memory for its lines and blocks.
/// Thread-safe. Fails with invalid_argument for a wrong option; with unsupported for a document
/// that contains a NUL byte; with bad_value for one of more than max_document_bytes; with
/// invalid_utf8, which names the line; and with the errors of the sink and the tokenizer.
Result<void> split(const Document& document, const Model& model, const SplitOptions& options,
                   const PassageSink& sink);

/// Returns a passage of a file as a JSON object in one line: id, file, lines, bytes, title unless
/// it is empty, headings, context and text (docs/split.md). Bytes that are not UTF-8 become U+FFFD.
std::string passage_to_json(const Passage& passage, const std::filesystem::path& file);

/// Returns what a file is written in by the extension of its name; text for unknown extensions.
/// Fails with unsupported for documents that must be converted first, such as HTML and PDF.
Result<DocumentKind> document_kind(const std::filesystem::path& path);

/// Reads a file that is to be split. Fails with unsupported if it is no text, because it has a NUL
/// byte or is a PDF; with bad_value if it has more than max_document_bytes; with not_found and
/// io_failed.
Result<std::string> read_document(const std::filesystem::path& path);

/// Returns the documents that paths stand for, in order. A folder stands for the files in it and in
/// its subfolders that have an extension of Markdown, text or code, sorted by path, byte by byte.
/// Names that begin with a dot are left out, and so are symbolic links that lead out of the folder.
/// Any other path stands for itself. `on_skip` is called with each document in a folder that must
/// be converted first, and each link that leads out. Fails with missing for a folder without
/// documents, not_found and io_failed.
Result<std::vector<std::filesystem::path>> document_files(
    std::span<const std::filesystem::path> paths,
    const std::function<void(const Error&)>& on_skip = {});

}  // namespace embd
