#include "cli/output_options.h"

#include <fmt/format.h>

#include "cli/index_options.h"

namespace embd::cli {

void add_output_options(CLI::App& verb, OutputOptions& options, const std::string& format_option) {
  verb.add_option(format_option, options.format, "Format (by the output's extension)")
      ->type_name("FORMAT");
  verb.add_option("--output-type", options.output_type, "Type of the stored values")
      ->check(CLI::IsMember({"f32", "f16", "int8", "binary"}))
      ->type_name("f32|f16|int8|binary");
  verb.add_option(
          "--output-ranges", options.int8_ranges,
          "For --output-type int8: least and greatest of each component, two rows (those of "
          "the vectors); copied to OUT.ranges.npy")
      ->type_name("FILE");
  WriteOptions& write = options.write;
  verb.add_option("--cvc-compression", write.cvc_compression,
                  "none is columnar (fp16; lossless for --output-type f32)")
      ->check(CLI::IsMember({"none", "fp16", "int8", "lossless"}))
      ->type_name("none|fp16|int8|lossless");
  verb.add_option("--chunk-rows", write.chunk_rows, "CVC: rows a chunk (100,000)")->type_name("N");
  verb.add_flag("--cvc-mmap", write.cvc_mmap,
                "CVC: every chunk on a page of its own, for readers that map it");
  verb.add_option("--svs-layout", write.svs_layout, "(directory)")
      ->check(CLI::IsMember({"directory", "file", "seed"}))
      ->type_name("directory|file|seed");
  add_hnsw_options(verb, write.index);
  verb.add_option("--quantize", write.quantize,
                  "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8")
      ->check(CLI::IsMember({"pq", "opq", "lvq4", "lvq8", "lvq4x4", "lvq4x8", "lvq8x8"}))
      ->type_name("pq|opq|lvq…");
  verb.add_option("--bits", write.bits, "finalfusion: bits a subquantizer (8)")->type_name("N");
  verb.add_option("--subquantizers", write.subquantizers, "finalfusion: (dim / 2)")->type_name("N");
}

void say_losses(const Outputs& outputs) {
  for (const auto& [path, loss] : outputs.losses()) {
    fmt::print(stderr,
               "embd: {}: quantized with a mean cosine loss of {:.6g} and a mean euclidean loss "
               "of {:.6g}\n",
               path, loss.cosine, loss.euclidean);
  }
}

}  // namespace embd::cli
