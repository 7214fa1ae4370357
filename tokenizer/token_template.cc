#include "tokenizer/token_template.h"

namespace embd {

TokenTemplate token_template(TokenizerKind kind, const SpecialTokenIds& special) {
  switch (kind) {
    case TokenizerKind::wordpiece:
      break;
  }
  return {
      .before = {special.cls}, .between = {special.sep}, .after = {special.sep}, .second_type = 1};
}

}  // namespace embd
