// Runs in the thread of worker.js. It keeps opened objects and answers each call with one message.

import * as embd from "./embd.js";
import { threadPort } from "./platform.js";

const objects = new Map(); // opened objects, by their numbers
const running = new Map(); // an AbortController for each unfinished call, by the call's number
let numObjects = 0;

/** Returns the members of an error as a plain object, which a message can carry. */
function plainError(error) {
  const { name, message, code, status, file, line, offset, stack } = error;
  return { name, message, code, status, file, line, offset, stack };
}

/** Returns the options with the model and the term index themselves in place of their numbers. */
function withObjects(options) {
  const given = { ...options };
  for (const name of ["model", "terms"])
    if (given[name] !== undefined) given[name] = objects.get(given[name]);
  return given;
}

/**
 * Returns the buffers of an answer. They are handed over with the message instead of being copied,
 * which is safe because the thread does not use them any more.
 */
function buffersIn(value) {
  if (ArrayBuffer.isView(value)) return [value.buffer];
  if (value && ArrayBuffer.isView(value.vectors)) return [value.vectors.buffer];
  return value && ArrayBuffer.isView(value.ids) ? [value.ids.buffer] : [];
}

/** Does a call and returns the answer: its result or its error. */
async function answer({ object, method, args, hasProgress, call }, port) {
  const controller = new AbortController();
  running.set(call, controller);
  try {
    const options = { ...withObjects(args.at(-1)), signal: controller.signal };
    if (hasProgress)
      options.onProgress = (progress) => port.postMessage({ call, progress });
    const target = object === undefined ? embd : objects.get(object);
    const value = await target[method](...args.slice(0, -1), options);
    if (object === undefined && method.startsWith("open")) {
      objects.set(++numObjects, value);
      return { call, value: { object: numObjects, info: value.info } };
    }
    if (method === "close") objects.delete(object);
    return { call, value };
  } catch (error) {
    return { call, error: plainError(error) };
  } finally {
    running.delete(call);
  }
}

const port = await threadPort();
port.addEventListener("message", async ({ data }) => {
  if (data.abort !== undefined) {
    running.get(data.abort)?.abort();
    return;
  }
  const reply = await answer(data, port);
  port.postMessage(reply, buffersIn(reply.value));
});
port.postMessage({ ready: true });
