// Ranks documents with the package NAME of FOLDER/node_modules, with its defaults:  rerank.mjs NAME FOLDER URL
// Standard input has {"query": TEXT, "documents": [TEXT]}; the output is [[place, score], …].
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [name, folder, url] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const { query, documents } = JSON.parse(readFileSync(0, "utf8"));
const clients = {
  async voyageai() {
    const { VoyageAIClient } = require("voyageai");
    const client = new VoyageAIClient({ apiKey: "k", environment: `${url}/v1` });
    const texts = await client.rerank({ model: "m", query, documents, returnDocuments: true });
    for (const hit of texts.data) if (hit.document !== documents[hit.index]) throw new Error(`document ${hit.index} is another`);
    return (await client.rerank({ model: "m", query, documents })).data.map((hit) => [hit.index, hit.relevanceScore]);
  },
  async "@mixedbread/sdk"() {
    const { Mixedbread } = require("@mixedbread/sdk");
    const client = new Mixedbread({ apiKey: "k", baseURL: url });
    const answer = await client.rerank({ model: "m", query, input: documents, top_k: documents.length });
    return answer.data.map((hit) => [hit.index, hit.score]);
  },
};
console.log(JSON.stringify(await clients[name]()));
