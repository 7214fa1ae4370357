#include "formats/vectors/word2vec/word_rows.h"

#include <fmt/format.h>

#include "base/try.h"

namespace embd::word2vec {

WordRows::WordRows(MappedFile file, std::string format, std::string encoding, std::uint64_t dim,
                   std::vector<WordRow> rows)
    : file_(std::move(file)), rows_(std::move(rows)) {
  info_.format = std::move(format);
  info_.encoding = std::move(encoding);
  info_.num_rows = rows_.size();
  info_.dim = dim;
}

Result<Ids> WordRows::ids() const {
  std::vector<std::string> ids;
  ids.reserve(rows_.size());
  for (std::uint64_t row = 0; row < rows_.size(); ++row) ids.emplace_back(word(row));
  return ids;
}

std::string WordRows::describe() const {
  return fmt::format(R"({{"format": "{}", "encoding": "{}", "rows": {}, "dim": {}}})", info_.format,
                     info_.encoding, info_.num_rows, info_.dim);
}

Result<void> WordRows::verify() const {
  // Without rows, the dimension may be any number, because nothing in the file limits it.
  std::vector<float> values(info_.num_rows > 0 ? info_.dim : 0);
  for (std::uint64_t row = 0; row < info_.num_rows; ++row) EMBD_TRY(read(row, 1, values));
  return {};
}

}  // namespace embd::word2vec
