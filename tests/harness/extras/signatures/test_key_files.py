"""The files of keys: private, strictly read, and never created by looking."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bowerbird.harness.extras.signatures.key_files import (
    KeyFiles,
    keys_folder,
    list_text,
    private_folders,
    read_public_key,
)
from bowerbird.harness.extras.signatures.known_keys import LONGEST_NAME, KnownKeys, Standing
from bowerbird.harness.extras.signatures.public_key import FINGERPRINT, PublicKey
from bowerbird.harness.records.errors import StoreError

ANNA, BOB = PublicKey("a" * 64), PublicKey("b" * 64)


@pytest.fixture
def files(tmp_path: Path) -> KeyFiles:
    return KeyFiles(tmp_path / "config" / "keys")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_key_is_made_on_first_use_and_is_private(files: KeyFiles) -> None:
    assert files.known() == KnownKeys()
    assert not files.folder.exists(), "looking makes nothing"
    old = os.umask(0)
    try:
        key = files.own()
        files.trust(ANNA)
    finally:
        os.umask(old)
    assert (mode(files.folder), mode(files.private), mode(files.list)) == (0o700, 0o600, 0o600)
    assert sorted(each.name for each in files.folder.iterdir()) == ["installation.key", "keys.toml"]
    assert files.own() == files.known().own == key
    assert key.verifies(files.sign(b"text"), b"text")
    assert not key.verifies(files.sign(b"text"), b"other")
    assert FINGERPRINT.fullmatch(key.fingerprint)
    assert PublicKey.parse(key.text) == key


@pytest.mark.parametrize(("name", "open_mode"), [("installation.key", 0o644), ("keys.toml", 0o620), ("", 0o755)])
def test_a_file_that_is_open_to_others_is_refused(files: KeyFiles, name: str, open_mode: int) -> None:
    files.own()
    files.trust(ANNA)
    (files.folder / name).chmod(open_mode)
    with pytest.raises(StoreError, match=rf"other users may read it \(mode {open_mode:04o}\).* with chmod [67]00"):
        files.known()


def test_a_file_of_another_user_is_refused(files: KeyFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    files.own()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StoreError, match="belongs to another user"):
        files.own()


def test_a_link_is_no_key(files: KeyFiles, tmp_path: Path) -> None:
    files.own()
    files.private.rename(tmp_path / "elsewhere")
    files.private.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is not a regular file"):
        files.own()


@pytest.mark.parametrize("text", ["", "x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_damaged_key_is_refused(files: KeyFiles, text: str) -> None:
    files.own()
    files.private.write_text(text)
    with pytest.raises(StoreError, match="must be an Ed25519 key"):
        files.sign(b"")


def test_trust_and_revoke(files: KeyFiles) -> None:
    files.trust(ANNA, "anna")
    known = files.trust(BOB, "bob's")
    assert [known.standing(key) for key in (ANNA, BOB)] == [Standing.TRUSTED] * 2
    assert known.name(ANNA) == f"{ANNA.fingerprint} (anna)"
    assert files.revoke("anna") == files.revoke(ANNA.fingerprint) == ANNA
    assert [files.known().standing(key) for key in (ANNA, BOB)] == [Standing.REVOKED, Standing.TRUSTED]
    with pytest.raises(StoreError, match=r"is revoked; to trust it again, remove its entry from .*keys\.toml"):
        files.trust(ANNA)
    with pytest.raises(StoreError, match=rf"{BOB.fingerprint}.* keys show lists them"):
        files.revoke(BOB.fingerprint[:-1])


def test_an_own_key_that_is_revoked_is_replaced(files: KeyFiles) -> None:
    key = files.own()
    files.revoke(key.fingerprint)
    assert files.known().own is None
    assert files.own() != key
    assert files.known().standing(key) is Standing.REVOKED


@pytest.mark.parametrize("name", [" ", "x" * (LONGEST_NAME + 1), "a\x1b[2J", "a\u202eb", "a\nb"])
def test_a_name_that_would_not_fit_a_terminal_is_refused(files: KeyFiles, name: str) -> None:
    with pytest.raises(StoreError, match="the name of a key"):
        files.trust(ANNA, name)


WRONG_LISTS = {
    "": "'format' is missing",
    'format = "x"': "got format 'x'",
    'format = "bowerbird-keys/1"\ntrustd = []': "unknown key 'trustd'.*trusted",
    'format = "bowerbird-keys/1"\ntrusted = [1]': "lists of tables",
    'format = "bowerbird-keys/1"\n[[trusted]]\nkey = "x"': "a public key is written bowerbird-ed25519:",
    'format = "bowerbird-keys/1"\n[[trusted]]\nkey = 1': "are texts",
    'format = "bowerbird-keys/1"\n[[trusted]]\nkey = "bowerbird-ed25519:12"': "64 hex digits",
    list_text(KnownKeys()) + f'[[trusted]]\nkey = "{ANNA.text}"\n[[revoked]]\nkey = "{ANNA.text}"': "twice",
    list_text(KnownKeys()) + f'[[trusted]]\nkey = "{ANNA.text}"\nname = "\\u001b"': "cannot be printed",
    "\0": "not valid TOML",
}


@pytest.mark.parametrize("text", WRONG_LISTS)
def test_a_wrong_list_is_refused(files: KeyFiles, text: str) -> None:
    files.trust(ANNA)
    files.list.write_text(text)
    with pytest.raises(StoreError, match=WRONG_LISTS[text]) as caught:
        files.known()
    assert "\n" not in str(caught.value)


def test_a_public_key_comes_as_text_or_file(tmp_path: Path) -> None:
    file = tmp_path / "anna.key"
    file.write_text(f"# anna\n{ANNA.text}\n")
    assert read_public_key(str(file)) == read_public_key(ANNA.text) == ANNA
    for text in ("", f"{ANNA.text}\n{BOB.text}\n"):
        file.write_text(text)
        with pytest.raises(StoreError, match="has one line"):
            read_public_key(str(file))
    with pytest.raises(StoreError, match="neither a public key"):
        read_public_key(str(tmp_path / "none"))
    with pytest.raises(StoreError, match="64 hex digits"):
        read_public_key(f"{ANNA.text}0")


def test_the_folder_is_the_users_and_hidden_from_bots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert private_folders() == (keys_folder(),) == (tmp_path / "bowerbird" / "keys",)
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys_folder() == tmp_path / ".config" / "bowerbird" / "keys"


PRIME = 2**255 - 19
"""Of the field of Ed25519 (RFC 8032)."""


def is_of_small_order(key: bytes) -> bool:
    """Return whether eight times the point of a key is the neutral one, by the formulas of RFC 8032, section 5.1."""
    d = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
    y = (int.from_bytes(key, "little") & (2**255 - 1)) % PRIME
    square = (y * y - 1) * pow(d * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    assert (x * x - square) % PRIME == 0, "it is a point"
    for _ in range(3):
        double = d * x * x * y * y
        x, y = (
            2 * x * y * pow(1 + double, PRIME - 2, PRIME) % PRIME,
            (y * y + x * x) * pow(1 - double, PRIME - 2, PRIME) % PRIME,
        )
    return (x, y) == (0, 1)


def test_a_key_under_which_everybody_can_sign_is_refused() -> None:
    """The points of small order, including the forms that are not canonical, with either sign."""
    order_8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    ys = {0, 1, PRIME - 1, PRIME, PRIME + 1}
    ys |= {int.from_bytes(order_8, "little"), PRIME - int.from_bytes(order_8, "little")}
    for y in ys:
        for sign in (0, 1):
            key = (y | sign << 255).to_bytes(32, "little")
            assert is_of_small_order(key)
            with pytest.raises(ValueError, match="anyone can sign"):
                PublicKey(key.hex())


def test_a_key_of_full_order_is_a_key() -> None:
    base = (4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little")
    assert not is_of_small_order(base)
    assert PublicKey(base.hex()).hex == base.hex()
