#include "jobs/proof/probes.h"

namespace embd {

std::vector<std::string> default_probes() {
  std::string long_text;
  for (int i = 1; i <= 400; ++i) long_text += "word" + std::to_string(i) + " ";
  return {
      "",
      "a",
      "A cat sits on the mat.",
      "The quick brown fox jumps over the lazy dog, twice a day (3.14 times).",
      "Ünïcödé: naïve café, Straße, Ελληνικά, русский, العربية, हिन्दी",
      "東京で猫が魚を食べる。 서울의 고양이",
      "emoji 😀👩‍👩‍👧‍👦, zero\u200bwidth, e\u0301 and \u00e9",
      "e-mail@example.com https://example.com/path?query=1#part C++23 x86_64",
      "[CLS] is a special token, [MASK] and [SEP] too",
      "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
      long_text,
  };
}

}  // namespace embd
