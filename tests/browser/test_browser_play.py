"""A scripted person plays `bowerbird play --browser` in Chromium; strangers are refused."""

from __future__ import annotations

import http.client
import json
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bowerbird.engine import variant_names
from tests.support.axe import barriers
from tests.support.chromium import Browser, Page
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S

FEW = ("two-handed-straw-men", "seven-handed")
ASKED = "!!document.querySelector('#options button')"
OVER = "!document.getElementById('over').hidden"
BUTTONS = "document.querySelectorAll('#options button')"
CHOICES = "document.getElementById('options').innerHTML"
TOLD = "document.getElementById('hint').textContent"

pytestmark = pytest.mark.toolchain("chromium")


@pytest.fixture
def bowerbird(tmp_path: Path) -> Bowerbird:
    """Return the command in an empty folder."""
    return Bowerbird(tmp_path)


@contextmanager
def _served(bowerbird: Bowerbird, *arguments: str) -> Iterator[str]:
    """Start the command; yield the address of its page. It must end in order, and leave no process."""
    with _printed(bowerbird, "play", *arguments, "--browser", "--db", "x.db") as line:
        yield _address(line)


def _address(line: str) -> str:
    found = re.search(r"http://\S+", line)
    assert found, f"the address is printed: {line!r}"
    return found[0]


@contextmanager
def _printed(bowerbird: Bowerbird, *arguments: str, lines: int = 1) -> Iterator[str]:
    """Start a command; yield the lines that it prints first. It must end in order, and leave no process."""
    process = subprocess.Popen(
        [COMMAND, *arguments],
        cwd=bowerbird.folder,
        env=bowerbird.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield "".join(process.stdout.readline() for _ in range(lines))
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == 0
        assert bowerbird.wait_until_gone() == []
    finally:
        process.kill()
        process.wait(DEADLINE_S)


def _wait(page: Page, condition: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not page.ask(condition):
        assert time.monotonic() < deadline, f"{condition} did not come true: {page.ask('document.body.innerText')}"
        time.sleep(0.05)  # the page says nothing by itself


def _play_out(page: Page, rng: random.Random) -> None:
    """Choose at random until the game is over, without waiting for anybody to look at each step."""
    _hide(page)
    while True:
        _wait(page, f"{ASKED} || {OVER}")
        if page.ask(OVER):
            return
        number = rng.randrange(int(page.ask("document.querySelectorAll('#options button').length")))
        page.ask(f"document.querySelectorAll('#options button')[{number}].click()")


def _hide(page: Page) -> None:
    """Make a tab believe that it is hidden: then no step waits."""
    page.ask("Object.defineProperty(document, 'hidden', {value: true, configurable: true}) && 0")
    page.ask("document.dispatchEvent(new Event('visibilitychange'))")


def _whole_game(browser: Browser, bowerbird: Bowerbird, variant: str, hands: int) -> None:
    with _served(bowerbird, variant, "--option", f"max_hands={hands}") as address:
        page = browser.page(1280, 900)
        page.visit(address)
        _play_out(page, random.Random(variant))
        page.picture(f"play-{variant}")
        assert not page.complaints
        assert page.ask("document.getElementById('hands').innerText"), "the hands are turned over"
        _wait(page, "!document.getElementById('lessons').hidden")
        assert page.ask("[...document.querySelectorAll('#judged details')].every(one => one.querySelector('.bar'))")
        assert page.ask("document.querySelectorAll('#judged .did').length") == page.ask(
            "document.querySelectorAll('#judged details').length"
        )
    assert [run["games"] for run in bowerbird.json("runs", "--db", "x.db")] == [1]
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")


@pytest.mark.parametrize("variant", FEW)
def test_a_person_plays_in_the_browser(browser: Browser, bowerbird: Bowerbird, variant: str) -> None:
    _whole_game(browser, bowerbird, variant, hands=2)


@pytest.mark.long
@pytest.mark.parametrize("variant", sorted(set(variant_names()) - set(FEW)))
def test_a_person_plays_every_variant_in_the_browser(browser: Browser, bowerbird: Bowerbird, variant: str) -> None:
    _whole_game(browser, bowerbird, variant, hands=4)


SEATS = "document.querySelectorAll('#seats select')"


def _set(page: Page, field: str, value: str) -> None:
    """Change a field as a person does."""
    page.ask(f"(one => {{ one.value = {json.dumps(value)}; one.dispatchEvent(new Event('change')); }})({field})")


@pytest.mark.toolchain("npm")
def test_a_table_is_set_on_a_page(browser: Browser, bowerbird: Bowerbird) -> None:
    """The variant, the seats and the options are chosen there; two games at different tables follow one another."""
    with _served(bowerbird) as address:
        page, phone = browser.page(1280, 900), browser.page(390, 844, dark=True)
        for one in (page, phone):
            one.visit(address)
            one.ask("document.querySelector('details').open = true")
            assert barriers(one) == []
            one.picture(f"lobby-{'phone' if one is phone else 'desk'}")
            assert one.ask("document.documentElement.scrollWidth") == (390 if one is phone else 1280)
        _set(page, "document.getElementById('variant')", "dirty-clubs")
        _set(page, "document.querySelector('[data-name=players]')", "6")
        _set(page, "document.querySelector('[data-name=max_hands]')", "1")
        assert page.ask(f"{SEATS}.length") == 6
        _set(page, f"{SEATS}[2]", "human")
        _set(page, f"{SEATS}[5]", "random")
        assert page.ask(f"[...{SEATS}].map(one => one.value)") == [
            "greedy",
            "greedy",
            "human",
            *["greedy"] * 2,
            "random",
        ]
        page.ask("document.getElementById('begin').click()")
        _wait(page, f"document.title.startsWith('Play:') && {ASKED}")
        assert "seat 2" in page.ask("document.getElementById('who').textContent")
        _post(address, "begin", {"variant": "euchre", "options": {}, "bots": ["human"] + ["greedy"] * 3})
        _play_out(page, random.Random(1))
        page.visit(f"{address}table")
        _set(page, "document.getElementById('variant')", "two-handed")
        _set(page, "document.querySelector('[data-name=max_hands]')", "1")
        page.ask("document.getElementById('begin').click()")
        _wait(page, f"location.pathname.endsWith('/') && {ASKED}")
        _play_out(page, random.Random(2))
        assert not page.complaints
    assert sorted(run["name"] for run in bowerbird.json("runs", "--db", "x.db")) == [
        "play-dirty-clubs",
        "play-two-handed",
    ]
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")


THREE = ["greedy"] * 3
WRONG_TABLES: list[tuple[dict[str, object], str]] = [
    ({"variant": "euchr", "bots": []}, "euchr"),
    ({"variant": "euchre", "bots": ["human"] * 4}, "Exactly one seat must be yours."),
    ({"variant": "euchre", "bots": ["greedy"] * 4}, "Exactly one seat must be yours."),
    ({"variant": "euchre", "bots": ["human", "greedy"]}, "Euchre has 4 seats; got 2 bots."),
    ({"variant": "euchre", "bots": ["human", "/bin/sh", "greedy", "greedy"]}, "'/bin/sh' may not sit here"),
    ({"variant": "euchre", "bots": ["human", ["greedy"], 1, None]}, "may not sit here"),
    ({"variant": "euchre", "bots": ["human", *THREE], "options": {"targett": "5"}}, "targett"),
    ({"variant": "euchre", "bots": ["human", *THREE], "options": {"target": "-5"}}, "target"),
    ({"variant": "euchre", "bots": "human"}, "A table has a variant, options and bots."),
    ({}, "A table has a variant, options and bots."),
]


def test_a_table_that_cannot_be_set_is_refused_in_a_sentence(bowerbird: Bowerbird) -> None:
    with _served(bowerbird) as address:
        for wish, sentence in WRONG_TABLES:
            status, text, _ = _post(address, "begin", wish)
            assert (status, sentence in text) == (400, True), f"{wish}: {status} {text}"
    assert not (bowerbird.folder / "x.db").exists() or bowerbird.json("runs", "--db", "x.db") == []


def test_serve_lets_the_browser_of_this_machine_play(browser: Browser, bowerbird: Bowerbird) -> None:
    """The pages show the game when it is over, and the page of the game leads there."""
    with _printed(bowerbird, "serve", "--play", "--listen", "127.0.0.1:0", "--db", "x.db", lines=2) as printed:
        table, pages = map(_address, printed.splitlines())
        page = browser.page(1280, 900)
        page.visit(table)
        _set(page, "document.querySelector('[data-name=max_hands]')", "1")
        page.ask("document.getElementById('begin').click()")
        _wait(page, f"location.pathname.endsWith('/') && {ASKED}")
        _play_out(page, random.Random(3))
        shown = page.ask("document.getElementById('shown').href")
        assert shown.startswith(pages)
        page.visit(shown)
        _wait(page, "document.body.innerText.includes('human')")
        assert urlsplit(table).path.strip("/") not in page.ask("document.documentElement.outerHTML")
        assert not page.complaints


def test_a_second_tab_shows_the_same_game_and_the_first_answer_counts(browser: Browser, bowerbird: Bowerbird) -> None:
    with _served(bowerbird, "euchre", "--seed", "tabs", "--option", "max_hands=1") as address:
        one, other = browser.page(1280, 900), browser.page(390, 844, dark=True)
        for page in (one, other):
            page.visit(address)
            _wait(page, ASKED)
        question = "document.getElementById('options').innerText"
        assert one.ask(question) == other.ask(question)
        assert _post(address, "choose", {"number": 0, "action": "play nonsense"})[0] == 400
        before = other.ask(question)
        one.ask("document.querySelector('#options button').click()")
        _wait(other, f"{OVER} || {question} !== {json.dumps(before)}")
        assert _post(address, "choose", {"number": 0, "action": "pass"})[0] == 409
        assert one.ask("document.documentElement.scrollWidth") == 1280
        assert other.ask("document.documentElement.scrollWidth") == 390
        _play_out(other, random.Random(1))
        _wait(one, OVER)
        one.ask("document.getElementById('same').click()")
        _wait(other, ASKED)
        assert other.ask(question)


@pytest.mark.long
@pytest.mark.toolchain("npm")
def test_a_page_to_play_on_shuts_nobody_out(browser: Browser, bowerbird: Bowerbird) -> None:
    """At the first question, with a hint and a trick told, and at the end; on a phone and a desktop, dark and light."""
    with _served(bowerbird, "euchre", "--seed", "barriers", "--option", "max_hands=1") as address:
        pages = [browser.page(*size, dark=dark) for size in ((1280, 900), (390, 844)) for dark in (False, True)]
        for page in pages:
            page.visit(address)
            _hide(page)
            _wait(page, ASKED)
            assert barriers(page) == []
            page.ask("document.getElementById('trick').click()")
            assert "trick" in page.ask(TOLD)
            assert barriers(page) == []
        assert _hint(pages[0])
        assert barriers(pages[0]) == []
        _play_out(pages[0], random.Random(2))
        for page in pages:
            _wait(page, OVER)
            assert barriers(page) == []


def test_a_hint_names_a_choice_and_marks_it(browser: Browser, bowerbird: Bowerbird) -> None:
    """Each hint of a hand is followed by its key, so that all kinds of question are hinted at."""
    with _served(bowerbird, "euchre", "--seed", "hints", "--option", "max_hands=1") as address:
        page = browser.page(1280, 900)
        page.visit(address)
        _wait(page, ASKED)
        while not page.ask(OVER):
            hint = _hint(page)
            (told,) = page.ask("[...document.querySelectorAll('#options .told')].map(one => +one.dataset.at)")
            choice = page.ask(f"(one => one.title || one.textContent.replace(/^\\d+ /, ''))({BUTTONS}[{told}])")
            assert hint == f"greedy would {choice}."
            before = page.ask(CHOICES)
            page.ask(f"{BUTTONS}[{told}].click()")
            _wait(page, f"{OVER} || ({ASKED} && {CHOICES} !== {json.dumps(before)})")
        assert not page.complaints


def _hint(page: Page) -> str:
    """Ask for a hint by its key; return what is told."""
    page.ask("document.dispatchEvent(new KeyboardEvent('keydown', {key: '?'}))")
    _wait(page, f"{TOLD}.endsWith('.')")
    return str(page.ask(TOLD))


def test_strangers_are_refused(bowerbird: Bowerbird) -> None:
    with _served(bowerbird, "euchre") as address:
        own = urlsplit(address)
        secret = own.path.strip("/")
        assert _get(address, own.path)[0] == 200
        assert _get(address, "/")[0] == 404
        assert _get(address, f"/{secret[:-1]}{'x' if secret[-1] != 'x' else 'y'}/")[0] == 404
        assert _get(address, f"/{secret}/../../etc/passwd")[0] in (400, 404)
        assert _get(address, own.path, Host="evil.example")[0] == 421
        assert _get(address, own.path, Origin="http://evil.example")[0] == 403
        assert _post(address, "choose", {}, Origin="http://evil.example")[0] == 403
        assert _post(address, "choose", {}, Origin="null")[0] == 403
        assert _request(address, "POST", f"{own.path}choose", b"{}", {})[0] == 403, "no Origin at all"
        assert _post(address, "choose", {"more": "x" * 10_000})[0] == 413
        assert _post(address, "choose", [])[0] == 400
        assert _post(address, "another", {"deal": "same"})[0] == 409
        _, text, headers = _get(address, own.path)
        assert secret not in text, "the page does not repeat the secret"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "set-cookie" not in headers


def _get(address: str, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    return _request(address, "GET", path, b"", headers)


def _post(address: str, what: str, wish: object, **headers: str) -> tuple[int, str, dict[str, str]]:
    own = urlsplit(address)
    told = {"Origin": f"http://{own.netloc}", "Content-Type": "application/json", **headers}
    return _request(address, "POST", f"{own.path}{what}", json.dumps(wish).encode(), told)


def _request(
    address: str, method: str, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int, str, dict[str, str]]:
    own = urlsplit(address)
    connection = http.client.HTTPConnection(own.hostname or "", own.port, timeout=DEADLINE_S)
    try:
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()
