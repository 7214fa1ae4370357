#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/cpu.h"
#include "base/output_file.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/input_options.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/output_options.h"
#include "cli/progress.h"
#include "formats/recipe_json.h"
#include "jobs/embed_output.h"
#include "jobs/embed_sink.h"
#include "jobs/journal.h"
#include "jobs/outputs.h"
#include "jobs/record_stream.h"
#include "jobs/row_fields.h"
#include "text/byte_stream.h"

namespace embd::cli {
namespace {

struct EmbedOptions {
  TextInput input;
  std::vector<std::string> outputs;
  OutputOptions output;
  FieldOptions fields;
  ModelOptions model;
  std::optional<std::uint64_t> id_start;
  std::string on_truncate = "warn";
  std::string progress = "auto";
  std::string report;
  std::string row_report;
  bool resume = false;
  bool force = false;
  const CLI::App* verb = nullptr;
};

/// SHA-256 of a regular file; empty for anything else, which can be read only once.
Result<std::string> hash_of_file(const std::string& path) {
  struct stat status = {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  ByteStream stream = EMBD_TRY(ByteStream::open(path));
  std::string line;
  while (EMBD_TRY(stream.append_line(line))) line.clear();
  return stream.sha256();
}

/// Options that change no byte of an output, or that the recipe tells better (a model's hash).
bool changes_no_byte(const CLI::Option& option) {
  static const std::set<std::string> names = {
      "help", "model", "vocab", "threads", "batch-tokens", "progress", "report", "resume", "force"};
  return option.get_lnames().empty() || names.contains(option.get_lnames().front());
}

/// All that decides the bytes of the outputs but the texts of a pipe.
Result<Conditions> conditions_of(const EmbedOptions& options, const Recipe& recipe) {
  Conditions conditions;
  for (const CLI::Option* option : options.verb->get_options()) {
    if (option->count() == 0 || changes_no_byte(*option)) continue;
    conditions["--" + option->get_lnames().front()] = nlohmann::json(option->results()).dump();
  }
  const auto json = nlohmann::json::parse(recipe_to_json(recipe));
  for (const auto& [name, value] : json.items()) conditions[name] = value.dump();
  const std::string& ranges = options.output.int8_ranges;
  if (!ranges.empty()) conditions["--output-ranges"] = EMBD_TRY(hash_of_file(ranges));
  return conditions;
}

Result<Journal> open_journal(const EmbedOptions& options, const Recipe& recipe) {
  for (const std::string& path : options.outputs)
    if (path == "-") return fail(ErrorCode::invalid_argument, "--resume needs outputs with names");
  std::filesystem::path path = options.outputs.front();
  if (!path.has_filename()) path = path.parent_path();
  path += ".journal";
  const Conditions conditions = EMBD_TRY(conditions_of(options, recipe));
  return Journal::open(path, conditions, recipe.truncate_dim, options.force);
}

/// The rows of all runs, from the journal to the outputs.
Result<void> write_outputs(Journal& journal, EmbedOutput& output, const std::stop_token& stop) {
  return journal.for_each([&](const RowBatch& batch) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "");
    return output.append(batch);
  });
}

Result<void> write_report(const EmbedOptions& options, const Model& model, const Report& report,
                          const EmbedOutput& output, double seconds) {
  if (options.report.empty()) return {};
  const int threads = options.model.encode.threads;
  const nlohmann::ordered_json json = {
      {"rows", output.num_rows()},
      {"resumed_rows", output.num_rows() - std::min(output.num_rows(), report.rows)},
      {"tokens", report.tokens},
      {"truncated_rows", output.num_truncated()},
      {"seconds", seconds},
      {"rows_per_second", static_cast<double>(report.rows) / seconds},
      {"tokens_per_second", static_cast<double>(report.tokens) / seconds},
      {"threads", threads > 0 ? threads : available_threads()},
      {"kernels", model.instruction_set()},
      {"compute", compute_name(model.compute())},
      {"model", model.name()},
      {"dim", model.dim()},
  };
  OutputFile file = EMBD_TRY(OutputFile::create(options.report));
  EMBD_TRY(file.write(as_bytes(json.dump(2) + "\n")));
  return file.finish();
}

void warn(const EmbedOptions& options, const EmbedOutput& output) {
  if (output.num_truncated() > 0 && options.on_truncate == "warn")
    fmt::print(stderr, "embd: warning: {} of {} texts were cut to the model's length\n",
               output.num_truncated(), output.num_rows());
  if (output.outputs().num_repeated() > 0)
    fmt::print(stderr,
               "embd: warning: {} texts occur more than once; as ids they end in #2, #3, …\n",
               output.outputs().num_repeated());
}

Result<Report> embed_texts(const EmbedOptions& options, const Model& model, RecordStream& records,
                           EmbedOutput& output, Journal* journal, const std::stop_token& stop) {
  Progress progress(options.progress);
  EmbedSink sink(records, output, journal,
                 {.id_start = options.id_start,
                  .refuse_truncated = options.on_truncate == "error",
                  .window_rows = options.model.encode.windows == Windows::rows,
                  .progress = [&](std::uint64_t rows, std::optional<double> share_read) {
                    progress.update(rows, share_read);
                  }});
  if (journal != nullptr) EMBD_TRY(sink.resume());
  return model.encode(records, sink, options.model.encode, stop);
}

/// What the outputs are made with. JSON Lines on standard output have no room for it, and hashing a
/// model takes longer than embedding a sentence, so for these alone it is not hashed.
Result<Recipe> recipe_of(const EmbedOptions& options, const Model& model) {
  const EncodeOptions& encode = options.model.encode;
  const bool has_room = options.resume || !options.output.format.empty() ||
                        options.outputs != std::vector<std::string>{"-"};
  Recipe recipe;
  if (has_room) {
    recipe = EMBD_TRY(model.recipe(encode));
  } else {
    recipe.truncate_dim = encode.truncate_dim == 0 ? model.dim() : encode.truncate_dim;
  }
  recipe.input_sha256 = EMBD_TRY(hash_of_file(options.input.path));
  if (!options.output.output_type.empty()) recipe.output_type = options.output.output_type;
  return recipe;
}

Result<RowFields> row_fields(const EmbedOptions& options) {
  RowFields fields = EMBD_TRY(RowFields::create(options.fields));
  if (fields.section_names().empty() && fields.columns().empty()) return fields;
  for (const std::string& path : options.outputs)
    if (EMBD_TRY(Outputs::format_of(path, options.output))->name == "cvc") return fields;
  return fail(ErrorCode::invalid_argument, "--section-field and --column-field need a CVC output");
}

Result<ExitCode> embed(EmbedOptions& options) {
  if (options.outputs.empty()) options.outputs = {"-"};
  if (options.id_start && !options.input.options.id_field.empty())
    return fail(ErrorCode::invalid_argument, "--id-start and --id-field exclude each other");
  const Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  const Model model = EMBD_TRY(open_model(options.model));

  const Recipe recipe = EMBD_TRY(recipe_of(options, model));
  options.output.write.recipe = recipe;
  options.output.write.index.threads = options.model.encode.threads;

  RowFields fields = EMBD_TRY(row_fields(options));
  options.input.options.fields = fields.section_names();
  options.input.options.number_fields = fields.column_names();
  options.output.write.columns = fields.columns();
  auto reader = EMBD_TRY(open_records(options.input));
  std::optional<Journal> journal;
  if (options.resume) journal.emplace(EMBD_TRY(open_journal(options, recipe)));
  EmbedOutput output = EMBD_TRY(EmbedOutput::create(
      EMBD_TRY(Outputs::create(options.outputs, recipe.truncate_dim, options.output)),
      std::move(fields), options.row_report));
  RecordStream records(std::move(reader), output.needs_ids() || journal);

  const Report report = EMBD_TRY(embed_texts(options, model, records, output,
                                             journal ? &*journal : nullptr, interrupt.token()));
  if (!recipe.input_sha256.empty() && records.reader().sha256() != recipe.input_sha256) {
    return std::unexpected(
        Error(ErrorCode::io_failed, "changed while it was read").in_file(options.input.path));
  }
  if (journal) EMBD_TRY(write_outputs(*journal, output, interrupt.token()));
  EMBD_TRY(output.finish());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  say_losses(output.outputs());
  EMBD_TRY(write_report(options, model, report, output, seconds));
  if (journal) EMBD_TRY(journal->remove());
  warn(options, output);
  return ExitCode::good;
}

}  // namespace

void add_embed(Commands& commands) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App& verb = commands.add(commands.app(), "embed", "Texts to vectors",
                                [options] { return embed(*options); });
  add_text_input(verb, options->input);
  verb.add_option("-o,--output", options->outputs,
                  "Where to write; repeat for several formats in one pass (standard output)")
      ->allow_extra_args(false)
      ->type_name("OUT");
  add_output_options(verb, options->output, "--output-format");
  add_field_options(verb, options->fields);
  add_model_options(verb, options->model);
  add_token_options(verb, options->model);
  add_window_options(verb, options->model);
  add_encode_options(verb, options->model);
  verb.add_option("--id-start", options->id_start, "Number the rows from N")->type_name("N");
  verb.add_option("--on-truncate", options->on_truncate, "When a text is cut (warn)")
      ->check(CLI::IsMember({"ignore", "warn", "error"}))
      ->type_name("ignore|warn|error");
  verb.add_option("--progress", options->progress, "(auto: on a terminal)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("auto|always|never");
  verb.add_option("--report", options->report, "Rows, tokens, seconds, threads, kernels as JSON")
      ->type_name("FILE");
  verb.add_option("--row-report", options->row_report, "Tokens and truncation of each row")
      ->type_name("FILE");
  verb.add_flag("--resume", options->resume,
                "Keep a journal beside the first output, and go on from it if there is one");
  verb.add_flag("--force", options->force, "Begin anew where --resume refuses to go on");
  options->verb = &verb;
}

}  // namespace embd::cli
