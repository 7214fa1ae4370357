#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace embd {

/// Returns why a text is not JSON, in the words of nlohmann-json. The place is left out, and so is
/// the text that was read, because it may be long and may contain any bytes.
std::string json_fault(const nlohmann::json::exception& error);

/// Returns why a line is not JSON. `position` is the byte, from 1, at which the parser stopped.
std::string json_fault_in_line(const nlohmann::json::exception& error, std::size_t position);

}  // namespace embd
