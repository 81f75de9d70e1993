"""Checks seed, deals and digests of an archive, as write-a-client.md, Verify a game, describes.

python verify.py run.tar.gz
"""

from __future__ import annotations

import hashlib
import hmac
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

RANKS = "AKQJT98765432"
JOKERS = ["X1", "X2", "X3", "Xr", "Xb"]


def words(seed: bytes, *fields: object) -> Iterator[int]:
    """Yield the words of a stream."""
    text = b"bowerbird/1"
    for field in fields:
        data = str(field).encode()
        text += len(data).to_bytes(4, "big") + data
    block = 0
    while True:
        digest = hmac.digest(seed, text + block.to_bytes(8, "big"), "sha256")
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def uniform(stream: Iterator[int], n: int) -> int:
    """Return a number from 0 to n - 1."""
    limit = 2**32 - 2**32 % n
    word = next(stream)
    while word >= limit:
        word = next(stream)
    return word % n


def canonical(cards: Sequence[str]) -> list[str]:
    """Return the cards in canonical order."""
    jokers = [card for card in JOKERS if card in cards]
    plain = [card for card in cards if card not in JOKERS]
    order = [rank + suit for suit in "shdc" for rank in RANKS]
    single = sorted(set(plain), key=order.index)
    return single * (len(plain) // len(single)) + jokers


def shuffled(cards: Sequence[str], stream: Iterator[int]) -> list[str]:
    """Return the cards as a stream shuffles them."""
    order = canonical(cards)
    for i in range(len(order) - 1, 0, -1):
        other = uniform(stream, i + 1)
        order[i], order[other] = order[other], order[i]
    return order


def check(holds: bool, what: str) -> None:
    """Exit with 1 and say what is wrong, unless it holds."""
    if not holds:
        sys.exit(f"wrong: {what}")


def table(name: str, text: bytes) -> dict[str, Any]:
    """Return a TOML file, whose digest must hold."""
    body = text.rpartition(b"[integrity]\n")[0]
    digest = hashlib.sha256(body).hexdigest()
    values = tomllib.loads(text.decode())
    check(values["integrity"]["sha256"] == digest, f"the digest of {name}")
    return values


with tarfile.open(sys.argv[1]) as tar:
    files = {member.name: file.read() for member in tar if (file := tar.extractfile(member))}
run = table("run.toml", files["run.toml"])
config = hashlib.sha256(files["config.toml"]).hexdigest()
check(config == run["config_sha256"], "the digest of config.toml")
check("seed" in run, "the seed is not published yet")
secret = bytes.fromhex(run["seed"])
commitment = "sha256:" + hashlib.sha256(secret).hexdigest()
check(commitment == run["commitment"], "the commitment to the seed")
name = hashlib.sha256(f"{run['name']}\0{commitment}".encode()).hexdigest()[:10]
check(name == run["fingerprint"], "the fingerprint of the run")
seed = secret
if "beacon" in run:
    seed = hashlib.sha256(secret + run["beacon"].encode()).digest()

voids: dict[str, int] = {}
for void in run.get("void", []):
    place = f"{void['entry']}/{void['lineup']}/{void['set']}"
    voids[place] = voids.get(place, 0) + 1

games = shuffles = 0
for path, text in files.items():
    if not path.startswith("games/") or path.endswith((".stories.toml", ".notes.toml")):
        continue
    game = table(path, text)
    _, entry, lineup, number, rotation = game["id"].split("/")
    place = f"{entry}/{lineup}/{number}-{rotation}"
    check(path == f"games/{place}.toml", f"the name of {path}")
    check(game["commitment"] == commitment, f"the commitment of {path}")
    field = f"{entry}/{lineup}" if run["packs"] == "own" else entry
    if attempt := voids.get(f"{entry}/{lineup}/{number}"):
        field += f"//{attempt}"
    dealer = uniform(words(seed, "dealer", field, number), len(game["seat"]))
    check(dealer == game["first_dealer"], f"the first dealer of {path}")
    for hand, played in enumerate(game.get("hand", [])):
        for shuffle, pack in enumerate(played["packs"]):
            stream = words(seed, "pack", field, number, hand, shuffle)
            cards = pack.split()
            where = f"{path}: hand {hand}, shuffle {shuffle}"
            check(cards == shuffled(cards, stream), where)
            shuffles += 1
    games += 1
check(games == run["games"], "the number of games")
print(f"{games} games, {shuffles} shuffles: all follow from the seed.")
print(commitment)
