#include "faces/cli/options/read_texts.h"

#include "base/try.h"
#include "formats/text/open_records.h"

namespace embd::cli {

Result<std::vector<std::string>> read_texts(const std::string& path, const InputOptions& options,
                                            const std::stop_token& stop) {
  std::vector<std::string> texts;
  if (path.empty()) return texts;
  const auto reader = EMBD_TRY(open_records(path, options, stop));
  for (Record record; EMBD_TRY(reader->next(record));) texts.push_back(record.text);
  return texts;
}

}  // namespace embd::cli
