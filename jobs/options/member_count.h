#pragma once

#include <cstddef>

namespace embd {

/// Returns the number of members of an aggregate, at most 16. It is found as the largest number of
/// empty initializers that the aggregate accepts.
template <class T>
consteval std::size_t member_count() {
  // clang-format off
  static_assert(!requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; });
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 16;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 15;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 14;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 13;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 12;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 11;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 10;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 9;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; }) return 8;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}}; }) return 7;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}}; }) return 6;
  else if constexpr (requires { T{{}, {}, {}, {}, {}}; }) return 5;
  else if constexpr (requires { T{{}, {}, {}, {}}; }) return 4;
  else if constexpr (requires { T{{}, {}, {}}; }) return 3;
  else if constexpr (requires { T{{}, {}}; }) return 2;
  else return 1;
  // clang-format on
}

}  // namespace embd
