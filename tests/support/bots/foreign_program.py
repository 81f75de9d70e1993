"""A program that speaks JSON lines to `bowerbird.bots.stdio` and has one defect, named by its argument."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
MEGABYTE = 1 << 20
LAST_WORDS = "Traceback: the engine lost its way"


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def words(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def for_ever() -> None:
    while True:
        time.sleep(60)


def start() -> None:
    """Act before the first message is answered."""
    match MODE:
        case "dies at start":
            words(f"{LAST_WORDS}\n")
            sys.exit(3)
        case "never ready":
            for_ever()
        case "not ready":
            say('{"ready": "soon"}\n')
        case "leaves a child":
            subprocess.Popen(["sleep", "1000"])
        case "ignores the end":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)


def act() -> None:
    """Do what the mode does before it answers a decision."""
    match MODE:
        case "dies":
            words(f"{LAST_WORDS}\n")
            sys.exit(3)
        case "is killed":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leaves with 0":
            sys.exit(0)
        case "closes stdout":
            os.close(1)
            for_ever()
        case "nothing":
            for_ever()
        case "half a line":
            say('{"id"')
            for_ever()
        case "floods stderr":
            words("noise " * MEGABYTE)


def reply(number: int, token: str) -> str:
    """Return the answer to a decision."""
    answers: dict[str, object] = {
        "a list": [0],
        "another id": {"id": number + 1, "action": token},
        "no action": {"id": number, "move": token},
        "illegal": {"id": number, "action": "play 2x"},
        "a long token": {"id": number, "action": "\ud800" * 10_000},
        "resigns": {"id": number, "resign": True},
        "a long note": {"id": number, "action": token, "note": "é" * 10_000},
    }
    texts = {"garbage": "\x1b[31mbest move\u202e: pass", "nested": "[" * 60_000, "a megabyte": "x" * MEGABYTE}
    return texts.get(MODE) or json.dumps(answers.get(MODE, {"id": number, "action": token, "note": "first"}))


start()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say('{"ready": true}\n')
    elif message["type"] == "decision":
        act()
        say(reply(message["id"], message["legal"][0]) + "\n")
    elif MODE == "answers all":
        say('{"ok": true}\n')
if MODE == "ignores the end":
    for_ever()
