"""Makes a cross-encoder of real size for measurements: the encoder of a sentence model, with a classifier that the caller gives.

No package index offers a trained cross-encoder. One takes as long as its encoder, so any classifier will do for its time."""
import json
import shutil
import struct

import numpy as np

OF_SENTENCE_MODELS = ("*.safetensors", "modules.json", "1_Pooling", "2_Normalize", "sentence_bert_config.json",
                      "config_sentence_transformers.json")


def make_reranker(folder, target, weight, bias):
    """Writes the Hugging Face folder `target`. weight [labels, hidden] and bias [labels], float32: the classifier; the
    scores are its logits."""
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(*OF_SENTENCE_MODELS))
    config = json.loads((folder / "config.json").read_text())
    config |= {"architectures": ["BertForSequenceClassification"],
               "id2label": {str(i): f"LABEL_{i}" for i in range(len(bias))},
               "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity", "version": "4.1.0"}}
    (target / "config.json").write_text(json.dumps(config))
    data = (folder / "model.safetensors").read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    tensors = json.loads(data[8:8 + size])
    values = data[8 + size:]
    for name, tensor in (("classifier.weight", weight), ("classifier.bias", bias)):
        begin = len(values)
        values += np.ascontiguousarray(tensor, np.float32).tobytes()
        tensors[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [begin, len(values)]}
    header = json.dumps(tensors).encode()
    header += b" " * (-len(header) % 8)
    (target / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + values)
