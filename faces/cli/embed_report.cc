#include "faces/cli/embed_report.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/os/cpu.h"
#include "base/output_file.h"
#include "base/try.h"

namespace embd::cli {

Result<void> write_report(const std::string& path, const EmbedReport& report,
                          const ReportedModel& model) {
  const auto rows_of_run = static_cast<double>(report.rows - report.resumed_rows);
  nlohmann::ordered_json json = {
      {"rows", report.rows},
      {"resumed_rows", report.resumed_rows},
      {"tokens", report.tokens},
      {"truncated_rows", report.truncated_rows},
      {"empty_rows", report.empty_rows},
      {"repeated_rows", report.repeated_rows},
      {"seconds", report.seconds},
      {"rows_per_second", rows_of_run / report.seconds},
      {"tokens_per_second", static_cast<double>(report.tokens) / report.seconds},
      {"threads", model.threads > 0 ? model.threads : available_threads()},
      {"kernels", model.kernels},
      {"compute", compute_name(model.compute)},
      {"model", model.name},
  };
  if (model.dim) json["dim"] = *model.dim;
  if (report.digest) json["digest"] = EMBD_TRY(parse_ordered_json(report.digest->to_json()));
  return write_text_file(path, json.dump(2) + "\n");
}

}  // namespace embd::cli
