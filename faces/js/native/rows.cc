#include "faces/js/native/rows.h"

#include "base/try.h"
#include "faces/js/native/rows.h"

namespace embd::js {

Result<bool> TextList::next(std::string& text) {
  if (next_ == texts_.size()) return false;
  text = texts_[next_++];
  return true;
}

Result<void> RowList::write(MatrixView rows, std::span<const RowReport> reports) {
  dim_ = rows.cols();
  values_.insert(values_.end(), rows.values().begin(), rows.values().end());
  reports_.insert(reports_.end(), reports.begin(), reports.end());
  return {};
}

nlohmann::json RowList::facts() const {
  nlohmann::json facts = {{"rows", reports_.size()},
                          {"dim", dim_},
                          {"tokens", nlohmann::json::array()},
                          {"truncated", nlohmann::json::array()}};
  std::int64_t text = -1;
  for (const RowReport& report : reports_) {
    facts["tokens"].push_back(report.tokens);
    facts["truncated"].push_back(report.truncated);
    if (!windows_) continue;
    text += report.window == 0 ? 1 : 0;
    facts["texts"].push_back(text);
    facts["window"].push_back(report.window);
    const ByteRange bytes = report.place.value_or(TextPlace()).bytes;
    facts["places"].push_back({bytes.begin, bytes.end});
  }
  return facts;
}

Result<std::int32_t> answer_rows(Answer& answer, const Model& model, const char* texts,
                                 const std::uint32_t* sizes, std::uint32_t count,
                                 const EncodeOptions& how) {
  TextList source(texts_of(texts, sizes, count));
  RowList rows(how.windows == Windows::rows);
  EMBD_TRY(model.encode(source, rows, how));
  answer.say(rows.facts());
  answer.keep(std::move(rows).values());
  return 0;
}

}  // namespace embd::js
