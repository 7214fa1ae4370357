// Translates names between JavaScript (maxLength) and the library (max_length).

/** Returns the library's name for a name in JavaScript: max_length for maxLength. */
function libraryName(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The names of the options that this package handles itself and does not pass to the module. */
const ownOptions = ["signal", "onProgress", "k", "model"];

/** Returns the options for the module as JSON, without those that are undefined. */
export function optionsJson(options = {}) {
  const members = Object.entries(options)
    .filter(([name, value]) => value !== undefined && !ownOptions.includes(name))
    .map(([name, value]) => [libraryName(name), value]);
  return JSON.stringify(Object.fromEntries(members));
}

/** Returns an answer of the module with the names that its members have in JavaScript. */
export function fromLibrary(facts) {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  );
}
