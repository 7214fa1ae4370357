#include "formats/vecs/vecs_format.h"

#include <fmt/format.h>

#include <optional>

#include "base/try.h"
#include "formats/vecs/vecs_reader.h"
#include "formats/vecs/vecs_writer.h"

namespace embd::vecs {
namespace {

/// One format of a family: its extension, whose letters are its name, and its elements.
struct Kind {
  std::string_view extension;
  ElementType type;
  decltype(open_vecs)* open;
  decltype(create_vecs)* create;

  constexpr std::string_view name() const { return extension.substr(1); }
};

constexpr Kind fvecs = {".fvecs", ElementType::f32, open_vecs, create_vecs};
constexpr Kind ivecs = {".ivecs", ElementType::i32, open_vecs, create_vecs};
constexpr Kind bvecs = {".bvecs", ElementType::u8, open_vecs, create_vecs};
constexpr Kind hvecs = {".hvecs", ElementType::f16, open_vecs, create_vecs};
constexpr Kind fbin = {".fbin", ElementType::f32, open_bin, create_bin};
constexpr Kind u8bin = {".u8bin", ElementType::u8, open_bin, create_bin};
constexpr Kind i8bin = {".i8bin", ElementType::i8, open_bin, create_bin};

Result<void> check_type(const Kind& kind, std::optional<ElementType> wanted) {
  if (!wanted || *wanted == kind.type) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} holds {}, not {}", kind.name(), element_name(kind.type),
                          element_name(*wanted)));
}

template <const Kind& kind>
constexpr Format make_format() {
  return {
      .name = kind.name(),
      .extensions = {&kind.extension, 1},
      .has_magic = nullptr,
      .open = [](const std::filesystem::path& path,
                 const ReadOptions& options) -> Result<std::unique_ptr<VectorReader>> {
        EMBD_TRY(check_type(kind, options.element_type));
        return kind.open(path, kind.name(), kind.type);
      },
      .create = [](const std::filesystem::path& path, std::uint64_t dim,
                   const WriteOptions& options) -> Result<std::unique_ptr<VectorWriter>> {
        // f32 is what WriteOptions says where nobody chose.
        if (options.element_type != ElementType::f32)
          EMBD_TRY(check_type(kind, options.element_type));
        return kind.create(path, dim, kind.type);
      },
      .stored_type = [](const WriteOptions&) { return kind.type; },
  };
}

}  // namespace

const std::array<Format, 4> vecs_formats = {make_format<fvecs>(), make_format<ivecs>(),
                                            make_format<bvecs>(), make_format<hvecs>()};
const std::array<Format, 3> bin_formats = {make_format<fbin>(), make_format<u8bin>(),
                                           make_format<i8bin>()};

}  // namespace embd::vecs
