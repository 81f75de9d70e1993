"""`bowerbird mcp`: an agent at a seat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from bowerbird.harness.extras.mcp.runs import Source

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command(
    "mcp",
    epilog=options.examples(
        "mcp euchre",
        "mcp euchre buck --with pimc --games 10",
        "mcp --invitation ada.env",
        "mcp --listen 127.0.0.1:4713",
    ),
)
@click.argument("variants", metavar="[VARIANT]...", nargs=-1, type=options.VARIANT)
@options.opponents_option
@click.option(
    "--invitation",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Play as a remote bot elsewhere, with the invitation that the organiser sent.",
)
@click.option("--again", is_flag=True, help="With --invitation: connect again after each run, as a league needs.")
@click.option(
    "--listen",
    metavar="ADDRESS:PORT",
    help="Serve agents that have a token over HTTP instead of stdin and stdout. Port 0 picks a free one.",
)
@click.option(
    "--tokens",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --listen: a private file with a line NAME TOKEN for each agent, or several for an agent with several "
    "seats. By default agents.tokens beside the database, which is made for one agent if it is missing.",
)
@click.option("--certificate", type=FILE, metavar="FILE", help="With --listen: the certificate for TLS, in PEM.")
@click.option("--key", type=FILE, metavar="FILE", help="With --listen: its private key, in PEM.")
@click.option(
    "--public-name",
    "public_names",
    multiple=True,
    metavar="NAME",
    help="With --listen: a name that clients use for this host. Repeatable.",
)
@click.option("--name", default="agent", show_default=True, metavar="NAME", help="The agent's name in the records.")
@options.number_option(
    "--games",
    click.IntRange(min=0),
    "How many practice games to play, or with --rated how many deal sets. 0 means no limit.",
    default=0,
)
@click.option(
    "--rated",
    is_flag=True,
    help="Play whole deal sets, which are rated. The agent's partner is greedy, unless the agent has several tokens.",
)
@click.option("--benchmark", is_flag=True, help="Play the benchmark once ('bowerbird benchmark').")
@options.number_option("--sets", click.IntRange(min=1), "With --benchmark: play fewer deal sets, as a trial.")
@options.variant_options
@options.seed_option
@options.number_option(
    "--think",
    click.FloatRange(min=0.01, max=600),
    "The bots' time for a decision.",
    metavar="SECONDS",
    default=1.0,
)
@options.number_option(
    "--bank",
    click.FloatRange(min=1, max=82800),
    "The agent's extra time for each game.",
    metavar="SECONDS",
    default=3600.0,
)
@options.isolation_option
@options.db_option
@options.debug_option
def command(
    *,
    variants: tuple[str, ...],
    opponents: str,
    invitation: Path | None,
    again: bool,
    listen: str | None,
    tokens: Path | None,
    certificate: Path | None,
    key: Path | None,
    public_names: tuple[str, ...],
    name: str,
    games: int,
    rated: bool,
    benchmark: bool,
    sets: int | None,
    set_options: tuple[str, ...],
    seed: str,
    think: float,
    bank: float,
    isolation: str | None,
    db: Path,
) -> None:
    """Let an agent play, over MCP (the protocol by which agents find and use tools).

    The client starts this command and talks to its stdin and stdout, or connects to an address (--listen). The agent
    plays VARIANT, by default euchre, against bundled bots. Each game is recorded in a run agent-VARIANT, which you can
    replay and verify. With --invitation the agent plays as a remote bot in a run or league on another machine.
    """
    from bowerbird.harness.cli.shared.recording import recording_store

    _require_extra()
    from bowerbird.harness.extras.benchmark.terms import benchmark_file
    from bowerbird.harness.extras.mcp.invitation import read_invitation
    from bowerbird.harness.extras.mcp.run_process import AGENT_MANIFEST
    from bowerbird.harness.extras.mcp.runs import Invited, OneRun, Practice

    if benchmark and (variants or set_options or seed or rated or invitation):
        raise click.UsageError("--benchmark has fixed variants and options; leave them out")
    if sets is not None and not benchmark:
        raise click.UsageError("--sets needs --benchmark")
    if invitation is not None and (variants or set_options or seed or rated):
        raise click.UsageError("the run of an invitation has its own variants; leave out VARIANT and its options")
    if again and invitation is None:
        raise click.UsageError("--again needs --invitation")
    if listen is None and (tokens or certificate or key or public_names):
        raise click.UsageError("--tokens, --certificate, --key and --public-name need --listen")
    chosen = {variant: options.checked_variant_options(variant, set_options) for variant in variants or ("euchre",)}
    invited = None if invitation is None else read_invitation(invitation)

    def source_of(agent: str) -> Source:
        if invited is not None:
            return Invited(invited, again=again)
        if benchmark:
            file = benchmark_file(AGENT_MANIFEST, agent, sets=sets, isolation=isolation or "", shared=True)
            return OneRun(file, db)
        return Practice(
            chosen,
            [bot for bot in opponents.split(",") if bot] or ["greedy"],
            db=db,
            agent=agent,
            games=games,
            seed=seed,
            is_rated=rated,
            isolation=isolation or "",
            think_ms=round(think * 1000),
            bank_ms=round(bank * 1000),
        )

    source = source_of(name)
    if invited is None:
        with recording_store(db, quiet=True):
            pass
    if listen is None:
        from bowerbird.harness.extras.mcp.stdio import serve_stdio

        serve_stdio(source)
        return
    _listen(
        listen=listen,
        tokens=tokens or db.parent / "agents.tokens",
        certificate=certificate,
        key=key,
        public_names=public_names,
        name=name,
        source_of=source_of,
        is_for_one=invited is not None,
    )


def _require_extra() -> None:
    """Raise InputError if the extra `mcp` is not installed."""
    from importlib.util import find_spec

    from bowerbird.harness.cli.shared.errors import InputError

    missing = next((name for name in ("mcp", "hypercorn") if find_spec(name) is None), "")
    if missing:
        raise InputError(f"an MCP seat needs the library {missing}; install it with: pip install 'bowerbird[mcp]'")


def _listen(
    *,
    listen: str,
    tokens: Path,
    certificate: Path | None,
    key: Path | None,
    public_names: tuple[str, ...],
    name: str,
    source_of: Callable[[str], Source],
    is_for_one: bool,
) -> None:
    """Serve over HTTP until a signal."""
    import ssl
    import sys

    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.cli.shared.output import echo
    from bowerbird.harness.cli.shared.serving import split_address
    from bowerbird.harness.extras.mcp.http import LOCAL_NAMES, PATH, read_tokens, serve_http
    from bowerbird.harness.extras.serve.server import bound

    address, port = split_address(listen)
    if (certificate is None) != (key is None):
        raise InputError("--certificate and --key need each other")
    if certificate is None and address not in ("127.0.0.1", "::1"):
        raise InputError(
            f"--listen {listen}: tokens would cross the network in plain text; add --certificate and --key, or listen "
            "on 127.0.0.1"
        )
    tls = None
    if certificate is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            tls.load_cert_chain(certificate, key, password="")  # a key with a passphrase is refused; there is no prompt
        except (OSError, ssl.SSLError):
            raise InputError(f"{certificate}: not a certificate and key for TLS; both must be PEM files") from None
    agents = read_tokens(tokens, name)
    if is_for_one and (others := len({*agents.values()}) - 1):
        raise InputError(f"{tokens}: an invitation is for one agent, but {others + 1} have a token")
    try:
        listening = bound(address, port)
    except OSError as error:
        raise InputError(f"--listen {listen}: {error.strerror or error}") from None
    with listening:
        own = f"[{address}]" if ":" in address else address
        names = (*LOCAL_NAMES, own, *public_names)
        shown = public_names[0] if public_names else own
        echo(f"agents connect to {'http' if tls is None else 'https'}://{shown}:{listening.getsockname()[1]}{PATH}")
        echo(f"with a token from {tokens}: Authorization: Bearer TOKEN")
        sys.stdout.flush()
        serve_http(agents, source_of, listening, names, tls)
