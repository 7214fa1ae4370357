// Any bytes as a journal: as they are, and as the blocks behind a header that fits, their magics,
// lengths and checksums made right, so that a mutation inside a block is seen for itself.
#include "jobs/embed/journal.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "formats/vectors/ids.h"
#include "tests/fuzz/named_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace embd;
using fuzz::require;

constexpr std::uint64_t dim = 36;  // of the model that made the seeds
constexpr std::size_t header_bytes = 16;
constexpr std::size_t block_header_bytes = 16;

std::vector<std::byte> content(const std::filesystem::path& path) {
  const FileDescriptor file = FileDescriptor::open(path).value();
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  require(file.read_at(0, bytes, path).has_value());
  return bytes;
}

fuzz::NamedFile file_of(Bytes bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// Returns the bytes of a new journal.
std::vector<std::byte> header_of(const Conditions& conditions) {
  const fuzz::NamedFile file = file_of({});
  require(Journal::open(file.path(), conditions, dim, false).has_value());
  return content(file.path());
}

/// The input's blocks, which begin where its header ends if it has one, behind our header.
std::vector<std::byte> repaired(Bytes input, std::vector<std::byte> header) {
  if (input.size() >= header_bytes && std::ranges::equal(input.first(8), Bytes(header).first(8))) {
    const std::uint64_t end = header_bytes + load<std::uint32_t>(input.subspan(8));
    input = input.subspan(std::min<std::uint64_t>(end, input.size()));
  }
  std::vector<std::byte> bytes = std::move(header);
  while (input.size() >= block_header_bytes) {
    const std::uint64_t left = input.size() - block_header_bytes;
    const auto size = std::min(load<std::uint64_t>(input.subspan(8)), left);
    const Bytes payload = input.subspan(block_header_bytes, size);
    ByteWriter block;
    block.text("BLCK");
    block.u32(crc32(payload));
    block.u64(size);
    block.bytes(payload);
    bytes.insert(bytes.end(), block.view().begin(), block.view().end());
    input = input.subspan(block_header_bytes + size);
  }
  return bytes;
}

/// A journal that opened gives all it counted, takes a block more, and has it when opened again.
void use(Journal& journal, const Conditions& conditions, const std::filesystem::path& path) {
  std::uint64_t num_rows = 0;
  std::size_t num_blocks = 0;
  const auto count = [&](const RowBatch& batch) -> Result<void> {
    require(batch.rows.rows() == batch.notes.size() && batch.rows.cols() == dim);
    float sum = 0;
    for (const float value : batch.rows.values()) sum += value;
    require(batch.texts.empty() || batch.texts.size() == batch.rows.rows());
    require(batch.fields.empty() || batch.fields.size() == batch.rows.rows());
    require(count_ids(batch.ids).value_or(batch.rows.rows()) == batch.rows.rows());
    num_rows += batch.rows.rows();
    ++num_blocks;
    return {};
  };
  require(journal.for_each(count).has_value());
  require(num_rows == journal.num_rows() && num_blocks == journal.sources().size());

  const std::vector<float> values(2 * dim, 0.5F);
  const RowBatch batch = {.rows = {values.data(), 2, dim},
                          .notes = {{.line = 7}, {.line = 9, .window = 0, .windows = 3}},
                          .ids = std::vector<std::string>{"a", ""},
                          .texts = {},
                          .fields = {}};
  require(journal.append(batch, {.num_records = 2, .hash = {}}).has_value());
  {
    const Journal closed = std::move(journal);
  }
  auto again = Journal::open(path, conditions, dim, false);
  require(again && again->num_rows() == num_rows + 2);
  require(again->sources().size() == num_blocks + 1 && again->sources().back().num_records == 2);
  require(again->windows_of_unfinished_text() == 1);
  num_rows = num_blocks = 0;
  require(again->for_each(count).has_value() && num_rows == again->num_rows());
}

void open(Bytes bytes, const Conditions& conditions) {
  const fuzz::NamedFile file = file_of(bytes);
  {
    auto journal = Journal::open(file.path(), conditions, dim, false);
    if (journal) return use(*journal, conditions, file.path());
    require(!journal.error().message().empty() && !journal.error().file().empty());
    // A file that was refused is as it was.
    require(content(file.path()) == std::vector(bytes.begin(), bytes.end()));
  }
  auto anew = Journal::open(file.path(), conditions, dim, true);
  require(anew && anew->num_rows() == 0);
  use(*anew, conditions, file.path());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  static const Conditions conditions = {{"--output", "[\"out.npy\"]"}, {"model_sha256", "\"12\""}};
  static const std::vector<std::byte> header = header_of(conditions);
  open(input, conditions);
  open(repaired(input, header), conditions);
  return 0;
}
