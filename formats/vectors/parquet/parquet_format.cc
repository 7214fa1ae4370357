#include "formats/vectors/parquet/parquet_format.h"

#include <array>

#include "formats/vectors/parquet/parquet_layout.h"
#include "formats/vectors/parquet/parquet_reader.h"
#include "formats/vectors/parquet/parquet_writer.h"

namespace embd::parquet {
namespace {

constexpr std::array<std::string_view, 1> extensions = {".parquet"};

Room room(const std::filesystem::path&, const WriteOptions& options) {
  return {.ids = IdsInside::any,
          .recipe = true,
          .columns = true,
          .text_columns = true,
          .places = true,
          .texts = options.parquet.texts};
}

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

}  // namespace

const Format format = {
    .name = "parquet",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open_parquet,
    .create = create_parquet,
    .room = room,
    .has_scores = true,
};

}  // namespace embd::parquet
