#include "embd/split.h"

#include <filesystem>
#include <string>
#include <vector>

#include "base/os/signals.h"
#include "base/output_file.h"
#include "base/paths.h"
#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/remedy.h"
#include "jobs/options/job_lists.h"

namespace embd::cli {
namespace {

struct SplitRequest {
  std::vector<std::filesystem::path> paths;
  std::string output = "-";
  SplitOptions split;
  ModelOptions model;
  const Verb* verb = nullptr;
};

/// A file to split.
struct Source {
  std::filesystem::path path;
  bool is_of_folder = false;  // and not named by the user
};

Result<std::vector<Source>> sources_of(const SplitRequest& options) {
  std::vector<Source> sources;
  for (const std::filesystem::path& path : options.paths) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(path, error);
    const auto on_skip = [&](const Error& skipped) { say_skipped(skipped, *options.verb); };
    for (std::filesystem::path& file : EMBD_TRY(document_files({&path, 1}, on_skip)))
      sources.push_back({std::move(file), is_folder});
  }
  return sources;
}

/// Writes the passages of a file. Returns an error that is no reason to stop if the file was found
/// in a folder and is no document.
Result<void> split_file(const Source& source, const Model& model, const SplitRequest& options,
                        OutputFile& out) {
  if (!options.split.kind) EMBD_TRY(document_kind(source.path));
  auto text = read_document(source.path);
  if (!text) {
    const ErrorCode code = text.error().code();
    const bool is_no_document = code == ErrorCode::unsupported || code == ErrorCode::bad_value;
    if (!source.is_of_folder || !is_no_document) return std::unexpected(std::move(text).error());
    say_skipped(text.error(), *options.verb);
    return {};
  }
  return split({source.path, *text}, model, options.split,
               [&](const Passage& passage) -> Result<void> {
                 return out.write(as_bytes(passage_to_json(passage, source.path) + "\n"));
               });
}

Result<ExitCode> split_files(const SplitRequest& options) {
  const auto sources = EMBD_TRY(sources_of(options));
  PathRoles roles;
  for (const Source& source : sources) roles.reads("a document", source.path);
  reads_model(roles, options.model);
  roles.writes("--output", options.output);
  EMBD_TRY(roles.check());
  const os::Interrupt interrupt;
  const Model model = EMBD_TRY(open_model(options.model));
  OutputFile out = EMBD_TRY(options.output == "-" ? OutputFile::standard_output()
                                                  : OutputFile::create(options.output));
  for (const Source& source : sources) {
    if (interrupt.token().stop_requested()) return fail_stopped();
    EMBD_TRY(split_file(source, model, options, out));
  }
  EMBD_TRY(out.finish());
  return ExitCode::good;
}

}  // namespace

void add_split(Verb& program) {
  auto [verb, options] = program.add_verb(
      "split", "Divides documents into passages, as JSON Lines that embd embed reads", split_files);
  verb.add_option("FILES", options.paths,
                  "Documents: Markdown, plain text and code, and folders of them, sorted")
      .required()
      .expected(1, unlimited)
      .type_name("FILES...");
  verb.add_option("-o,--output", options.output, "Where to write (standard output)")
      .type_name("OUT")
      .in(OptionGroup::output);
  add_all_listed(verb, options.split);
  add_model_options(verb, options.model);
}

}  // namespace embd::cli
