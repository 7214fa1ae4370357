#include "faces/cli/remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "base/messages.h"
#include "base/os/entries.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/utf8.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/job_lists.h"
#include "jobs/outputs/term_output.h"

namespace embd::cli {
namespace {

namespace fs = std::filesystem;

/// Returns true if `file` is a model of the verb, or lies in the folder that is such a model.
bool is_model(const Verb& verb, const std::string& file) {
  std::vector<std::string> models = {verb.value_of("MODEL"), verb.value_of("DIR")};
  if (verb.parent() != nullptr && verb.parent()->name() == "model")
    models.push_back(verb.value_of("FILE"));
  if (verb.has("--model"))
    models.push_back(
        text_of_path(find_model(verb.value_of("--model")).value_or(verb.value_of("--model"))));
  if (const std::string reranker = verb.value_of("--rerank"); !reranker.empty())
    models.push_back(text_of_path(find_model(reranker).value_or(reranker)));
  return std::ranges::any_of(models, [&](const std::string& model) {
    return !model.empty() && (file == model || file.starts_with(model + "/"));
  });
}

/// Returns true if an error means that a file is damaged, cut off or of another kind, not that a
/// single value in it is wrong. Errors at an offset of a binary file always mean that.
bool is_damage(const Error& error) {
  switch (error.code()) {
    case ErrorCode::bad_magic:
    case ErrorCode::file_too_short:
    case ErrorCode::file_size_mismatch:
    case ErrorCode::trailing_bytes:
    case ErrorCode::compression_failed:
      return true;
    default:
      return error.offset().has_value();
  }
}

struct Advice {
  std::string_view words;  ///< of a message of the library
  std::string_view advice;
};

/// The commands for what messages of the library say in general.
constexpr Advice known_advice[] = {
    {"the file is gzip data", "Try zcat FILE | embd embed -"},
    {"the file is Zstandard data", "Try zstdcat FILE | embd embed -"},
    {"the file is xz data", "Try xzcat FILE | embd embed -"},
    {"the file is bzip2 data", "Try bzcat FILE | embd embed -"},
    {"the file is a zip archive",
     "Try pandoc -t plain FILE | embd embed - for a document, unzip -p FILE | embd embed - for "
     "texts."},
    {"the file is a document of old Office programs", "Try libreoffice --convert-to txt FILE"},
    {"the file is a PDF document", "Try pdftotext FILE - | embd embed -"},
    {"the file is an RTF document", "Try pandoc -t plain FILE | embd embed -"},
    {"the file is a SQLite database", "Try sqlite3 FILE 'SELECT text FROM table' | embd embed -"},
    {"the file is a program", "Try strings FILE | embd embed -"},
    {"the file is an image", "Try tesseract FILE - | embd embed -"},
    {"the file is UTF-16", "Try iconv -f UTF-16 -t UTF-8 FILE | embd embed -"},
    {"the file is a Parquet file",
     "Try embd embed FILE --input-format parquet --text-field COLUMN"},
    {"the file is a NumPy file", "embd inspect FILE tells what it contains."},
    {"the file is a CVC file", "embd inspect FILE tells what it contains."},
    {"the file is an Arrow file", "In Python, embd.embed_file(…, column=…) reads it."},
    {"which means one JSON document",
     "Try jq -c '.[]' FILE | embd embed - --input-format jsonl for an array."},
    {"line ends or letters as other bytes than ASCII",
     "Try iconv -f ENCODING -t UTF-8 FILE | embd embed -"},
    {"is NUL, which no text contains",
     "Try tr -d '\\000' <FILE | embd embed - to remove such bytes, iconv -f UTF-16LE -t UTF-8 FILE "
     "| embd embed - to convert a file that comes from Windows."},
    {"is not the manifest of a part", "embd embed --part writes manifests of parts."},
};

std::string_view advice_for(const Error& error) {
  const auto found = std::ranges::find_if(
      known_advice, [&](const Advice& advice) { return error.what().contains(advice.words); });
  return found == std::end(known_advice) ? "" : found->advice;
}

/// Returns the remedy for a folder whose weights are not safetensors; empty for all others.
std::string weights_remedy(const Error& error) {
  const fs::path path = path_of_text(error.file());
  std::error_code none;
  if (!fs::is_directory(path, none) || fs::exists(path / "model.safetensors", none) ||
      fs::exists(path / "model.safetensors.index.json", none)) {
    return {};
  }
  if (fs::exists(path / "pytorch_model.bin", none)) {
    return fmt::format(
        "Save them as safetensors: python3 -c \"from transformers import AutoModel; "
        "AutoModel.from_pretrained('{0}').save_pretrained('{0}')\", with "
        "AutoModelForSequenceClassification for a cross-encoder.",
        error.file());
  }
  return "embd model get NAME downloads the original model from the hub, from which such files are "
         "made.";
}

std::string model_remedy(const Error& error, const Verb& verb) {
  if (error.code() == ErrorCode::vocabulary_missing || !verb.value_of("--vocab").empty())
    return "Give the model's own vocab.txt or tokenizer.json with --vocab.";
  if (error.code() == ErrorCode::bad_magic || error.code() == ErrorCode::not_found) {
    return "A model is a weight file, which embd model convert makes, or a Hugging Face folder "
           "with config.json, model.safetensors, and vocab.txt or tokenizer.json. embd model get "
           "NAME downloads one from the hub.";
  }
  if (error.code() == ErrorCode::unsupported) return weights_remedy(error);
  return is_damage(error) ? "Download the model again, or convert it again with embd model convert."
                          : "";
}

/// Returns the command that makes text of a document which is none itself.
std::string converting_command(const fs::path& file, std::string_view said) {
  const std::string name = text_of_path(file);
  const std::string stem = text_of_path(file.parent_path() / file.stem());
  if (said.contains("PDF"))
    return fmt::format("pdftotext -layout '{}' '{}.txt' makes text of it.", name, stem);
  const std::string extension = in_small_letters(text_of_path(file.extension()));
  if (said.contains("UTF-16"))
    return fmt::format("iconv -f UTF-16 -t UTF-8 '{}' > '{}.utf8{}' makes UTF-8 of it.", name, stem,
                       extension);
  const auto is_one_of = [&](std::initializer_list<std::string_view> extensions) {
    return std::ranges::find(extensions, extension) != extensions.end();
  };
  const std::string folder = text_of_path(directory_of(file));
  if (is_one_of({".ods", ".xls", ".xlsx"}))
    return fmt::format(
        "soffice --headless --convert-to csv --outdir '{}' '{}' makes CSV of its first sheet, of "
        "which embd embed makes a row of each line.",
        folder, name);
  if (is_one_of({".odp", ".ppt", ".pptx"}))
    return fmt::format(
        "soffice --headless --convert-to pdf --outdir '{0}' '{1}' && pdftotext -layout '{2}.pdf' "
        "'{2}.txt' makes text of it.",
        folder, name, stem);
  if (extension == ".doc")
    return fmt::format(
        "soffice --headless --convert-to txt:Text --outdir '{}' '{}' makes text of it.", folder,
        name);
  return fmt::format("pandoc -t gfm '{}' -o '{}.md' makes Markdown of it.", name, stem);
}

/// Returns the remedy for a document that cannot be split as it is.
std::string document_remedy(const Error& error) {
  if (error.code() == ErrorCode::invalid_utf8)
    return "Convert the file with iconv, or give --invalid-utf8 replace, which puts U+FFFD in "
           "place of invalid bytes.";
  if (error.code() != ErrorCode::unsupported || !error.what().contains("convert it")) return {};
  return converting_command(path_of_text(error.file()), error.what());
}

std::string recipe_remedy(const Verb& verb) {
  const std::string same = "Use the same model and the same options for both";
  if (verb.has("--resume"))
    return "Continue with the inputs and options with which the journal was begun, or begin again "
           "with --force.";
  return verb.has("--force") ? same + ", or continue nevertheless with --force." : same + ".";
}

/// Returns true if the verb scores pairs of texts because no query was given.
bool scores_pairs(const Verb& verb) {
  return verb.name() == "rerank" && !verb.has_value("--query") && !verb.has_value("--query-file");
}

constexpr std::string_view pairs_remedy =
    "Rank the texts for a query with -q or --query-file, or name the fields of the pairs with "
    "--query-field and --text-field.";

/// Returns the remedy for a wrong argument.
std::string argument_remedy(const Error& error, const Verb& verb) {
  if (error.file().empty()) return help_remedy(verb);
  const std::string input = verb.has_value("INPUT") ? verb.value_of("INPUT") : "-";
  return scores_pairs(verb) && error.file() == input ? std::string(pairs_remedy) : "";
}

/// Returns quotes_remedy, behind a space, if a file of texts is read as TSV.
std::string remedy_of_quotes(const Error& error, const Verb& verb) {
  const std::string format = verb.value_of("--input-format");
  const bool is_tsv = format.empty() ? error.file().ends_with(".tsv") : format == "tsv";
  return is_tsv ? " " + std::string(quotes_remedy) : "";
}

/// Returns the remedy for an error at a line of a file of texts.
std::string line_remedy(const Error& error, const Verb& verb) {
  if (!verb.has("--input-format")) return {};
  switch (error.code()) {
    case ErrorCode::missing:
      if (!verb.has("--text-field")) return {};
      return fmt::format(
          "{} Give --no-header if the file has no header, and --delimiter if the fields are not "
          "separated by commas.{}",
          scores_pairs(verb) ? pairs_remedy : "Name the fields with --text-field and --id-field.",
          remedy_of_quotes(error, verb));
    case ErrorCode::bad_json:
    case ErrorCode::bad_csv:
      return "Correct this line, or name the format of the file with --input-format." +
             remedy_of_quotes(error, verb);
    case ErrorCode::invalid_utf8:
      return "Name another encoding, such as latin-1 or windows-1252, with --encoding, or give "
             "--invalid-utf8 replace, which puts U+FFFD in place of invalid bytes.";
    default:
      return {};
  }
}

/// Returns true if a file of SVS may seem too short or too long because its values are not f32.
/// Such a file does not state their type. Only files that were given as arguments are considered.
bool may_have_other_elements(const Error& error, const Verb& verb) {
  const bool is_other_length =
      error.code() == ErrorCode::file_too_short || error.code() == ErrorCode::trailing_bytes;
  if (!is_other_length || !error.file().ends_with(".svs") || !verb.has("--dtype") ||
      !verb.value_of("--dtype").empty()) {
    return false;
  }
  const auto is_named = [&](const Option& option) {
    return std::ranges::find(option.given, error.file()) != option.given.end();
  };
  return std::ranges::any_of(verb.positionals(), is_named) ||
         std::ranges::any_of(verb.options(), is_named);
}

/// Returns true if a file was given to a verb as a vector set or an index.
bool is_set(const std::string& file, const Verb& verb) {
  return std::ranges::any_of(verb.positionals(), [&](const Option& option) {
    return option.name != "INPUT" && std::ranges::find(option.given, file) != option.given.end();
  });
}

/// Returns the remedy for an error in a file of vectors, an index, or a file beside them.
std::string file_remedy(const Error& error, const Verb& verb) {
  if (error.file().ends_with(".journal")) return "Begin again with --force.";
  const bool has_format = verb.has("--from") && !error.file().ends_with(".json");
  if (error.line()) {
    return fmt::format(
        "The file is read as rows of numbers. If it contains texts, embed them first: embd embed "
        "makes rows of them{}.",
        has_format ? "; if it has another format, name the format with --from" : "");
  }
  if (error.code() == ErrorCode::bad_magic && is_term_index(path_of_text(error.file())))
    return "A term index has words and no vectors: name it with --terms, beside the vector set.";
  if (has_format && error.code() == ErrorCode::bad_magic)
    return "Name the format of the file with --from. If it contains texts, embed them first: embd "
           "embed makes vectors of them.";
  if (may_have_other_elements(error, verb))
    return "If the values in the file are not f32, name their type with --dtype; otherwise make "
           "the file again.";
  return fmt::format("Download the file again, or make it again{}.",
                     has_format ? "; if it has another format, name the format with --from" : "");
}

struct SystemRemedy {
  int number;  ///< a value of errno
  std::string_view remedy;
};

constexpr SystemRemedy remedies[] = {
    {ENOSPC, "Free some space on this disk, or write to another disk."},
#ifdef EDQUOT  // Windows has no quotas.
    {EDQUOT, "Free some space in your quota, or write to another disk."},
#endif
    {EFBIG, "Raise the limit on the size of files (ulimit -f), or write to another disk."},
    {EROFS, "This disk can only be read: write to another disk."},
    {EMFILE, "Raise the limit on the number of open files (ulimit -n)."},
    {ENAMETOOLONG, "Choose a shorter name."},
    {EISDIR, "The path names a folder, expected a file."},
};

constexpr SystemRemedy listening_remedies[] = {
    {EADDRINUSE,
     "Another program uses this port: choose another with --port, or 0 for a free one."},
    {EACCES, "Ports below 1024 are reserved for the system: choose another with --port."},
    {EADDRNOTAVAIL,
     "Give an address of this machine with --host; 0.0.0.0 stands for all its addresses."},
};

template <std::size_t Count>
std::string find(const SystemRemedy (&table)[Count], const Error& error) {
  for (const auto& [number, remedy] : table)
    if (is_system_error(error, number)) return std::string(remedy);
  return {};
}

std::string permission_remedy(const fs::path& file) {
  const fs::path folder = directory_of(file);
  if (!os::is_permitted(folder, os::Access::search))
    return fmt::format("You have no permission to look into {}: ls -ld shows who has.",
                       text_of_path(folder));
  std::error_code error;
  if (fs::exists(file, error) && !os::is_permitted(file, os::Access::read))
    return "You have no permission to read the file: ls -l shows who has.";
  return fmt::format(
      "You have no permission to write in {}: write to another folder; ls -ld shows who has.",
      text_of_path(folder));
}

/// Returns the names of the entries of a folder, at most 1,000.
std::vector<std::string> names_in(const fs::path& folder) {
  constexpr std::size_t most = 1000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (names.size() == most) break;
    names.push_back(text_of_path(entry->path().filename()));
  }
  return names;
}

std::string not_found_remedy(const Error& failure) {
  const fs::path file = path_of_text(failure.file());
  const fs::path folder = directory_of(file);
  std::error_code error;
  const bool is_output = failure.what().starts_with("create");
  if (!fs::exists(folder, error)) {
    return fmt::format(
        "The folder {0} does not exist{1}", text_of_path(folder),
        is_output ? fmt::format(": mkdir -p {} creates it.", text_of_path(folder)) : ".");
  }
  if (is_output) return {};
  const std::string nearest = nearest_name(text_of_path(file.filename()), names_in(folder));
  if (nearest.empty())
    return fmt::format("The file is not in {}.", text_of_path(fs::canonical(folder, error)));
  return fmt::format("Did you mean {}?", file.has_parent_path()
                                             ? text_of_path(folder / path_of_text(nearest))
                                             : nearest);
}

/// Returns the remedy for a failure of the system, such as a full disk or a missing file.
std::string system_remedy_of(const Error& failure, const Verb& verb) {
  if (failure.code() == ErrorCode::out_of_memory) {
    return verb.has("--threads") ? "Give the program more memory, or fewer threads with -t."
                                 : "Give the program more memory.";
  }
  const fs::path file = path_of_text(failure.file());
  if (file.empty()) return find(listening_remedies, failure);
  if (const std::string known = find(remedies, failure); !known.empty()) return known;
  std::error_code error;
  if (is_system_error(failure, EACCES)) return permission_remedy(file);
  if (is_system_error(failure, ENOTDIR)) {
    fs::path ancestor = file;
    while (!fs::exists(ancestor, error) && ancestor.has_parent_path())
      ancestor = ancestor.parent_path();
    return fmt::format("{} is a file, expected a folder.", text_of_path(ancestor));
  }
  return failure.code() == ErrorCode::not_found ? not_found_remedy(failure) : "";
}

}  // namespace

void say_skipped(const Error& error, const Verb& verb) {
  const std::string remedy = remedy_of(error, verb);
  say("embd: skipped: {}{}{}\n", printable(error.message()), remedy.empty() ? "" : ": ",
      printable(remedy));
}

std::string help_remedy(const Verb& verb) {
  return fmt::format("Try {} --help.", verb.command());
}

std::string remedy_of(const Error& error, const Verb& verb) {
  const bool of_model = is_model(verb, error.file());
  const bool of_document = !of_model && (verb.name() == "split" || verb.name() == "collect");
  if (of_document && error.code() == ErrorCode::unsupported) return document_remedy(error);
  if (const std::string_view advice = advice_for(error); !advice.empty())
    return std::string(advice);
  switch (error.code()) {
    case ErrorCode::invalid_argument:
      return argument_remedy(error, verb);
    case ErrorCode::recipe_mismatch:
      return recipe_remedy(verb);
    case ErrorCode::cancelled:
      return verb.value_of("--resume").empty()
                 ? ""
                 : "The same command continues where this run stopped.";
    case ErrorCode::not_found:
      return of_model || error.file().empty() ? model_remedy(error, verb)
                                              : system_remedy_of(error, verb);
    case ErrorCode::io_failed:
    case ErrorCode::out_of_memory:
      return system_remedy_of(error, verb);
    case ErrorCode::unsupported_version:
      return "Write the file in an expected version, or read it with a newer release of embd.";
    case ErrorCode::bad_value:
      if (verb.has("--max-text-bytes") &&
          error.what().contains(option_of<&InputOptions::max_text_bytes>().name))
        return "--max-text-bytes N raises the limit.";
      break;
    case ErrorCode::duplicate:
      if (verb.has("--multi") && !error.offset() && !error.what().contains("Vamana"))
        return "Give --multi if several rows may share an id.";
      break;
    default:
      break;
  }
  if (of_model) return model_remedy(error, verb);
  if (of_document) return document_remedy(error);
  if (!error.file().empty() && error.file() == verb.value_of("LOCK"))
    return "embd lock makes a lock file.";
  if (error.line() && !error.offset())
    return is_set(error.file(), verb) ? file_remedy(error, verb) : line_remedy(error, verb);
  return is_damage(error) ? file_remedy(error, verb) : "";
}

}  // namespace embd::cli
