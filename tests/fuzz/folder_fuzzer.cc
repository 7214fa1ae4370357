// A whole model folder as one text: configurations, vocabulary, modules, and the header of the
// tensors. A line "=== NAME" begins a file. "=== model.safetensors BYTES" begins the header of that
// file, in any folder, which is followed by BYTES of data: of as many zeros as a second number
// says, and of floats of 1 behind them. So mutations reach counts in one file that another one
// proves. No folder takes more memory or time than a small model, whatever its counts say.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/bytes.h"
#include "embd/model.h"
#include "embd/reranker.h"
#include "engine/open_model.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/require.h"

namespace {

using namespace embd;
using fuzz::require;
namespace fs = std::filesystem;

constexpr rlim_t max_memory = rlim_t{2} << 30;  // Most of it is stacks of threads.
constexpr std::chrono::seconds max_time{20};
constexpr std::size_t max_data_bytes = std::size_t{1} << 20;
constexpr std::string_view mark = "=== ";
constexpr std::string_view weights_name = "model.safetensors";

/// Returns true for the name of a file that may be made: in the folder, or in one of its folders.
bool is_safe(std::string_view name) {
  return !name.empty() && name.size() < 60 && !name.contains("..") && name.front() != '/' &&
         std::ranges::all_of(
             name,
             [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("._/-").contains(c);
             });
}

/// Returns a safetensors file with this header. A value of 1 in each place makes vectors that are
/// not zeros, and zeros are numbers of rows.
std::string safetensors_of(std::string_view header, std::size_t zeros, std::size_t data_bytes) {
  ByteWriter file;
  file.u64(header.size());
  file.text(header);
  file.zeros(zeros);
  data_bytes -= zeros;
  for (std::size_t i = 0; i < data_bytes / sizeof(float); ++i) file.f32(1);
  file.zeros(data_bytes % sizeof(float));
  return std::string(as_text(file.view()));
}

void make_file(const fs::path& folder, std::string_view name, std::string_view text) {
  std::string content(text);
  const std::string_view path = name.substr(0, name.find(' '));
  if (path.ends_with(weights_name) && name.size() > path.size()) {
    const char* const end = name.data() + name.size();
    std::size_t bytes = 0;
    std::size_t zeros = 0;
    const char* const behind = std::from_chars(path.data() + path.size() + 1, end, bytes).ptr;
    if (behind != end) std::from_chars(behind + 1, end, zeros);
    bytes = std::min(bytes, max_data_bytes);
    content = safetensors_of(text.substr(0, text.rfind('}') + 1), std::min(zeros, bytes), bytes);
    name = path;
  }
  if (!is_safe(name)) return;
  std::error_code error;
  fs::create_directories((folder / name).parent_path(), error);
  std::ofstream(folder / name, std::ios::binary) << content;
}

/// A folder that is removed in the end.
class Folder {
 public:
  explicit Folder(std::string_view input) {
    std::string path = (fs::temp_directory_path() / "embd-folder-XXXXXX").string();
    require(::mkdtemp(path.data()) != nullptr);
    path_ = path;
    while (!input.empty()) {
      const std::size_t line_end = std::min(input.find('\n'), input.size());
      std::string_view name = input.substr(0, line_end);
      name.remove_prefix(std::min(mark.size(), name.size()));
      input.remove_prefix(std::min(line_end + 1, input.size()));
      const std::size_t next = input.find(std::string("\n") + std::string(mark));
      const std::size_t end = next == std::string_view::npos ? input.size() : next + 1;
      make_file(path_, name, input.substr(0, end));
      input.remove_prefix(end);
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }

  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// Requires that an error says something, and that it is not about memory.
void check(const Error& error) {
  require(!error.message().empty());
  require(error.code() != ErrorCode::out_of_memory);
}

void use(const Model& model) {
  for (const Prompt& prompt : model.prompts()) {
    const auto row =
        model.encode("a b [MASK] c\xcc\x81", {.prompt_name = prompt.name, .threads = 1});
    if (!row) {
      check(row.error());
      continue;
    }
    require(row->size() == model.dim());
  }
  const auto recipe = model.recipe({});
  require(recipe && recipe->model_sha256.size() == 64);
  require(model.size().file_bytes > 0);
}

void use(const Reranker& reranker) {
  require(!reranker.labels().empty());
  const TextPair pair = {"a", "b c"};
  const auto scores = reranker.score({&pair, 1}, {.threads = 1});
  if (!scores) check(scores.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::limit_memory(max_memory);
  const fuzz::TimeLimit limit(max_time);
  const Folder folder({reinterpret_cast<const char*>(data), size});
  const auto head = head_of(folder.path(), {});
  if (!head) {
    check(head.error());
    return 0;
  }
  if (*head == HeadKind::classifier) {
    if (const auto reranker = Reranker::open(folder.path(), {.verify = true}))
      use(*reranker);
    else
      check(reranker.error());
  } else {
    if (const auto model = Model::open(folder.path(), {.verify = true}))
      use(*model);
    else
      check(model.error());
  }
  return 0;
}
