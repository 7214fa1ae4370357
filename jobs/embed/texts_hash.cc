#include "jobs/embed/texts_hash.h"

#include <fmt/format.h>

#include <utility>

#include "jobs/row_ids.h"

namespace embd {

void TextsHasher::add(const RecordStream::Row& record) {
  const std::string id = record_id_text(record.id);
  hash_.update(fmt::format("{} {} {} {} {}\n", record.line, record.id.index(), id.size(),
                           record.text.size(), record.fields.size()));
  hash_.update(id);
  hash_.update(record.text);
  hash_.update(record.fields);
}

TextsHash TextsHasher::end_block() {
  const TextsHash hash = std::exchange(hash_, Sha256()).digest();
  hash_.update(Bytes(hash));
  return hash;
}

}  // namespace embd
