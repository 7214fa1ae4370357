import { badArgument } from "./errors.js";
import { Model } from "./model.js";
import { optionsJson } from "./options.js";
import { Reranker } from "./reranker.js";
import { runtimeOf } from "./runtime.js";
import { SearchIndex } from "./search_index.js";
import { readText } from "./source.js";
import { filesOfTerms, TermIndex } from "./term_index.js";

export { EmbdError } from "./errors.js";
export { hasRelaxedSimd } from "./module.js";

// The names that files get in the module's memory. The library tells a format by the content, which
// the extension of another format would contradict.
const weightsName = "model.weights";
const indexName = "index.usearch";
const recipeName = ".recipe.json"; // No member of an index has this name.

/** Opens one file with the export `call` of the module, and returns an object of `Class` for it. */
async function openOne(call, Class, source, options) {
  const { wasm, compute, verify, ...reading } = options;
  const runtime = await runtimeOf(wasm);
  const how = optionsJson({ compute, verify });
  return runtime.openFiles({ [weightsName]: source }, weightsName, reading, (path) => {
    const handle = runtime.native.call(call, path, how);
    return new Class(runtime, handle);
  });
}

export function open(source, options = {}) {
  return openOne("embd_model_open", Model, source, options);
}

export function openReranker(source, options = {}) {
  return openOne("embd_reranker_open", Reranker, source, options);
}

/** Returns the ids of rows as an array. `source` is the array, or a file of JSON values, one a line. */
async function readIds(runtime, source, signal) {
  if (source === undefined || Array.isArray(source)) return source;
  const text = await readText(runtime.native, source, { signal });
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** Returns the runtime in which `model` and `terms` are open; that of `wasm` if there is neither. */
async function runtimeWith(model, terms, wasm) {
  if (model !== undefined && !(model instanceof Model))
    throw badArgument("model has a wrong type, expected a model that open() returned");
  if (terms !== undefined && !(terms instanceof TermIndex))
    throw badArgument("terms has a wrong type, expected a term index that openTerms() returned");
  if (model !== undefined && terms !== undefined && model.runtime !== terms.runtime)
    throw badArgument("the model and the term index were opened with different modules, expected the same option wasm");
  return model?.runtime ?? terms?.runtime ?? (await runtimeOf(wasm));
}

export async function openTerms(source, options = {}) {
  const { wasm, model, ...reading } = options;
  const runtime = await runtimeWith(model, undefined, wasm);
  return runtime.openFiles(filesOfTerms(source), "", reading, (folder) => {
    const handle = runtime.native.call("embd_terms_open", folder);
    return new TermIndex(runtime, handle, model);
  });
}

export async function openIndex(source, options = {}) {
  const { wasm, model, terms, recipe, ids, metric, ...reading } = options;
  const runtime = await runtimeWith(model, terms, wasm);
  const isFolder = source?.files !== undefined;
  const files = isFolder ? { ...source.files } : { [indexName]: source };
  const main = isFolder ? (source.main ?? "") : indexName;
  if (recipe !== undefined) files[recipeName] = recipe;
  const names = await readIds(runtime, ids, reading.signal);
  return runtime.openFiles(files, main, reading, (path, folder) => {
    const how = { metric, recipe: recipe === undefined ? undefined : `${folder}/${recipeName}` };
    const handle = runtime.native.call("embd_index_open", path, optionsJson(how));
    try {
      return new SearchIndex(runtime, handle, { model, ids: names, terms });
    } catch (error) {
      runtime.native.call("embd_index_close", handle);
      throw error;
    }
  });
}

/** Returns the version of the library, and which module and kernels are in use. */
export async function about({ wasm } = {}) {
  return (await runtimeOf(wasm)).about();
}
