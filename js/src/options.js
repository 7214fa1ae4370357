// Options of this package, in the words of JavaScript, as the module's, in the words of the library.

/** maxLength → max_length */
function libraryName(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Options that JavaScript itself follows. */
const ownOptions = ["signal", "onProgress", "k", "model"];

/** JSON of the options that are the module's and are given. */
export function optionsJson(options = {}) {
  const members = Object.entries(options)
    .filter(([name, value]) => value !== undefined && !ownOptions.includes(name))
    .map(([name, value]) => [libraryName(name), value]);
  return JSON.stringify(Object.fromEntries(members));
}

/** Members of the module's answers by names of JavaScript. */
export function fromLibrary(facts) {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  );
}
