#include "cli/options/output_options.h"

#include "cli/options/index_options.h"
#include "cli/options/values.h"
#include "cli/printable.h"
#include "cli/standard_error.h"

namespace embd::cli {
namespace {

/// One option for the quantizers of both formats that have some: they share no word.
void add_quantizers(Verb& verb, WriteOptions& write) {
  verb.add_parsed(
          "--quantize",
          [&write](const std::string& word) -> Result<void> {
            const auto finalfusion = value_named(word, finalfusion_quantizer_names);
            const auto svs = value_named(word, svs_quantizer_names);
            if (finalfusion) write.finalfusion.quantizer = *finalfusion;
            if (svs) write.svs.quantizer = *svs;
            if (finalfusion || svs) return {};
            return unexpected_value(
                word, "one of " + joined_names(choices_of(finalfusion_quantizer_names)) + "|" +
                          joined_names(choices_of(svs_quantizer_names)));
          },
          "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8")
      .type_name("pq|opq|lvq…");
}

}  // namespace

void add_output_options(Verb& verb, OutputOptions& options, const std::string& format_option) {
  verb.add_option(format_option, options.format, "Format (by the output's extension)")
      .type_name("FORMAT");
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
      .type_name("FILE");
  WriteOptions& write = options.write;
  add_choice(verb, "--cvc-compression", write.cvc.compression, choices_of(cvc_compression_names),
             "none is columnar (fp16; lossless for --output-type f32)");
  add_number(verb, "--chunk-rows", write.cvc.chunk_rows, "CVC: rows a chunk (100,000)", 1);
  verb.add_flag("--cvc-mmap", write.cvc.mmap,
                "CVC: every chunk on a page of its own, for readers that map it");
  add_choice(verb, "--parquet-compression", write.parquet.compression,
             choices_of(parquet_compression_names),
             "(none); zstd makes files smaller by a sixth, and takes longer");
  add_number(verb, "--row-group-rows", write.parquet.row_group_rows,
             "Parquet: rows a group, which engines take as a piece of work (32,768)", 1);
  add_choice(verb, "--svs-layout", write.svs.layout, choices_of(svs_layout_names), "(directory)");
  add_hnsw_options(verb, write.index);
  add_quantizers(verb, write);
  add_number(verb, "--bits", write.finalfusion.bits, "finalfusion: bits a subquantizer (8)");
  add_number(verb, "--subquantizers", write.finalfusion.subquantizers, "finalfusion: (dim / 2)");
}

void say_conversion(const std::filesystem::path& output, const ConvertReport& report) {
  for (const auto& [input, parts] : report.left_out)
    say("embd: warning: {} does not keep what {} has beside its rows: {}\n",
        printable(output.native()), printable(input.native()), printable(parts));
  say_losses(report.losses);
}

void say_losses(const std::vector<OutputLoss>& losses) {
  for (const auto& [path, loss] : losses) {
    say("embd: {}: quantized with a mean cosine loss of {:.6g} and a mean euclidean loss "
        "of {:.6g}\n",
        printable(path.native()), loss.cosine, loss.euclidean);
  }
}

}  // namespace embd::cli
