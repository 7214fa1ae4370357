#include "faces/cli/options/read_texts.h"

#include <algorithm>
#include <iterator>

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

Result<std::vector<std::string>> read_queries(const QueryTexts& queries,
                                              const std::stop_token& stop) {
  const auto num_streams = std::ranges::count(queries.texts, "-") + (queries.file == "-" ? 1 : 0) +
                           (queries.is_standard_input_taken ? 1 : 0);
  if (num_streams > 1)
    return fail(ErrorCode::invalid_argument,
                "standard input was named twice, as the queries and as another input: name a file "
                "for one of them");
  std::vector<std::string> texts;
  const auto append = [&](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(texts));
  };
  for (const std::string& text : queries.texts) {
    if (text == "-")
      append(EMBD_TRY(read_texts(text, {}, stop)));
    else
      texts.push_back(text);
  }
  append(EMBD_TRY(read_texts(queries.file, queries.input, stop)));
  return texts;
}

}  // namespace embd::cli
