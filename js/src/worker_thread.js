// The thread behind worker.js: keeps what was opened and answers calls, one message each.

import * as embd from "./embd.js";
import { threadPort } from "./platform.js";

const objects = new Map(); // what was opened, by number
const running = new Map(); // an AbortController for each call under way
let numObjects = 0;

function plainError(error) {
  const { name, message, code, status, file, line, offset, stack } = error;
  return { name, message, code, status, file, line, offset, stack };
}

/** Models among the options stand here by their numbers. */
function withObjects(options) {
  return options?.model === undefined ? options : { ...options, model: objects.get(options.model) };
}

/** Memory that can be given away with an answer: all floats in it are copies. */
function buffersIn(value) {
  if (ArrayBuffer.isView(value)) return [value.buffer];
  if (value && ArrayBuffer.isView(value.vectors)) return [value.vectors.buffer];
  return value && ArrayBuffer.isView(value.ids) ? [value.ids.buffer] : [];
}

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
