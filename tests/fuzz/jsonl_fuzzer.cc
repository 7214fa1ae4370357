// Any bytes as JSON Lines, of texts and of vectors.
#include "formats/vectors/formats.h"
#include "tests/fuzz/text_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  fuzz::read_texts(data, size, {.format = InputFormat::jsonl, .text_field = {}, .id_field = "id"});
  fuzz::read_texts(data, size,
                   {.format = InputFormat::jsonl, .id_field = "id", .token_ids_field = "ids"});
  const fuzz::MemoryFile file(data, size);
  const auto reader = jsonl::format.open(file.path(), {});
  if (reader && (*reader)->info().dim > size) __builtin_trap();
  if (!reader) return 0;
  (void)(*reader)->verify();
  const std::uint64_t num_rows = (*reader)->info().num_rows;
  const TableSource& table = *(*reader)->table();
  // A column was found by a look at every line: all of its values are there.
  std::vector<std::byte> values;
  for (const NumberColumn& column : table.columns())
    if (!table.read_column(column.name, 0, num_rows, values)) __builtin_trap();
  for (const std::string& name : table.text_columns())
    if (!table.read_text_column(name, 0, num_rows)) __builtin_trap();
  if (const RowTextSource* texts = (*reader)->row_texts())
    if (!texts->texts(0, num_rows)) __builtin_trap();
  return 0;
}
