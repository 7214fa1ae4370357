// Writes the table of unicode_table.cc from the properties that utf8proc has for each code point.
#include <cstdio>
#include <vector>

#include "tokenizer/wordpiece/unicode.h"

namespace {

using namespace embd::wordpiece;

constexpr char32_t end = 0x110000;

unsigned number(char32_t code_point) {
  return static_cast<unsigned>(code_point);
}

void write_categories() {
  std::puts("constexpr CategoryRun category_runs[] = {");
  for (char32_t c = 0; c < end; ++c) {
    const Category category = unicode_utf8proc::category(c);
    if (c == 0 || category != unicode_utf8proc::category(c - 1))
      std::printf("{%u, Category{%d}},\n", number(c), static_cast<int>(category));
  }
  std::puts("};");
}

struct LowerCaseRun {
  char32_t first;
  char32_t last;
  int shift;
  unsigned step;
};

/// Adds a code point to the last run and returns true, if it continues the run.
bool extend(std::vector<LowerCaseRun>& runs, char32_t c, int shift) {
  if (runs.empty() || runs.back().shift != shift) return false;
  LowerCaseRun& run = runs.back();
  const unsigned step = number(c - run.last);
  // Upper and lower case alternate, or have blocks of their own.
  if (run.first == run.last && step <= 2) run.step = step;
  if (run.step != step) return false;
  run.last = c;
  return true;
}

void write_lower_case() {
  std::vector<LowerCaseRun> runs;
  for (char32_t c = 0; c < end; ++c) {
    const int shift =
        static_cast<int>(unicode_utf8proc::lower_case(c)) - static_cast<int>(number(c));
    if (shift != 0 && !extend(runs, c, shift)) runs.push_back({c, c, shift, 1});
  }
  std::puts("constexpr LowerCaseRun lower_case_runs[] = {");
  for (const LowerCaseRun& run : runs)
    std::printf("{%u, %u, %d, %u},\n", number(run.first), number(run.last), run.shift, run.step);
  std::puts("};");
}

struct DecompositionRun {
  char32_t first;
  char32_t last;
  std::size_t begin;
  std::size_t size;
};

void write_decompositions() {
  std::vector<DecompositionRun> runs;
  std::vector<char32_t> parts;
  for (char32_t c = 0; c < end; ++c) {
    const bool by_arithmetic = c >= 0xac00 && c < 0xac00 + 11172;
    const Decomposition whole = unicode_utf8proc::decompose(c);
    if (by_arithmetic || (whole.size == 1 && whole.code_points[0] == c)) continue;
    if (!runs.empty() && runs.back().last + 1 == c && runs.back().size == whole.size) {
      runs.back().last = c;
    } else {
      runs.push_back({c, c, parts.size(), whole.size});
    }
    parts.insert(parts.end(), whole.code_points.begin(), whole.code_points.begin() + whole.size);
  }
  std::puts("constexpr DecompositionRun decomposition_runs[] = {");
  for (const DecompositionRun& run : runs)
    std::printf("{%u, %u, %zu, %zu},\n", number(run.first), number(run.last), run.begin, run.size);
  std::puts("};\nconstexpr char32_t parts[] = {");
  for (const char32_t part : parts) std::printf("%u,\n", number(part));
  std::puts("};");
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments != 2 || std::freopen(arguments[1], "w", stdout) == nullptr) {
    std::fputs("usage: make_unicode_table FILE\n", stderr);
    return 2;
  }
  write_categories();
  write_lower_case();
  write_decompositions();
}
