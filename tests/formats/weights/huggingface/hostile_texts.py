"""Random hostile texts, and the ids of added tokens."""
import itertools
import os
import unicodedata

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../data")
ANY = "any code point"


def with_ids(tokenizer):
    """Gives added tokens the ids that `tokenizers` gives them."""
    vocab = tokenizer["model"]["vocab"]
    ids = vocab if isinstance(vocab, dict) else {piece: i for i, (piece, _) in enumerate(vocab)}
    following = itertools.count(len(ids))
    for added in tokenizer["added_tokens"]:
        added["id"] = ids[added["content"]] if added["content"] in ids else next(following)
    return tokenizer


def random_text(rng, pools, kinds):
    """A hostile text, as bytes. Each of `kinds` is a list of names of pools that are drawn from together; a name that ends with * stands for
    one of the pools whose names begin so."""
    names = rng.choice([*kinds, [ANY], list(pools)])
    repeats = rng.choice([[1], [1], [1, 1, 2, 9]])

    def draw():
        name = rng.choice(names)
        if name == ANY:
            return chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000), rng.randrange(0x3000)]))
        if name.endswith("*"):
            name = rng.choice([pool for pool in pools if pool.startswith(name[:-1])])
        return rng.choice(pools[name]) * rng.choice(repeats)

    text = "".join(draw() for _ in range(rng.choice([1, 2, 3, 5, 10, 30, 60])))
    if rng.random() < .1:
        text = unicodedata.normalize("NFD", text)
    data = text.encode()
    if rng.random() < .1:  # what is not UTF-8
        data = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(data))
            data[at:at + rng.randint(0, 2)] = bytes(rng.choice([rng.randrange(256), rng.randrange(0x80, 0xC0), rng.randrange(0xE0, 0xF8)]) for _ in range(rng.randint(0, 3)))
    return bytes(data)
