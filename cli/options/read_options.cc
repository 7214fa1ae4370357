#include "cli/options/read_options.h"

#include "cli/options/values.h"

namespace embd::cli {
namespace {

constexpr ElementType raw_types[] = {ElementType::f32,  ElementType::f64, ElementType::f16,
                                     ElementType::bf16, ElementType::i8,  ElementType::u8,
                                     ElementType::i16,  ElementType::u16, ElementType::i32,
                                     ElementType::u32,  ElementType::i64, ElementType::u64};

}  // namespace

void add_read_options(Verb& verb, ReadOptions& options) {
  verb.add_option("--from", options.format, "Input format (by content, then by extension)")
      .type_name("FORMAT");
  Choices<ElementType> types;
  for (const ElementType type : raw_types) types.emplace_back(element_name(type), type);
  add_choice<ElementType>(verb, "--dtype", options.element_type, types,
                          "Elements of raw files that do not say")
      .type_name("TYPE");
  verb.add_option("--column", options.column, "CVC: the column to read").type_name("NAME");
  verb.add_option("--section", options.section, "CVC: rows of the sections with this metadata")
      .type_name("KEY=VALUE");
  verb.add_flag("--all-rows", options.all_rows, "finalfusion: subword rows too");
  verb.add_flag("--unnormalize", options.unnormalize, "finalfusion: multiply norms back");
}

}  // namespace embd::cli
