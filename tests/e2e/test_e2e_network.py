"""A bot in a sandbox has no network unless it is granted one, and then it reaches one host alone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import OWN
from tests.support.bots.fake_endpoint import GOOD, completion, fake_endpoint
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import block
from tests.support.paths import DOCS

CUP = """
[tournament]
name = "cup"
seed = "networks"
sets = 1
max_hands = 1
isolation = "sandbox"
[time]
per_decision = "30s"
[[variant]]
name = "euchre"
"""
EXPLORER = '''
"""Plays the first action. Before, it tries every way out of its sandbox and prints what it reached."""

import os
import socket

from bowerbird.sdk import Bot, run


def heard(kind, place):
    with socket.socket(kind, socket.SOCK_STREAM) as connection:
        connection.settimeout(10)
        try:
            connection.connect(place)
            return connection.recv(100).decode() or "closed"
        except OSError as error:
            return type(error).__name__


granted, other = (("127.0.0.1", int(os.environ[name])) for name in ("GRANTED", "OTHER"))
print("directly:", heard(socket.AF_INET, granted), flush=True)
print("elsewhere:", heard(socket.AF_INET, other), flush=True)
path = os.environ.get("BOWERBIRD_NETWORK_SOCKET", "")
print("through the socket:", heard(socket.AF_UNIX, path) if path else "none", flush=True)
print("told:", os.environ.get("BOWERBIRD_NETWORK_HOST", "nothing"), flush=True)
print("secret:", os.environ.get("THE_SECRET", "none"), flush=True)


class First(Bot):
    def act(self, decision):
        return 0


run(First())
'''
SECRET = "the value of a secret of this test"


@contextmanager
def host(words: str) -> Iterator[int]:
    """Serve a host on loopback that says something to everybody; yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return  # the test is over
                with connection:
                    connection.sendall(words.encode())

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def explorer(bowerbird: Bowerbird, name: str, granted: int, other: int, asks: str) -> Path:
    """Write a bot that explores; return its folder."""
    folder = bowerbird.folder / "bots" / name
    folder.mkdir(parents=True)
    (folder / "explore.py").write_text(EXPLORER, encoding="utf-8")
    sandbox = f'[sandbox]\nnetwork = "{asks}"\n' if asks else ""
    (folder / "bot.toml").write_text(
        f'name = "{name}"\ncommand = ["{{python}}", "explore.py"]\ntables = 16\n'
        f'[environment]\nGRANTED = "{granted}"\nOTHER = "{other}"\n{sandbox}',
        encoding="utf-8",
    )
    return folder


def entry(folder: Path, lines: str = "") -> str:
    return f'[[bot]]\npath = "{folder}"\n{lines}\n'


def log_of(bowerbird: Bowerbird, bot: str) -> str:
    """Return what the processes of a bot printed."""
    logs = [path for path in bowerbird.folder.rglob(f"{bot}*.log") if "network" not in path.name]
    assert logs, f"there is no log of {bot}"
    return "\n".join(path.read_text(encoding="utf-8") for path in logs)


def test_a_bot_reaches_the_host_that_it_is_granted_and_no_other(
    bowerbird: Bowerbird, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_SECRET", SECRET)
    with host("the granted host") as granted, host("another host") as other:
        target = f"127.0.0.1:{granted}"
        asking = [explorer(bowerbird, name, granted, other, target) for name in ("with", "without")]
        never = explorer(bowerbird, "never", granted, other, "")
        grant = f'network = "{target}"\nsecrets = ["THE_SECRET"]'
        file = bowerbird.tournament(CUP + entry(asking[0], grant) + entry(asking[1]) + entry(never))
        done = bowerbird("tournament", file, "--db", "x.db")
    assert done.returncode == 0, done.stderr
    assert f"bot with may reach only {target}" in done.stderr
    assert f"bot without requests {target}, which [[bot]] does not grant" in done.stderr
    said = log_of(bowerbird, "with-")
    assert "through the socket: the granted host" in said
    assert f"told: {target}" in said
    assert f"secret: {SECRET}" in said
    for name in ("without-", "never-"):
        assert "through the socket: none" in log_of(bowerbird, name)
        assert "told: nothing" in log_of(bowerbird, name)
        assert "secret: none" in log_of(bowerbird, name)
    for name in ("with-", "without-", "never-"):
        assert "directly: the" not in log_of(bowerbird, name)
        assert "elsewhere: another" not in log_of(bowerbird, name)
    assert "unprotected: bot with;" in bowerbird.done("standings", "--db", "x.db")
    with Store.open(bowerbird.folder / "x.db") as store:
        config = store.run(None).row.config
    assert f'packs = "{OWN}"' in config, "games with a bot that can tell others are dealt packs of their own"
    holding = [
        path
        for path in bowerbird.folder.rglob("*")
        if path.is_file() and path.suffix != ".log" and SECRET.encode() in path.read_bytes()
    ]
    assert holding == [], "a secret is in no file but the log of the bot that printed it"


@pytest.mark.parametrize(
    ("asks", "lines", "sentence"),
    [
        ("", 'network = "a.example:1"', "asks for no network in its bot.toml; leave out 'network'"),
        ("a.example:1", 'network = "a.example:2"', "'a.example:1' in its bot.toml, but 'a.example:2' is another"),
        ("*", 'network = "a.example"', "got 'a.example'; must be a host and a port such as"),
        ("*", 'network = "no.invalid:443"', "no.invalid has no address"),
        ("*", 'secrets = ["NOT_SET_ANYWHERE"]', "needs the variable NOT_SET_ANYWHERE, which is not set"),
        ("*", 'secrets = ["BOWERBIRD_TOKEN"]', "got 'BOWERBIRD_TOKEN'; must be"),
        ("nowhere", "", "got 'nowhere'; must be a host and a port such as"),
    ],
)
def test_a_wrong_grant_is_one_sentence_and_nothing_is_played(
    bowerbird: Bowerbird, asks: str, lines: str, sentence: str
) -> None:
    file = bowerbird.tournament(CUP + entry(explorer(bowerbird, "one", 1, 1, asks), lines), bowerbird.bundled("random"))
    assert sentence in bowerbird.refused("tournament", file, "--db", "x.db")
    assert not (bowerbird.folder / "x.db").exists() or bowerbird.json("runs", "--db", "x.db") == []


def test_the_tournament_of_the_page_is_played(bowerbird: Bowerbird, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-test")
    file = bowerbird.folder / "models.toml"
    with fake_endpoint() as endpoint:
        text = block(DOCS / "how-to" / "seat-a-chat-model.md", "toml", "[tournament]")
        text = text.replace("https://models.example.org/v1", endpoint.url).replace("sets = 10", "sets = 1")
        file.write_text(text.replace("models.example.org:443", urlsplit(endpoint.url).netloc), encoding="utf-8")
        done = bowerbird("tournament", file, "--db", "x.db", "--isolation", "sandbox")
    assert done.returncode == 0, done.stderr
    assert {request["model"] for request in endpoint.requests} == {"small-1", "large-1"}
    assert bowerbird.json("matches", "--faults", "--db", "x.db") == []


def test_the_chat_model_passes_every_sentence_of_check_bot(bowerbird: Bowerbird) -> None:
    pytest.importorskip("httpx")
    folder = bowerbird.bundled("llm")
    with fake_endpoint() as endpoint:
        text = (folder / "bot.toml").read_text(encoding="utf-8")
        arguments = f'"bowerbird.bots.llm", "--base-url", "{endpoint.url}", "--model", "m"'
        (folder / "bot.toml").write_text(
            text.replace('"bowerbird.bots.llm"', arguments).replace(
                "tables = 16", 'tables = 1\nvariants = ["two-handed"]'
            ),
            encoding="utf-8",
        )
        done = bowerbird("check-bot", folder, "--isolation", "limits")
    assert done.returncode == 0, done.stdout + done.stderr


def test_models_play_from_their_sandboxes_and_their_key_is_in_no_file(
    bowerbird: Bowerbird, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three models behind one endpoint, with every kind of bad answer."""
    pytest.importorskip("httpx")
    monkeypatch.setenv("MODEL_KEY", SECRET.replace(" ", "-"))
    key = SECRET.replace(" ", "-")
    bad = [
        *((500, b"{}"), (429, b"{}"), (404, b"{}"), (200, b"<html>"), (200, b"{" * 100_000)),
        *((200, completion(text)) for text in ("I pass", '{"action": 99}', None)),
        (200, completion(f'{{"thoughts": "my key is {key}", "action": 1}}')),
        (200, completion(GOOD)),
    ]
    with fake_endpoint() as endpoint:
        endpoint.script[:] = bad
        endpoint.endings.update({12: "cut off", 14: "endless", 17: "late"})
        place = urlsplit(endpoint.url).netloc
        models = "".join(
            f'[[bot]]\npath = "llm"\nname = "{name}"\nnetwork = "{place}"\nsecrets = ["MODEL_KEY"]\n'
            f'arguments = ["--base-url", "{endpoint.url}", "--model", "{name}", "--key-from", "MODEL_KEY", '
            '"--fallback", "first", "--no-probe"]\n'
            for name in ("ada", "bob", "cyd")
        )
        file = bowerbird.folder / "cup.toml"
        file.write_text(CUP.replace("30s", "10s") + models, encoding="utf-8")
        done = bowerbird("tournament", file, "--db", "x.db")
    assert done.returncode == 0, done.stderr
    assert set(endpoint.keys) == {f"Bearer {key}"}
    assert {request["model"] for request in endpoint.requests} == {"ada", "bob", "cyd"}
    assert bowerbird.json("matches", "--faults", "--db", "x.db") == []
    assert "unprotected: bots ada, bob, cyd;" in bowerbird.done("standings", "--db", "x.db")
    bowerbird.done("report", "--db", "x.db", "-o", "report.html")
    with Store.open(bowerbird.folder / "x.db") as store:
        games = store.run(None).game_ids()
    shown = [bowerbird.done("replay", game, "--db", "x.db") for game in games]
    assert any("trump is strong" in text for text in shown), "a replay shows what a model thought"
    assert any("my key is [key]" in text for text in shown)
    noted = " ".join(" ".join(text.split()) for text in shown)
    for failure in ("unparsable", "illegal", "late", "sends more than 1048576 bytes", "status 404"):
        assert failure in noted, f"no note says {failure!r}"
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "run.tar.gz")
    assert key not in done.stdout + done.stderr
    holding = [path for path in bowerbird.folder.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert holding == []
