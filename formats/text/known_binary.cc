#include "formats/text/known_binary.h"

#include <fmt/format.h>

#include <array>

#include "base/try.h"

namespace embd {
namespace {

using namespace std::string_view_literals;

struct KnownBinary {
  std::string_view start;  ///< no text begins with it
  std::string_view what;   ///< faces/cli/remedy.cc knows a command for each
  std::string_view remedy;
};

constexpr std::array known = {
    KnownBinary{"\x1F\x8B", "gzip data", "unpack it first"},
    KnownBinary{"\x28\xB5\x2F\xFD", "Zstandard data", "unpack it first"},
    KnownBinary{"\xFD\x37zXZ\0"sv, "xz data", "unpack it first"},
    KnownBinary{"BZh91AY&SY", "bzip2 data", "unpack it first"},
    KnownBinary{"PK\x03\x04", "a zip archive (docx, xlsx and odt are some, too)",
                "take the texts out of it first"},
    KnownBinary{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "a document of old Office programs",
                "convert it to text first"},
    KnownBinary{"%PDF-", "a PDF document", "convert it to text first"},
    KnownBinary{"{\\rtf", "an RTF document", "convert it to text first"},
    KnownBinary{"SQLite format 3\0"sv, "a SQLite database", "take the texts out of it first"},
    KnownBinary{"\x7F"
                "ELF",
                "a program", "take the texts out of it first"},
    KnownBinary{"\x89PNG\r\n\x1A\n", "an image", "recognize its text first"},
    KnownBinary{"\xFF\xD8\xFF", "an image", "recognize its text first"},
    KnownBinary{"GIF89a", "an image", "recognize its text first"},
    KnownBinary{"II*\0"sv, "an image", "recognize its text first"},
    KnownBinary{"MM\0*"sv, "an image", "recognize its text first"},
    KnownBinary{"\xFF\xFE", "UTF-16", "convert it to UTF-8 first"},
    KnownBinary{"\xFE\xFF", "UTF-16", "convert it to UTF-8 first"},
    KnownBinary{"PAR1\x15", "a Parquet file", "choose parquet as the format of the input"},
    KnownBinary{"\x93NUMPY", "a NumPy file", "it contains numbers, not texts"},
    KnownBinary{"CVCF\x01\0"sv, "a CVC file", "it contains vectors, not texts"},
    KnownBinary{"ARROW1\0"sv, "an Arrow file", "read the texts from it with a library for Arrow"},
};

}  // namespace

Result<void> refuse_known_binary(std::string_view start) {
  for (const auto& [magic, what, remedy] : known)
    if (start.starts_with(magic))
      return fail(ErrorCode::unsupported,
                  fmt::format("the file is {}, expected texts in UTF-8: {}", what, remedy));
  return {};
}

}  // namespace embd
