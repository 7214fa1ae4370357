// Any bytes as a Parquet file: opened, described, every row, id and column decoded.
#include <nlohmann/json.hpp>

#include "formats/vectors/formats.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  using fuzz::require;
  const fuzz::MemoryFile file(data, size);
  const auto reader = parquet::format.open(file.path(), {});
  if (!reader) {
    require(!reader.error().message().empty());
    return 0;
  }
  require(nlohmann::json::accept((*reader)->describe()));
  const bool sound = (*reader)->verify().has_value();
  const VectorSetInfo& info = (*reader)->info();
  std::vector<float> row;
  std::vector<std::byte> raw;
  const std::uint64_t num_rows = std::min<std::uint64_t>(info.num_rows, 100);
  if (num_rows > 0) row.resize(info.dim);
  for (std::uint64_t i = 0; i < num_rows; ++i) {
    require((*reader)->read(i, 1, row).has_value() || !sound);
    // Files of other programs have neither.
    if (const PlainRowSource* rows = (*reader)->plain_rows())
      require(rows->read_stored(i, 1, raw).has_value() || !sound);
    if (const TableSource* table = (*reader)->table()) {
      for (const std::string& name : table->text_columns())
        require(table->read_text_column(name, i, 1).has_value() || !sound);
      for (const NumberColumn& column : table->columns())
        require(table->read_column(column.name, i, 1, raw).has_value() || !sound);
    }
    if (const RowTextSource* texts = (*reader)->row_texts())
      require(texts->texts(i, 1).has_value() || !sound);
  }
  (void)(*reader)->ids();
  (void)(*reader)->recipe();
  return 0;
}
