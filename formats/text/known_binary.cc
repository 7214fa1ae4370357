#include "formats/text/known_binary.h"

#include <fmt/format.h>

#include <array>

#include "base/try.h"

namespace embd {
namespace {

using namespace std::string_view_literals;

struct KnownBinary {
  std::string_view start;  ///< no text begins with it
  std::string_view what;
  std::string_view remedy;
};

constexpr std::array known = {
    KnownBinary{"\x1F\x8B", "gzip data", "zcat FILE | embd embed -"},
    KnownBinary{"\x28\xB5\x2F\xFD", "Zstandard data", "zstdcat FILE | embd embed -"},
    KnownBinary{"\xFD\x37zXZ\0"sv, "xz data", "xzcat FILE | embd embed -"},
    KnownBinary{"BZh91AY&SY", "bzip2 data", "bzcat FILE | embd embed -"},
    KnownBinary{"PK\x03\x04", "a zip archive (docx, xlsx and odt are some, too)",
                "pandoc -t plain FILE | embd embed - for a document, unzip -p FILE | embd embed - "
                "for texts"},
    KnownBinary{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "a document of old Office programs",
                "libreoffice --convert-to txt FILE"},
    KnownBinary{"%PDF-", "a PDF document", "pdftotext FILE - | embd embed -"},
    KnownBinary{"{\\rtf", "an RTF document", "pandoc -t plain FILE | embd embed -"},
    KnownBinary{"SQLite format 3\0"sv, "a SQLite database",
                "sqlite3 FILE 'SELECT text FROM table' | embd embed -"},
    KnownBinary{"\x7F"
                "ELF",
                "a program", "strings FILE | embd embed -"},
    KnownBinary{"\x89PNG\r\n\x1A\n", "an image", "tesseract FILE - | embd embed -"},
    KnownBinary{"\xFF\xD8\xFF", "an image", "tesseract FILE - | embd embed -"},
    KnownBinary{"GIF89a", "an image", "tesseract FILE - | embd embed -"},
    KnownBinary{"II*\0"sv, "an image", "tesseract FILE - | embd embed -"},
    KnownBinary{"MM\0*"sv, "an image", "tesseract FILE - | embd embed -"},
    KnownBinary{"\xFF\xFE", "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE | embd embed -"},
    KnownBinary{"\xFE\xFF", "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE | embd embed -"},
    KnownBinary{"PAR1\x15", "a Parquet file",
                "embd embed FILE --input-format parquet --text-field COLUMN"},
    KnownBinary{"\x93NUMPY", "a NumPy file", "embd inspect FILE, which tells what it contains"},
    KnownBinary{"CVCF\x01\0"sv, "a CVC file", "embd inspect FILE, which tells what it contains"},
    KnownBinary{"ARROW1\0"sv, "an Arrow file", "embd.embed_file(…, column=…) in Python"},
};

}  // namespace

Result<void> refuse_known_binary(std::string_view start) {
  for (const auto& [magic, what, remedy] : known)
    if (start.starts_with(magic))
      return fail(ErrorCode::unsupported,
                  fmt::format("the file is {}, expected texts in UTF-8: try {}", what, remedy));
  return {};
}

}  // namespace embd
