"""Plays with a chat model: `python -m bowerbird.bots.llm --base-url URL --model NAME`. --try asks one question."""

import argparse
import json
import math
import os
import sys
from dataclasses import replace

from bowerbird.bots.bridge.network import AnotherHostError, granted_socket
from bowerbird.bots.llm.budget import Budget, Limits, Prices
from bowerbird.bots.llm.request import FORMS, SCHEMA, ExtraBodyError, Wishes
from bowerbird.sdk import run

FALLBACKS = ("resign", "first", "random")


def main() -> None:
    """Play, or exit with a sentence if an argument is wrong or httpx is not installed."""
    parser = _parser()
    asked = parser.parse_args()
    if not asked.base_url.startswith(("http://", "https://")):
        parser.error("--base-url must begin with http:// or https://")
    prices = Prices(asked.question_price, asked.answer_price)
    if asked.max_cost is not None and prices == Prices():
        parser.error("--max-cost needs --question-price or --answer-price")
    try:
        from bowerbird.bots.llm.endpoint import PROBE_S, Endpoint
        from bowerbird.bots.llm.player import LlmBot
        from bowerbird.bots.llm.trial import try_one
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        sys.exit("httpx is not installed: pip install 'bowerbird[llm]' adds it")
    key = os.environ.get(asked.key_from, "").strip()
    if not (key.isascii() and key.isprintable()):
        sys.exit(f"the key in {asked.key_from} has characters that are not allowed in a header")
    try:
        endpoint = Endpoint(asked.base_url, asked.model, key, wishes=Wishes(asked.form, asked.extra_body))
        endpoint = replace(endpoint, socket=granted_socket(*endpoint.place))
    except (ValueError, AnotherHostError) as error:
        parser.error(str(error))
    budget = Budget(prices, Limits(asked.max_tokens, asked.max_cost))
    secrets = (os.environ.get("BOWERBIRD_TOKEN", ""),)
    if asked.try_one is not None:
        sys.exit(try_one(endpoint, budget, asked.try_one, secrets))
    run(LlmBot(endpoint, asked.fallback, budget, probe_s=0 if asked.no_probe else PROBE_S, secrets=secrets))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="llm", description="A chat model behind an endpoint of OpenAI's form.")
    add = parser.add_argument
    add("--base-url", required=True, help="up to and without /chat/completions")
    add("--model", required=True, help="the model's name at the endpoint")
    add(
        "--key-from",
        default="OPENAI_API_KEY",
        metavar="NAME",
        help="the environment variable with the key (%(default)s)",
    )
    add("--fallback", choices=FALLBACKS, default="resign", help="without an answer (%(default)s)")
    add("--form", choices=FORMS, default=SCHEMA, help="how to request the form of the answer (%(default)s)")
    add(
        "--extra-body", type=_object, metavar="JSON", help="more fields of each request, such as '{\"temperature\": 0}'"
    )
    add("--question-price", type=_amount, default=0.0, metavar="PRICE", help="of a million tokens (%(default)s)")
    add("--answer-price", type=_amount, default=0.0, metavar="PRICE", help="of a million tokens (%(default)s)")
    add("--max-tokens", type=_tokens, metavar="N", help="use the fallback once a process has used this many tokens")
    add("--max-cost", type=_amount, metavar="MONEY", help="use the fallback once a process has spent this much")
    add("--no-probe", action="store_true", help="play without asking one short question first")
    add(
        "--try",
        dest="try_one",
        nargs="?",
        const="euchre",
        metavar="VARIANT",
        help="ask one question of a game (euchre), show the request, the answer, its reading and the price, and end",
    )
    return parser


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
        if not isinstance(found, dict):
            raise argparse.ArgumentTypeError("must be a JSON object, such as '{\"temperature\": 0}'")
        Wishes(extra=found)
    except ExtraBodyError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(
            f"must be a JSON object, such as '{{\"temperature\": 0}}' ({error})"
        ) from error
    return found


def _amount(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"must be a number from 0 (got {text})")
    return value


def _tokens(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 (got {text})")
    return value


if __name__ == "__main__":
    main()
