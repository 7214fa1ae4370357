#include "faces/cli/options/output_options.h"

#include "faces/cli/options/index_options.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printable.h"
#include "faces/cli/standard_error.h"
#include "jobs/options/output_list.h"

namespace embd::cli {
namespace {

Result<void> store_quantizer(const std::string& word, WriteOptions& write) {
  constexpr auto finalfusion = option_of<&FinalfusionOptions::quantizer>();
  constexpr auto svs = option_of<&SvsOptions::quantizer>();
  const auto of_finalfusion = finalfusion.value_of(word);
  const auto of_svs = svs.value_of(word);
  if (of_finalfusion) write.finalfusion.quantizer = *of_finalfusion;
  if (of_svs) write.svs.quantizer = *of_svs;
  if (of_finalfusion || of_svs) return {};
  return unexpected_value(word, "one of " + joined_names(choices_of(finalfusion)) + "|" +
                                    joined_names(choices_of(svs)));
}

/// Adds --quantize, which finalfusion and SVS share: their quantizers have different names.
void add_quantizers(Verb& verb, WriteOptions& write) {
  constexpr auto finalfusion = option_of<&FinalfusionOptions::quantizer>();
  Option& option = add_listed(verb, finalfusion, write.finalfusion.quantizer);
  option.type_name("pq|opq|lvq…").store = [&write](const std::vector<std::string>& words) {
    return store_quantizer(words.front(), write);
  };
}

}  // namespace

void add_output_options(Verb& verb, OutputOptions& options, std::string_view format_option) {
  auto format = option_of<&OutputOptions::format>();
  format.option = format_option;
  add_listed(verb, format, options.format);
  add_all_listed(verb, options, {"output_format"});
  WriteOptions& write = options.write;
  add_all_listed(verb, write.cvc);
  add_all_listed(verb, write.parquet, {"text_column"});
  add_all_listed(verb, write.svs, {"svs_quantize"});
  add_hnsw_options(verb, write.index);
  add_quantizers(verb, write);
  add_all_listed(verb, write.finalfusion, {"quantize", "normalize_words"});
}

void say_conversion(const std::filesystem::path& output, const ConvertReport& report) {
  for (const auto& [input, parts] : report.left_out)
    say("embd: warning: {} cannot store these parts of {}, which were left out: {}\n",
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
