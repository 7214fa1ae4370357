#include "formats/text/non_empty_reader.h"

#include "base/try.h"

namespace embd {

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

Result<bool> NonEmptyReader::next(Record& record) {
  while (EMBD_TRY(all_->next(record)))
    if (!is_blank(record.text)) return true;
  return false;
}

}  // namespace embd
