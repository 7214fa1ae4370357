#include "embd/vectors.h"

namespace embd {

unsigned element_bits(ElementType type) noexcept {
  switch (type) {
    case ElementType::b1: return 1;
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::e5m2:
    case ElementType::e4m3:
    case ElementType::e3m2:
    case ElementType::e2m3: return 8;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
    case ElementType::u16: return 16;
    case ElementType::f32:
    case ElementType::i32:
    case ElementType::u32: return 32;
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64: return 64;
  }
  return 0;
}

std::string_view element_name(ElementType type) noexcept {
  switch (type) {
    case ElementType::f32: return "f32";
    case ElementType::f64: return "f64";
    case ElementType::f16: return "f16";
    case ElementType::bf16: return "bf16";
    case ElementType::i8: return "i8";
    case ElementType::u8: return "u8";
    case ElementType::i16: return "i16";
    case ElementType::u16: return "u16";
    case ElementType::i32: return "i32";
    case ElementType::u32: return "u32";
    case ElementType::i64: return "i64";
    case ElementType::u64: return "u64";
    case ElementType::b1: return "b1";
    case ElementType::e5m2: return "e5m2";
    case ElementType::e4m3: return "e4m3";
    case ElementType::e3m2: return "e3m2";
    case ElementType::e2m3: return "e2m3";
  }
  return "";
}

}  // namespace embd
