#include "cli/options/output_options.h"

#include <fmt/format.h>

#include "cli/options/index_options.h"
#include "cli/options/values.h"

namespace embd::cli {

void add_output_options(CLI::App& verb, OutputOptions& options, const std::string& format_option) {
  verb.add_option(format_option, options.format, "Format (by the output's extension)")
      ->type_name("FORMAT");
  add_choice<OutputType>(verb, "--output-type", options.type,
                         {{"f32", OutputType::f32},
                          {"f16", OutputType::f16},
                          {"int8", OutputType::int8},
                          {"binary", OutputType::binary}},
                         "Type of the stored values (the format's)");
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
  add_number(verb, "--chunk-rows", write.chunk_rows, "CVC: rows a chunk (100,000)", 1);
  verb.add_flag("--cvc-mmap", write.cvc_mmap,
                "CVC: every chunk on a page of its own, for readers that map it");
  add_choice<ParquetOptions::Compression>(
      verb, "--parquet-compression", write.parquet.compression,
      {{"none", ParquetOptions::Compression::none}, {"zstd", ParquetOptions::Compression::zstd}},
      "(none); zstd makes files smaller by a sixth, and takes longer");
  add_number(verb, "--row-group-rows", write.parquet.row_group_rows,
             "Parquet: rows a group, which engines take as a piece of work (32,768)", 1);
  verb.add_option("--svs-layout", write.svs_layout, "(directory)")
      ->check(CLI::IsMember({"directory", "file", "seed"}))
      ->type_name("directory|file|seed");
  add_hnsw_options(verb, write.index);
  verb.add_option("--quantize", write.quantize,
                  "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8")
      ->check(CLI::IsMember({"pq", "opq", "lvq4", "lvq8", "lvq4x4", "lvq4x8", "lvq8x8"}))
      ->type_name("pq|opq|lvq…");
  add_number(verb, "--bits", write.bits, "finalfusion: bits a subquantizer (8)");
  add_number(verb, "--subquantizers", write.subquantizers, "finalfusion: (dim / 2)");
}

void say_losses(const std::vector<OutputLoss>& losses) {
  for (const auto& [path, loss] : losses) {
    fmt::print(stderr,
               "embd: {}: quantized with a mean cosine loss of {:.6g} and a mean euclidean loss "
               "of {:.6g}\n",
               path.native(), loss.cosine, loss.euclidean);
  }
}

}  // namespace embd::cli
