"""sentence-transformers behind FastAPI, as its users write it, for beside.py:  fastapi_server.py FOLDER PORT THREADS"""
import sys

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer

FOLDER, PORT, THREADS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(THREADS)
model = SentenceTransformer(FOLDER, device="cpu")
app = FastAPI()


class Request(BaseModel):
    input: str | list[str]
    model: str = "m"


@app.post("/v1/embeddings")
def embeddings(request: Request):
    texts = [request.input] if isinstance(request.input, str) else request.input
    rows = model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
    return {"object": "list", "model": request.model,
            "data": [{"object": "embedding", "index": i, "embedding": row.tolist()} for i, row in enumerate(rows)]}


uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning", access_log=False)
