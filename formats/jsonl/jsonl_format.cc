#include "formats/jsonl/jsonl_format.h"

#include <array>

#include "formats/jsonl/jsonl_reader.h"
#include "formats/jsonl/jsonl_writer.h"

namespace embd::jsonl {
namespace {

constexpr std::array<std::string_view, 1> extensions = {".jsonl"};

}  // namespace

const Format format = {
    .name = "jsonl",
    .extensions = extensions,
    .has_magic = nullptr,
    .open = open_jsonl,
    .create = create_jsonl,
    .room = always<Room{.ids = IdsInside::any}>,
};

}  // namespace embd::jsonl
