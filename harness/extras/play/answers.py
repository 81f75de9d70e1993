"""Answers of the page to play on: their headers, and refusals in a sentence."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def refused(status: int, sentence: str) -> Response:
    """Return a refusal. `sentence` is one, without its full stop."""
    return PlainTextResponse(f"{sentence[:1].upper()}{sentence[1:]}.\n", status, headers=HEADERS)
