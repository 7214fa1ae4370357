#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/cpu.h"
#include "base/output_file.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/input_options.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/record_stream.h"
#include "formats/json_text.h"
#include "text/byte_stream.h"

namespace embd::cli {
namespace {

struct EmbedOptions {
  TextInput input;
  std::vector<std::string> outputs;
  OutputOptions output;
  ModelOptions model;
  std::optional<std::uint64_t> id_start;
  std::string on_truncate = "warn";
  std::string progress = "auto";
  std::string report;
  std::string row_report;
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

/// Takes the rows as they come out of the model: gives them their ids, writes them, reports them.
class EmbedSink final : public RowSink {
 public:
  EmbedSink(const EmbedOptions& options, RecordStream& records, Outputs& outputs,
            std::optional<OutputFile> row_report)
      : options_(options),
        records_(records),
        outputs_(outputs),
        row_report_(std::move(row_report)),
        progress_(options.progress) {}

  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    std::vector<RecordStream::Row> records = records_.take(rows.rows());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (options_.id_start) records[i].id = *options_.id_start + num_rows_ + i;
      EMBD_TRY(check_id(records[i]));
      EMBD_TRY(check_length(records[i], reports[i]));
      EMBD_TRY(report_row(num_rows_ + i, records[i], reports[i]));
    }
    std::vector<std::string> texts;
    if (outputs_.needs_ids())
      for (RecordStream::Row& record : records) texts.push_back(std::move(record.text));
    EMBD_TRY(outputs_.append(rows, ids_of(records), texts));
    num_rows_ += rows.rows();
    progress_.update(num_rows_, records_.share_read());
    return {};
  }

  Result<void> finish() {
    EMBD_TRY(outputs_.finish());
    return row_report_ ? row_report_->finish() : Result<void>();
  }

 private:
  Result<void> check_length(const RecordStream::Row& record, const RowReport& report) const {
    if (!report.truncated || options_.on_truncate != "error") return {};
    return std::unexpected(
        Error(ErrorCode::bad_value, fmt::format("{} tokens, more than the model takes at once; "
                                                "--on-truncate warn cuts them",
                                                report.tokens))
            .at_line(record.line)
            .in_file(records_.reader().name()));
  }

  Result<void> report_row(std::uint64_t row, const RecordStream::Row& record,
                          const RowReport& report) {
    if (!row_report_) return {};
    std::string line = fmt::format("{{\"row\":{},\"line\":{},", row, record.line);
    if (const auto* number = std::get_if<std::uint64_t>(&record.id)) {
      line += fmt::format("\"id\":{},", *number);
    } else if (const auto* string = std::get_if<std::string>(&record.id)) {
      line += "\"id\":";
      append_json_string(*string, line);
      line += ',';
    }
    line += fmt::format("\"tokens\":{},\"truncated\":{}}}\n", report.tokens, report.truncated);
    return row_report_->write(as_bytes(line));
  }

  /// A file keeps ids of one kind.
  Result<void> check_id(const RecordStream::Row& record) {
    if (!id_kind_) id_kind_ = record.id.index();
    if (record.id.index() == *id_kind_) return {};
    return std::unexpected(Error(ErrorCode::bad_type,
                                 "the id, expected a string on every line or a whole number on "
                                 "every line")
                               .at_line(record.line)
                               .in_file(records_.reader().name()));
  }

  const EmbedOptions& options_;
  RecordStream& records_;
  Outputs& outputs_;
  std::optional<OutputFile> row_report_;
  Progress progress_;
  std::uint64_t num_rows_ = 0;
  std::optional<std::size_t> id_kind_;
};

Result<void> write_report(const EmbedOptions& options, const Model& model, const Report& report,
                          double seconds) {
  if (options.report.empty()) return {};
  const int threads = options.model.encode.threads;
  const nlohmann::ordered_json json = {
      {"rows", report.rows},
      {"tokens", report.tokens},
      {"truncated_rows", report.truncated_rows},
      {"seconds", seconds},
      {"rows_per_second", static_cast<double>(report.rows) / seconds},
      {"tokens_per_second", static_cast<double>(report.tokens) / seconds},
      {"threads", threads > 0 ? threads : available_threads()},
      {"kernels", model.instruction_set()},
      {"model", model.name()},
      {"dim", model.dim()},
  };
  OutputFile file = EMBD_TRY(OutputFile::create(options.report));
  EMBD_TRY(file.write(as_bytes(json.dump(2) + "\n")));
  return file.finish();
}

void warn(const EmbedOptions& options, const Report& report, const Outputs& outputs) {
  if (report.truncated_rows > 0 && options.on_truncate == "warn")
    fmt::print(stderr, "embd: warning: {} of {} texts were cut to the model's length\n",
               report.truncated_rows, report.rows);
  if (outputs.num_repeated() > 0)
    fmt::print(stderr,
               "embd: warning: {} texts occur more than once; as ids they end in #2, #3, …\n",
               outputs.num_repeated());
}

Result<ExitCode> embed(EmbedOptions& options) {
  if (options.outputs.empty()) options.outputs = {"-"};
  if (options.id_start && !options.input.options.id_field.empty())
    return fail(ErrorCode::invalid_argument, "--id-start and --id-field exclude each other");
  const Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  const Model model = EMBD_TRY(open_model(options.model));

  Recipe recipe = EMBD_TRY(model.recipe(options.model.encode));
  recipe.input_sha256 = EMBD_TRY(hash_of_file(options.input.path));
  if (!options.output.output_type.empty()) recipe.output_type = options.output.output_type;
  const std::uint32_t dim = recipe.truncate_dim;
  options.output.write.recipe = recipe;

  auto reader = EMBD_TRY(open_records(options.input));
  Outputs outputs = EMBD_TRY(Outputs::create(options.outputs, dim, options.output));
  RecordStream records(std::move(reader), outputs.needs_ids());
  std::optional<OutputFile> row_report;
  if (!options.row_report.empty()) row_report = EMBD_TRY(OutputFile::create(options.row_report));

  Report report;
  {
    EmbedSink sink(options, records, outputs, std::move(row_report));
    report = EMBD_TRY(model.encode(records, sink, options.model.encode, interrupt.token()));
    if (!recipe.input_sha256.empty() && records.reader().sha256() != recipe.input_sha256) {
      return std::unexpected(
          Error(ErrorCode::io_failed, "changed while it was read").in_file(options.input.path));
    }
    EMBD_TRY(sink.finish());
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EMBD_TRY(write_report(options, model, report, seconds));
  warn(options, report, outputs);
  return ExitCode::good;
}

}  // namespace

void add_embed(Commands& commands) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App& verb = commands.add(commands.app(), "embed", "Texts → vectors",
                                [options] { return embed(*options); });
  add_text_input(verb, options->input);
  verb.add_option("-o,--output", options->outputs,
                  "Where to write; repeat for several formats in one pass (standard output)")
      ->allow_extra_args(false)
      ->type_name("OUT");
  add_output_options(verb, options->output, "--output-format");
  add_model_options(verb, options->model);
  add_token_options(verb, options->model);
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
}

}  // namespace embd::cli
