#include "embd/embed_file.h"

#include <utility>

#include "base/guard.h"
#include "base/try.h"
#include "formats/text/open_records.h"
#include "jobs/embed/embed_part.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/embed/embed_run.h"
#include "jobs/embed/text_rows.h"

namespace embd {
namespace {

/// Reads the caller's texts as records. The line of a record is the number of its text, from 1.
class TextRecords final : public RecordReader {
 public:
  explicit TextRecords(TextSource& texts) : texts_(texts) {}

  Result<bool> next(Record& record) override {
    if (!EMBD_TRY(texts_.next(record.text))) return false;
    ++record.line;
    return true;
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  TextSource& texts_;
  const std::string name_ = "texts";
};

}  // namespace

std::optional<double> EmbedProgress::seconds_left() const noexcept {
  if (!share || *share <= resumed_share) return std::nullopt;
  return seconds * (1 - *share) / (*share - resumed_share);
}

Result<EmbedReport> make_file(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    if (plan.options.part) return embed_part(maker, plan, std::move(stop));
    const auto reader = EMBD_TRY(open_records(plan.inputs, plan.texts, stop));
    // A resumed run reads the input once more for its hash, so that a journal of other texts is
    // refused before anything is embedded. Other runs compute the hash while they read the texts.
    std::string hash = plan.options.resume ? EMBD_TRY(hash_of_inputs(plan.inputs)) : std::string();
    return EMBD_TRY(run_embedding({maker, *reader, plan, std::move(hash), std::move(stop)})).report;
  });
}

Result<EmbedReport> make_records(const RowMaker& maker, RecordReader& records,
                                 const EmbedPlan& plan, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    if (plan.options.part)
      return fail(ErrorCode::invalid_argument,
                  "a part was asked for, but the texts do not come from a file, and only files can "
                  "be divided into parts");
    return EMBD_TRY(run_embedding({maker, records, plan, {}, std::move(stop)})).report;
  });
}

Result<EmbedReport> embed_file(const Model& model, const EmbedPlan& plan, std::stop_token stop) {
  return make_file(TextRows(model, plan.options.encode), plan, std::move(stop));
}

Result<EmbedReport> embed_records(const Model& model, RecordReader& records, const EmbedPlan& plan,
                                  std::stop_token stop) {
  return make_records(TextRows(model, plan.options.encode), records, plan, std::move(stop));
}

Result<EmbedReport> embed_file(const Model& model, const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const InputOptions& texts, const EmbedOptions& options,
                               std::stop_token stop) {
  return embed_files(model, {input}, outputs, texts, options, std::move(stop));
}

Result<EmbedReport> embed_files(const Model& model,
                                const std::vector<std::filesystem::path>& inputs,
                                const std::vector<std::filesystem::path>& outputs,
                                const InputOptions& texts, const EmbedOptions& options,
                                std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    auto targets = EMBD_TRY(resolve_outputs(outputs, options.output));
    auto files = EMBD_TRY(input_files(inputs));
    const EmbedPlan plan =
        EMBD_TRY(plan_embedding({std::move(files), std::move(targets), texts, options}));
    return embed_file(model, plan, std::move(stop));
  });
}

Result<EmbedReport> embed_records(const Model& model, RecordReader& records,
                                  const std::vector<std::filesystem::path>& outputs,
                                  const EmbedOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    auto targets = EMBD_TRY(resolve_outputs(outputs, options.output));
    const EmbedPlan plan = EMBD_TRY(plan_embedding({{}, std::move(targets), {}, options}));
    return embed_records(model, records, plan, std::move(stop));
  });
}

Result<EmbedReport> embed_texts(const Model& model, TextSource& texts,
                                const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options, std::stop_token stop) {
  TextRecords records(texts);
  return embed_records(model, records, outputs, options, std::move(stop));
}

}  // namespace embd
