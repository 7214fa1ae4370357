#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// Returns a TOML document as JSON text. All values are kept; dates become strings.
std::string toml_as_json(const toml::table& document);

/// Returns a document as TOML text that can be read back. toml++ writes some strings in a form that
/// it reads differently (''' or a line feed in a literal string). If the text would not read back
/// as the document, every string is written with escapes instead. This does not help for a key with
/// ', a tab or a line feed in it, which toml++ writes without quotes.
std::string toml_text(const toml::table& document);

/// Returns true if parsing `text` gives `document`.
bool reads_back(const std::string& text, const toml::table& document);

/// Writes the recipe to the table `embd` of a document. Files in TOML, or with TOML inside, keep
/// the recipe there.
void set_recipe(toml::table& document, const Recipe& recipe);

/// Reads the recipe from the table `embd` of a document. Returns nullopt if there is no such table.
/// Fails with bad_value if a field has the wrong type.
Result<std::optional<Recipe>> recipe_in(const toml::table& document);

/// Refuses TOML whose keys are nested so deeply that parsing would overflow the stack. toml++
/// limits the nesting of values, but not of dotted keys and table headers; 100,000 levels would end
/// the process. To be called before toml++ parses text from a file. Fails with bad_toml, with the
/// line.
Result<void> check_toml_depth(std::string_view text);

}  // namespace embd
