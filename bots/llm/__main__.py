"""Plays by a chat model: `python -m bowerbird.bots.llm --base-url URL --model NAME [--key-from VARIABLE] …`."""

import argparse
import os
import sys
from dataclasses import replace

from bowerbird.bots.bridge.network import AnotherHostError, granted_socket
from bowerbird.sdk import run

FALLBACKS = ("resign", "first", "random")


def main() -> None:
    """Play, or end the program with one sentence if an argument is wrong or httpx is not installed."""
    parser = argparse.ArgumentParser(prog="llm", description="A chat model behind an endpoint of OpenAI's form.")
    parser.add_argument("--base-url", required=True, help="up to and without /chat/completions")
    parser.add_argument("--model", required=True, help="the model's name at the endpoint")
    parser.add_argument("--key-from", default="OPENAI_API_KEY", help="the variable that holds the key (%(default)s)")
    parser.add_argument("--fallback", choices=FALLBACKS, default="resign", help="without an answer (%(default)s)")
    parser.add_argument("--question-price", type=float, default=0.0, help="of a million tokens (%(default)s)")
    parser.add_argument("--answer-price", type=float, default=0.0, help="of a million tokens (%(default)s)")
    asked = parser.parse_args()
    if not asked.base_url.startswith(("http://", "https://")):
        parser.error("--base-url must begin with http:// or https://")
    try:
        from bowerbird.bots.llm.endpoint import Endpoint
        from bowerbird.bots.llm.player import LlmBot, Prices
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        sys.exit("httpx is not installed: pip install 'bowerbird[llm]' adds it")
    key = os.environ.get(asked.key_from, "").strip()
    if not (key.isascii() and key.isprintable()):
        sys.exit(f"the key in {asked.key_from} holds characters that no header may have")
    try:
        endpoint = Endpoint(asked.base_url, asked.model, key)
        endpoint = replace(endpoint, socket=granted_socket(*endpoint.place))
    except (ValueError, AnotherHostError) as error:
        parser.error(str(error))
    run(LlmBot(endpoint, asked.fallback, Prices(asked.question_price, asked.answer_price)))


if __name__ == "__main__":
    main()
