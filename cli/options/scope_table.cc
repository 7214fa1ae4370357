#include "cli/options/scope_table.h"

#include <algorithm>

namespace embd::cli {
namespace {

constexpr std::string_view input = "Texts";
constexpr std::string_view model = "Model and vectors";
constexpr std::string_view output = "Output";
constexpr std::string_view reading = "Reading vectors";
constexpr std::string_view search = "Search";
constexpr std::string_view serving = "Serving";
constexpr std::string_view access = "Who may use it";
constexpr std::string_view limits = "Limits";
constexpr std::string_view running = "Running";

}  // namespace

const std::vector<OptionScope>& scope_table() {
  static const std::vector<OptionScope> scopes = {
      {"prune-vocabulary", input, {}, {}},
      {"input-format", input, {}, {}},
      {"text-field", input, {}, {}},
      {"token-ids-field", input, {}, {}},
      {"query-field", input, {}, {}},
      {"id-field", input, {}, {}},
      {"id-type", input, {}, "id-field"},
      {"no-header", input, {}, {}},
      {"delimiter", input, {}, {}},
      {"encoding", input, {}, {}},
      {"invalid-utf8", input, {}, {}},
      {"skip-empty", input, {}, {}},
      {"id-start", input, {}, {}},
      {"on-truncate", input, {}, {}},
      {"probes", input, {}, {}},

      {"model", model, {}, {}},
      {"vocab", model, {}, {}},
      {"max-length", model, {}, {}},
      {"truncate-side", model, {}, {}},
      {"prompt", model, {}, {}},
      {"prompt-name", model, {}, {}},
      {"windows", model, {}, {}},
      {"stride", model, {}, "windows"},
      {"window-pooling", model, {}, "windows"},
      {"activation", model, {}, {}},
      {"pooling", model, {}, {}},
      {"no-normalize", model, {}, {}},
      {"truncate-dim", model, {}, {}},
      {"compute", model, {}, {}},

      {"output", output, {}, {}},
      {"output-format", output, {}, {}},
      {"to", output, {}, {}},
      {"output-type", output, {}, {}},
      {"output-ranges", output, {}, "output-type"},
      {"report", output, {}, {}},
      {"row-report", output, {}, {}},
      {"json", output, {}, {}},
      {"similarity", output, {}, {}},
      {"rows", output, {}, {}},
      {"tokens", output, {}, {}},
      {"offsets", output, {}, {}},

      {"cvc-compression", "CVC", {"cvc"}, {}},
      {"chunk-rows", "CVC", {"cvc"}, {}},
      {"cvc-mmap", "CVC", {"cvc"}, {}},
      {"section-field", "CVC", {"cvc"}, {}},
      {"column-field", "CVC", {"cvc", "parquet"}, {}},
      {"parquet-compression", "Parquet", {"parquet"}, {}},
      {"row-group-rows", "Parquet", {"parquet"}, {}},
      {"text-column", "Parquet", {"parquet"}, {}},
      {"svs-layout", "SVS", {"svs"}, {}},
      {"quantize", "finalfusion and SVS", {"finalfusion", "svs"}, {}},
      {"bits", "finalfusion and SVS", {"finalfusion"}, "quantize"},
      {"subquantizers", "finalfusion and SVS", {"finalfusion"}, "quantize"},
      {"normalize", "finalfusion and SVS", {"finalfusion"}, {}},

      {"metric", "Index", {"usearch", "hnsw", "vamana", "none"}, {}},
      {"scalar", "Index", {"usearch", "hnsw", "vamana"}, {}},
      {"connectivity", "Index", {"usearch", "hnsw"}, {}},
      {"expansion-add", "Index", {"usearch", "hnsw"}, {}},
      {"builder", "Index", {"usearch", "hnsw"}, {}},
      {"multi", "Index", {"hnsw"}, {}},
      {"degree", "Index", {"vamana"}, {}},
      {"alpha", "Index", {"vamana"}, {}},
      {"certify", "Index", {}, {}},

      {"from", reading, {}, {}},
      {"dtype", reading, {"svs", "fvecs", "ivecs", "bvecs", "hvecs", "fbin", "u8bin", "i8bin"}, {}},
      {"column", reading, {"cvc"}, {}},
      {"section", reading, {"cvc"}, {}},
      {"all-rows", reading, {"finalfusion", "fasttext"}, {}},
      {"unnormalize", reading, {"finalfusion"}, {}},

      {"k", search, {}, {}},
      {"query", search, {}, {}},
      {"query-file", search, {}, {}},
      {"query-field", search, {}, {}},
      {"queries", search, {}, {}},
      {"words", search, {}, {}},
      {"analogy", search, {}, {}},
      {"expansion", search, {"hnsw"}, {}},
      {"window", search, {"vamana"}, {}},
      {"capacity", search, {"vamana"}, {}},
      {"exact", search, {}, {}},
      {"filter-ids", search, {}, {}},
      {"texts", search, {}, {}},
      {"rerank", search, {}, {}},
      {"candidates", search, {}, "rerank"},
      {"index", search, {}, {}},

      {"host", serving, {}, {}},
      {"port", serving, {}, {}},
      {"model-name", serving, {}, {}},
      {"cache", serving, {}, {}},
      {"drain", serving, {}, {}},
      {"log", serving, {}, {}},

      {"api-key-file", access, {}, {}},
      {"allowed-host", access, {}, {}},
      {"cors-origin", access, {}, {}},

      {"queue", limits, {}, {}},
      {"request-timeout", limits, {}, {}},
      {"max-body", limits, {}, {}},
      {"max-inputs", limits, {}, {}},
      {"max-tokens", limits, {}, {}},
      {"max-connections", limits, {}, {}},

      {"sample", running, {}, {}},
      {"seed", running, {}, "sample"},
      {"tolerance", running, {}, {}},
      {"threads", running, {}, {}},
      {"batch-tokens", running, {}, {}},
      {"dedup", running, {}, {}},
      {"keep-model-hash", running, {}, {}},
      {"progress", running, {}, {}},
      {"part", running, {}, {}},
      {"resume", running, {}, {}},
      {"force", running, {}, {}},
      {"help", running, {}, {}},
  };
  return scopes;
}

const OptionScope& scope_of(std::string_view option) {
  static const OptionScope general = {{}, "Options", {}, {}};
  const auto found = std::ranges::find(scope_table(), option, &OptionScope::name);
  return found != scope_table().end() ? *found : general;
}

}  // namespace embd::cli
