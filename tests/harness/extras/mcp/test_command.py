"""`bowerbird mcp` before it serves anybody."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.extras.mcp.commands.mcp import _require_extra
from bowerbird.harness.extras.mcp.http import read_tokens
from bowerbird.harness.tournament.errors import ConfigError


@pytest.mark.parametrize("library", ["mcp", "hypercorn"])
def test_without_the_extra_one_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    find_spec = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == library else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(InputError) as refused:
        _require_extra()
    said = f"an MCP seat needs the library {library}; install it with: pip install 'bowerbird[mcp]'"
    assert str(refused.value) == said


def _tokens(folder: Path, text: str) -> Path:
    path = folder / "agents.tokens"
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_an_agent_may_have_several_tokens(tmp_path: Path) -> None:
    text = f"# ours\nada {'a' * 32}\n\nbob {'b' * 32}\nada {'c' * 32}\n"
    assert read_tokens(_tokens(tmp_path, text), "x") == {"a" * 32: "ada", "b" * 32: "bob", "c" * 32: "ada"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must have 1 to 64 tokens"),
        ("ada\n", "line 1: must be a name and a token"),
        ("ada s3cret\n", "line 1: the token must have at least 32"),
        (f"ada {'s3cret' * 6}\nbob {'s3cret' * 6}\n", "line 2: this token is already on another line"),
        (f"a/b {'s3cret' * 6}\n", "line 1"),
        (f"ada {'s3crét' * 6}\n", "line 1"),
    ],
)
def test_a_wrong_file_of_tokens_is_refused_without_any_token(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_tokens(_tokens(tmp_path, text), "x")
    assert why in str(refused.value)
    assert "s3cr" not in str(refused.value)
