#include "embd/collect.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/messages.h"
#include "base/os/signals.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/vectors.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/printing.h"
#include "faces/cli/remedy.h"
#include "jobs/options/job_lists.h"
#include "jobs/recipe_check.h"

namespace embd::cli {
namespace {

struct CollectRequest {
  std::vector<std::filesystem::path> roots;
  std::filesystem::path output;
  CollectOptions collect;
  ModelOptions model;
  bool keep_model_hash = true;
  std::string progress = "auto";
  const Verb* verb = nullptr;
};

/// Prints which documents are left out, and what the user can do about it: one by one, if they are
/// few.
class SkippedDocuments {
 public:
  explicit SkippedDocuments(const Verb& verb) : verb_(verb) {}

  void add(const Error& error) {
    if (++count_ <= shown) say_skipped(error, verb_);
  }
  void finish() const {
    if (count_ > shown) say("embd: skipped: {} more\n", counted(count_ - shown, "document"));
  }

 private:
  static constexpr std::uint64_t shown = 5;

  const Verb& verb_;
  std::uint64_t count_ = 0;
};

/// Takes the model and its arithmetic from the collection, unless the user names others.
Result<void> take_model(CollectRequest& options) {
  if (is_collection(options.output)) {
    take_model_of(EMBD_TRY(collection_info(options.output)), options.model);
    const auto recipe = EMBD_TRY(EMBD_TRY(open_vectors(options.output))->recipe());
    if (recipe && !options.model.compute) options.model.compute = compute_of(*recipe);
  }
  std::error_code error;
  const auto path = EMBD_TRY(find_model(options.model.model));
  options.collect.model_path = std::filesystem::absolute(path, error).lexically_normal();
  return {};
}

std::string json_of(const CollectReport& report) {
  return fmt::format(
      "{{\"files\":{},\"new\":{},\"changed\":{},\"gone\":{},\"passages\":{},\"embedded\":{},"
      "\"reused\":{}}}\n",
      report.files, report.new_files, report.changed_files, report.gone_files, report.passages,
      report.embedded, report.reused);
}

Result<ExitCode> collect_documents(CollectRequest& options) {
  options.model.hash_record = hash_record(options.keep_model_hash);
  EMBD_TRY(take_model(options));
  const os::Interrupt interrupt;
  const Model model = EMBD_TRY(open_model(options.model));
  Progress progress(options.progress);
  options.collect.progress = [&](const EmbedProgress& now) { progress.update(now); };
  SkippedDocuments skipped(*options.verb);
  options.collect.on_skip = [&](const Error& error) { skipped.add(error); };
  const auto report =
      collect(model, options.roots, options.output, options.collect, interrupt.token());
  progress.clear();
  skipped.finish();
  if (!report) return std::unexpected(report.error());
  if (report->is_refused) {
    say("embd: {}: {} of the collection are gone, more than half, so nothing was changed. Check "
        "that the folders are there, or continue with --force.\n",
        printable(text_of_path(options.output)), counted(report->gone_files, "file"));
    return ExitCode::difference;
  }
  EMBD_TRY(print_to_standard_output(json_of(*report)));
  return ExitCode::good;
}

}  // namespace

void add_collect(Verb& program) {
  auto [verb, options] = program.add_verb(
      "collect", "Makes a collection of documents that can be searched, or brings it up to date",
      collect_documents);
  verb.add_option("ROOTS", options.roots,
                  "Folders of documents, and documents; without them, those of the collection")
      .expected(0, unlimited)
      .type_name("ROOTS...");
  verb.add_option("-o,--output", options.output, "The folder of the collection")
      .required()
      .type_name("OUT")
      .in(OptionGroup::output);
  add_all_listed(verb, options.collect);
  add_model_options(verb, options.model);
  add_compute(verb, options.model.compute,
              "Arithmetic of the weight matrices (that of the collection; f32)");
  add_keep_model_hash(verb, options.keep_model_hash);
  add_progress(verb, options.progress);
}

}  // namespace embd::cli
