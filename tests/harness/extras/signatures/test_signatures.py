"""Signed archives: every change of one is refused by name (notation.md, Signature of an archive)."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.engine import RecordError
from bowerbird.harness.extras.signatures.key_files import KeyFiles
from bowerbird.harness.extras.signatures.public_key import PublicKey
from bowerbird.harness.extras.signatures.signature import check_members
from bowerbird.harness.extras.signatures.vouching import UserKeys, known_keys, own_signer, signer_of
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import open_archive, write_archive
from bowerbird.harness.records.archive.merge import Merged, merge_run, verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.members import MOST_BLOCKS, MemberDigests
from bowerbird.harness.records.vouching import NotSignedError, SignatureError, Vouchers
from tests.support.records.archives import content, exported, imported
from tests.support.records.stored_runs import MACHINE, store_run

Members = list[tuple[str, bytes]]
Change = Callable[[Members], Members]

RUN, CONFIG, SIGNATURE = "run.toml", "config.toml", "signature.toml"


def members_of(path: Path) -> Members:
    with tarfile.open(path) as tar:
        found = []
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None
            found.append((member.name, file.read()))
        return found


def packed(path: Path, members: Members) -> Path:
    with gzip.GzipFile(path, "wb", mtime=0) as file, tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def sealed(body: str) -> bytes:
    """Return a string with a digest of its own that fits, as anyone who changes a string would write it."""
    body = body.partition("[integrity]\n")[0]
    return f'{body}[integrity]\nsha256 = "{hashlib.sha256(body.encode()).hexdigest()}"\n'.encode()


def line(member: str, pattern: str, text: str) -> Change:
    """Return a function that replaces a line of the first member whose name ends like this, and the member's own
    digest."""

    def change(members: Members) -> Members:
        for place, (name, data) in enumerate(members):
            after, count = re.subn(pattern, text, data.decode(), count=1, flags=re.MULTILINE)
            if name.endswith(member) and count:
                changed = sealed(after) if "[integrity]\n" in after else after.encode()
                return [*members[:place], (name, changed), *members[place + 1 :]]
        raise AssertionError(f"{member} has no {pattern}")

    return change


def config(members: Members) -> Members:
    """Change the tournament file, and its digest in run.toml."""
    text = b"[tournament]\nrounds = 2\n"
    digest = hashlib.sha256(text).hexdigest()
    members = line(RUN, "^config_sha256 = .*$", f'config_sha256 = "{digest}"')(members)
    return [(name, text if name == CONFIG else data) for name, data in members]


def without_stories(members: Members) -> Members:
    members = line(RUN, r"^stories = \d+\n", "")(members)
    return [(name, data) for name, data in members if not name.endswith(".stories.toml")]


def without_last_set(members: Members) -> Members:
    """Remove a whole deal set, and say so in run.toml."""
    games = [name for name, _ in members if name.startswith("games/") and not name.endswith(".stories.toml")]
    last = games[-1].rpartition("-")[0]
    gone = [name for name in games if name.startswith(f"{last}-")]
    members = line(RUN, "^games = .*$", f"games = {len(games) - len(gone)}")(members)
    return [(name, data) for name, data in members if name not in gone]


def in_signature(pattern: str, text: str) -> Change:
    def change(members: Members) -> Members:
        name, data = members[-1]
        after, count = re.subn(pattern, text, data.decode(), count=1, flags=re.MULTILINE)
        assert count, f"{name} has no {pattern}"
        return [*members[:-1], (name, after.encode())]

    return change


OTHER_KEY = PublicKey("7" * 64)
ZERO = "0" * 64

CHANGES: dict[str, Change] = {
    "name": line(RUN, "^name = .*$", 'name = "other"'),
    "label": line(RUN, "^label = .*$", 'label = "other"'),
    "no label": line(RUN, "^label = .*\n", ""),
    "practice": line(RUN, "^practice = false", "practice = true"),
    "packs": line(RUN, '^packs = "common"', 'packs = "own"'),
    "beacon": line(RUN, "^(packs = .*)$", '\\1\nbeacon = "drand 1"'),
    "sets after the seed": line(RUN, "^sets_after_seed = .*\n", ""),
    "seed": line(RUN, "^seed = .*\n", ""),
    "commitment": line(RUN, '^commitment = "sha256:....', 'commitment = "sha256:0000'),
    "engine": line(RUN, "^engine = .*$", 'engine = "9.9"'),
    "rules": line(RUN, "^rules = .*$", 'rules = "9.9"'),
    "started": line(RUN, '^started = "....', 'started = "1999'),
    "ended": line(RUN, '^ended = "....', 'ended = "2999'),
    "stopped": line(RUN, "^(ended = .*)$", '\\1\nstopped = "a stop rule"'),
    "config": config,
    "games": line(RUN, "^games = .*$", "games = 1"),
    "stories": without_stories,
    "version of a bot": line(RUN, '^version = "1.0"$', 'version = "1.1"'),
    "author of a bot": line(RUN, "^author = .*$", 'author = "mallory"'),
    "processor time": line(RUN, "^cpu_ms = .*$", "cpu_ms = 1"),
    "processes": line(RUN, "^processes = .*$", "processes = 1"),
    "machine": line(RUN, "^cpu = .*$", 'cpu = "other"'),
    "speed": line(RUN, "^speed = .*$", "speed = 1"),
    "a void": line(
        RUN,
        r"^(\[\[cpu\]\])",
        '[[void]]\nentry = "euchre-0"\nlineup = "ann+bob"\nset = 9\nattempt = 0\n'
        'bots = ["ann"]\nwhy = "a stall"\nsaved = "2026-01-01T00:00:00.000+00:00"\n\n\\1',
    ),
    "a place": line(RUN, r"^(\[integrity\])", '[[place]]\nplace = 1\nbot = "bob"\n\n\\1'),
    "a match": line(RUN, r"^(\[integrity\])", '[[match]]\nround = 1\ntitle = "final"\nbot = "bob"\n\n\\1'),
    "a time in a record": line("-0.toml", r"^ms = \[\d+", "ms = [4"),
    "a story": line(".stories.toml", "^how_ended = .*$", 'how_ended = "of itself"'),
    "a deal set left out": without_last_set,
    "the order": lambda members: [*members[:2], members[3], members[2], *members[4:]],
    "key": in_signature("^key = .*$", f'key = "{OTHER_KEY.text}"'),
    "when it was signed": in_signature('^signed = "....', 'signed = "1999'),
    "who signed": in_signature("^by = .*$", 'by = "9.9"'),
    "number of members": in_signature("^members = .*$", "members = 3"),
    "digest of all": in_signature("^sha256 = .*$", f'sha256 = "{ZERO}"'),
    "size of blocks": in_signature("^block_size = 1$", "block_size = 2"),
    "digest of a block": in_signature('^    "[0-9a-f]{64}",$', f'    "{ZERO}",'),
    "signature": in_signature('^signature = "..', 'signature = "00'),
    "algorithm": in_signature("^algorithm = .*$", 'algorithm = "none"'),
    "format": in_signature("^format = .*$", 'format = "bowerbird-signature/0"'),
    "a comment": in_signature("^(key = .*)$", "\\1 # x"),
    "a file after it": lambda members: [*members[:-2], members[-1], members[-2]],
}
"""What somebody changes in a signed archive, with every digest except the signed ones."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a database `here.db` of one run, its signed archive `run.tar.gz`, and the keys of `anna`."""
    folder = tmp_path_factory.mktemp("signed")
    path = folder / "here.db"
    run = store_run(path, variants=("euchre",), sets=range(2), faulty=range(1), machine=MACHINE)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET label = 'spring', sets_after_seed = 1")
    with Store.open(path) as store:
        write_archive(store[run], folder / "run.tar.gz", sign=own_signer(KeyFiles(folder / "anna")).sign)
        write_archive(store[run], folder / "unsigned.tar.gz")
    return folder


def keys_of(folder: Path) -> PublicKey:
    return KeyFiles(folder / "anna").own()


def taken_in(path: Path, file: Path, keys: UserKeys | None = None) -> Merged:
    with Store.create(path) as store, open_archive(file) as archive:
        return merge_run(store, archive, digest_of, keys=keys)


def counts(path: Path, files: KeyFiles) -> bool:
    """Return whether `standings --all` counts the only run of a store."""
    with Store.open(path) as store:
        return Vouchers(known_keys(files)).of(store.run()).trusted


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_archive_is_refused_by_name(folder: Path, tmp_path: Path, what: str) -> None:
    changed = packed(tmp_path / "changed.tar.gz", CHANGES[what](members_of(folder / "run.tar.gz")))
    with pytest.raises((StoreError, RecordError)) as caught:
        taken_in(tmp_path / "there.db", changed)
    said = str(caught.value)
    assert said.startswith(str(changed))
    assert re.search(r"(run|config|signature)\.toml|games/|game [0-9a-f]{10}/", said), said
    with Store.open(tmp_path / "there.db") as store:
        assert not store.runs()


SILENT = (
    "label",
    "no label",
    "practice",
    "sets after the seed",
    "seed",
    "engine",
    "started",
    "ended",
    "stopped",
    "config",
    "author of a bot",
    "processor time",
    "processes",
    "machine",
    "speed",
    "a time in a record",
    "a story",
)
"""Changes that fit the rest of an archive, so that only its signature tells."""


@pytest.mark.parametrize("what", SILENT)
def test_only_the_signature_tells_of_these(folder: Path, tmp_path: Path, what: str) -> None:
    """Without it they are imported: these changes are what a signature is for."""
    members = CHANGES[what](members_of(folder / "run.tar.gz"))
    assert taken_in(tmp_path / "there.db", packed(tmp_path / "x.tar.gz", members[:-1])).new
    with pytest.raises(RecordError, match=r"after the archive was signed"):
        taken_in(tmp_path / "other.db", packed(tmp_path / "y.tar.gz", members))


def test_there_are_thirty_changes() -> None:
    assert len(CHANGES) >= 30


def test_the_member_that_differs_is_named(folder: Path, tmp_path: Path) -> None:
    changed = packed(tmp_path / "x.tar.gz", CHANGES["a time in a record"](members_of(folder / "run.tar.gz")))
    with pytest.raises(RecordError, match=r"x\.tar\.gz: games/euchre-0/ann\+bob/\d+-0\.toml: it was changed, added"):
        taken_in(tmp_path / "there.db", changed)
    verified = verify_archive(changed, digest_of)
    assert verified.games == 6
    assert [each.where.startswith("games/") for each in verified.differences] == [True]


def test_whoever_trusts_the_key_counts_the_run_and_another_does_not(folder: Path, tmp_path: Path) -> None:
    key = keys_of(folder)
    second, third = KeyFiles(tmp_path / "second"), KeyFiles(tmp_path / "third")
    second.trust(key, "anna")
    for name, files in (("second.db", second), ("third.db", third)):
        assert taken_in(tmp_path / name, folder / "run.tar.gz", known_keys(files)).signed_by == key.hex
    assert counts(tmp_path / "second.db", second)
    assert not counts(tmp_path / "third.db", third)
    assert counts(folder / "here.db", third), "it was played here"
    third.trust(key)
    assert counts(tmp_path / "third.db", third), "trust counts for what was imported before"
    third.revoke(key.fingerprint)
    assert not counts(tmp_path / "third.db", third)


def test_an_unsigned_archive_counts_for_nobody_until_a_signed_one_comes(folder: Path, tmp_path: Path) -> None:
    path, files = tmp_path / "there.db", KeyFiles(tmp_path / "keys")
    files.trust(keys_of(folder))
    taken_in(path, folder / "unsigned.tar.gz", known_keys(files))
    assert not counts(path, files)
    taken_in(path, folder / "run.tar.gz", known_keys(files))
    assert counts(path, files)
    taken_in(path, folder / "unsigned.tar.gz", known_keys(files))
    assert counts(path, files), "it added nothing"


def test_a_run_that_counts_takes_in_no_games_that_nobody_vouches_for(tmp_path: Path) -> None:
    """A part of the run was played here, and the other part comes with an unsigned archive."""
    here, there, files = tmp_path / "here.db", tmp_path / "there.db", KeyFiles(tmp_path / "keys")
    run = store_run(here, variants=("euchre",), sets=range(1))
    store_run(there, variants=("euchre",), sets=range(2))
    more, before = exported(there, run), content(here)
    with pytest.raises(StoreError, match=r"it adds 2 new games to run .* played here, but it is unsigned; --untrusted"):
        taken_in(here, more)
    assert content(here) == before
    assert counts(here, files)
    imported(here, more)  # on request
    assert not counts(here, files)


def test_another_key_adds_nothing_to_a_run_that_a_trusted_key_signed(tmp_path: Path) -> None:
    path, files, other = tmp_path / "there.db", KeyFiles(tmp_path / "keys"), KeyFiles(tmp_path / "mallory")
    anna = KeyFiles(tmp_path / "anna")
    files.trust(anna.own())
    for name, sets, signing in (("one", 1, anna), ("two", 2, other), ("three", 2, anna)):
        run = store_run(tmp_path / f"{name}.db", variants=("euchre",), sets=range(sets))
        with Store.open(tmp_path / f"{name}.db") as store:
            write_archive(store[run], tmp_path / f"{name}.tar.gz", sign=own_signer(signing).sign)
    taken_in(path, tmp_path / "one.tar.gz", known_keys(files))
    with pytest.raises(StoreError, match=f"a key that you trust, but it is signed with .* {other.own().fingerprint}"):
        taken_in(path, tmp_path / "two.tar.gz", known_keys(files))
    assert taken_in(path, tmp_path / "three.tar.gz", known_keys(files)).new == 2
    assert counts(path, files)


def test_an_unsigned_archive_does_not_end_a_run_that_was_begun_here(tmp_path: Path) -> None:
    """Otherwise it could no longer be resumed or corrected here."""
    path = tmp_path / "here.db"
    run = store_run(path, variants=("euchre",), sets=range(1), end=False)
    members = line(RUN, "^(config_sha256 = .*)$", 'ended = "2999-01-01T00:00:00.000+00:00"\n\\1')
    forged = packed(tmp_path / "x.tar.gz", members(members_of(exported(path, run))))
    with pytest.raises(StoreError, match=r"it adds another state to run .*, which was played here"):
        taken_in(path, forged)
    with Store.open(path) as store:
        assert store.run().row.ended is None
        assert not store[run].origins()


def test_a_revoked_key_is_refused(folder: Path, tmp_path: Path) -> None:
    files, key = KeyFiles(tmp_path / "keys"), keys_of(folder)
    files.revoke(key.text)
    with pytest.raises(StoreError, match=f"signed with key {key.fingerprint}, which is revoked; ask whoever played"):
        taken_in(tmp_path / "there.db", folder / "run.tar.gz", known_keys(files))
    with Store.open(tmp_path / "there.db") as store:
        assert not store.runs()


def test_a_run_keeps_its_signature_when_it_is_passed_on(folder: Path, tmp_path: Path) -> None:
    path, files = tmp_path / "there.db", KeyFiles(tmp_path / "keys")
    taken_in(path, folder / "run.tar.gz")
    with Store.open(path) as store:
        run = store.run()
        write_archive(run, tmp_path / "again.tar.gz", sign=signer_of(run, files).sign)
    assert (tmp_path / "again.tar.gz").read_bytes() == (folder / "run.tar.gz").read_bytes()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET label = 'renamed'")
    with Store.open(path) as store, pytest.raises(NotSignedError, match="changed after it was imported"):
        write_archive(store.run(), tmp_path / "other.tar.gz", sign=signer_of(store.run(), files).sign)
    assert not (tmp_path / "other.tar.gz").exists()


def test_what_was_imported_unsigned_is_not_signed_here(folder: Path, tmp_path: Path) -> None:
    """Neither with a key, nor before there is one."""
    path, files = tmp_path / "there.db", KeyFiles(tmp_path / "keys")
    taken_in(path, folder / "unsigned.tar.gz")
    for _ in range(2):
        with Store.open(path) as store, pytest.raises(NotSignedError, match="it was imported unsigned; ask for"):
            signer_of(store.run(), files)
        files.own()


def test_a_run_whose_bots_could_read_the_key_is_not_signed(folder: Path, tmp_path: Path) -> None:
    files = KeyFiles(tmp_path / "keys")
    with (
        Store.open(folder / "here.db") as store,
        pytest.raises(NotSignedError, match=r"could read the key .* --isolation sandbox"),
    ):
        signer_of(store.run(), files)
    assert not files.folder.exists(), "no key is made for it"


@pytest.mark.parametrize("members", [1, 2, 3, 2 * MOST_BLOCKS, 2 * MOST_BLOCKS + 1, 5000])
def test_blocks_stay_few_and_name_what_differs(members: int) -> None:
    def digests_of(changed: int | None = None) -> MemberDigests:
        digests = MemberDigests()
        for number in range(members):
            if number == 2:
                digests.expect((members - 1) // 2)
            digests.add(str(number), b"x" if number == changed else b"")
        return digests

    signed = digests_of().digests()
    assert signed.members == members
    assert len(signed.blocks) <= MOST_BLOCKS + 2
    check_members(digests_of(), signed)
    last = members - 1
    with pytest.raises(SignatureError) as caught:
        check_members(digests_of(last), signed)
    first, _, end = caught.value.member.partition(" to ")
    assert int(first) <= last <= int(end or first)


def test_the_digest_can_be_computed_with_a_shell(folder: Path) -> None:
    """notation.md: the digest covers a domain line and the lines that `sha256sum` prints."""
    *members, (_, text) = members_of(folder / "run.tar.gz")
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in members)
    digest = hashlib.sha256(f"bowerbird-archive-members/1\n{lines}".encode()).hexdigest()
    assert f'sha256 = "{digest}"\n' in text.decode()


@pytest.mark.parametrize("games", [1, 85, 86, 128, 1000])
def test_blocks_have_room_for_the_notes_of_each_game(games: int) -> None:
    """notation.md: every block but the last has `block_size` members, also if each game has three."""
    digests = MemberDigests()
    digests.expect(games, with_notes=True)
    for number in range(2 + 3 * games):
        digests.add(str(number), b"")
    found = digests.digests()
    assert len(found.blocks) == 2 + -(-3 * games // found.block_size) <= MOST_BLOCKS + 2
    without = MemberDigests()
    without.expect(games)
    assert without.digests().block_size == min(size for size in (1, 2, 4, 8) if size * MOST_BLOCKS >= 2 * games)
