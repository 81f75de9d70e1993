"""`bowerbird rate FILE`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import print_json, print_lines

if TYPE_CHECKING:
    from bowerbird.harness.extras.rate.counts import CountedStrength
    from bowerbird.harness.extras.rate.outside_games import OutsideGames
    from bowerbird.harness.extras.rate.outside_ratings import OutsideRatings
    from bowerbird.harness.ratings.sequential.sprt import Hypotheses, SequentialDecision, Strength

MOST_BYTES = 1 << 30
"""The maximum size of a file."""


@click.command(
    "rate",
    epilog=examples(
        "rate games.pgn",
        "rate results.csv --columns first,second,score --anchor stockfish",
        "rate games.pgn --sprt new old --elo0 0 --elo1 5",
        "rate --penta 34,54,63,64,75 --elo1 5 --normalised",
    ),
)
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--columns",
    default="white,black,result",
    show_default=True,
    metavar="A,B,C",
    help="The CSV columns with the first player, the second player and the first player's result.",
)
@click.option("--pairs", "in_pairs", is_flag=True, help="Count each game and the next, with sides swapped, as one set.")
@click.option(
    "--anchor",
    metavar="PLAYER",
    default="",
    help="The player whose rating is 0. By default the mean of all players is 0.",
)
@click.option("--plain", is_flag=True, help="Don't correct the bias of few games, for comparison with other programs.")
@click.option("--full", is_flag=True, help="Also show the likelihoods of superiority and the error of each difference.")
@click.option("--sprt", nargs=2, metavar="A B", help="Test whether A is stronger than B, from their games in order.")
@click.option("--wld", metavar="W,L,D", help="Rate counts instead of a file: games won, lost and drawn.")
@click.option(
    "--penta", metavar="A,B,C,D,E", help="Rate counts of mirrored pairs of games, from both lost to both won."
)
@click.option(
    "--elo0", type=float, metavar="ELO", default=0.0, show_default=True, help="H0: A is stronger by this much, in Elo."
)
@click.option(
    "--elo1", type=float, metavar="ELO", default=10.0, show_default=True, help="H1: A is stronger by this much, in Elo."
)
@click.option(
    "--alpha",
    type=float,
    metavar="P",
    default=0.05,
    show_default=True,
    help="The probability of accepting H1 if H0 is true.",
)
@click.option(
    "--beta",
    type=float,
    metavar="P",
    default=0.05,
    show_default=True,
    help="The probability of accepting H0 if H1 is true.",
)
@click.option("--normalised", is_flag=True, help="Read --elo0 and --elo1 as normalised Elo.")
@json_option
@debug_option
def command(
    *,
    file: Path | None,
    columns: str,
    in_pairs: bool,
    anchor: str,
    plain: bool,
    full: bool,
    sprt: tuple[str, str] | None,
    wld: str | None,
    penta: str | None,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    normalised: bool,
    as_json: bool,
) -> None:
    """Rate another program's results: FILE (PGN or CSV) or counts.

    Ratings, errors and ranks are computed as in 'bowerbird standings', from single games. FILE may be - for stdin. In
    PGN only the tags White, Black and Result are read.
    """
    from bowerbird.harness.extras.rate.counts import PENTA, WLD, read_counts, strength_of_counts
    from bowerbird.harness.extras.rate.outside_games import read_games
    from bowerbird.harness.extras.rate.outside_ratings import rate_games, values_between
    from bowerbird.harness.ratings.sequential.sprt import Hypotheses, decide, strength_of

    if sum(one is not None for one in (file, wld, penta)) != 1:
        raise InputError("rate needs exactly one of FILE, --wld and --penta")
    hypotheses = Hypotheses(elo0, elo1, alpha, beta, normalised)
    if file is None:
        form, text = (WLD, wld) if wld is not None else (PENTA, penta)
        counted = strength_of_counts(form, read_counts(form, text or ""), hypotheses)
        if as_json:
            print_json(_counted_document(counted, hypotheses))
        else:
            print_lines(_counted_lines(counted, hypotheses))
        return
    named = [column.strip() for column in columns.split(",")]
    if len(named) != 3 or not all(named) or len({*named}) != 3:
        raise InputError(f"--columns {columns!r} must be three names separated by commas, such as white,black,result")
    found = read_games(_text_of(file), "stdin" if str(file) == "-" else str(file), named)
    rated = rate_games(found.games, anchor=anchor, in_pairs=in_pairs, reduce_bias=not plain)
    tested = None
    if sprt is not None:
        values = values_between(found.games, *sprt, in_pairs=in_pairs)
        tested = decide(values, hypotheses), strength_of(values)
    if as_json:
        document = _document(found, rated)
        if tested is not None:
            document["sprt"] = {**_decision_document(tested[0]), "strength": _strength_document(tested[1])}
        print_json(document)
        return
    print_lines(_lines(found, rated, full=full))
    if sprt is not None and tested is not None:
        print_lines(["", *_sprt_lines(sprt, tested[0], tested[1], hypotheses)])


def _text_of(file: Path) -> str:
    """Return the text of a file, or of stdin for "-". Bytes that are not UTF-8 are read as Latin-1, as PGN requires."""
    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1) if str(file) == "-" else _bytes_of(file)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{file} is larger than {MOST_BYTES >> 20} MiB")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _bytes_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MOST_BYTES + 1)


def _lines(found: OutsideGames, rated: OutsideRatings, *, full: bool) -> list[str]:
    from bowerbird.engine import counted
    from bowerbird.harness.cli.display.full_tables import likelihood_lines, square_table
    from bowerbird.harness.cli.shared.output import Column, output_width, table
    from bowerbird.harness.ratings.standings.text.cells import elo_text, interval_text, percent_text, rank_text
    from bowerbird.harness.ratings.standings.text.sentences import rank_notes, undecided_text

    listed, width = rated.listed, output_width()
    rows = [
        [
            rank_text(line),
            line.bot,
            elo_text(line.rating),
            interval_text(line.rating),
            percent_text(line.ahead),
            percent_text(rated.score[line.bot]),
            str(rated.played[line.bot]),
        ]
        for line in listed.lines
    ]
    columns = [
        Column("#", right=True),
        Column("player", cut=True),
        *(Column(title, right=True) for title in ("Elo", "95%", "LOS", "score", "games")),
    ]
    lines = [
        f"{counted(len(found.games), 'game')} of {counted(len(listed.lines), 'player')}",
        *found.remarks,
        "",
        *table(columns, rows, width),
        "",
        listed.sentence,
        f"the first player of a game is {rated.first:+.0f} Elo better",
        *filter(None, [undecided_text(listed, width).replace(" deal set", " game")]),
        *rank_notes(listed),
        *listed.remarks,
    ]
    if not full:
        return lines
    errors = {
        (one, other): float(rated.errors[row, column])
        for row, one in enumerate(rated.players)
        for column, other in enumerate(rated.players)
    }
    title = "standard errors of the differences in Elo"
    order = [line.bot for line in listed.lines]
    return [
        *lines,
        "",
        *likelihood_lines(listed, width),
        title,
        *square_table("error", order, errors, width, (_whole, _whole)),
    ]


def _whole(error: float | None) -> str:
    """Return a standard error as a whole number, or `-` if it is not known."""
    return "-" if error is None or not math.isfinite(error) else str(round(error))


def _sprt_lines(
    bots: tuple[str, str], decision: SequentialDecision, strength: Strength | None, hypotheses: Hypotheses
) -> list[str]:
    one, other = bots
    taken = f"{decision.accepted}: {hypotheses.conclusion(decision.accepted, one, other)}" if decision.accepted else ""
    return [
        f"{one} against {other}: {taken or 'not decided'}",
        f"LLR {decision.llr:.2f} ({decision.lower:.2f} to {decision.upper:.2f}) after {decision.sets} results",
        *_strength_lines(strength),
    ]


def _strength_lines(strength: Strength | None) -> list[str]:
    from bowerbird.harness.ratings.standings.text.cells import interval_text, percent_text

    if strength is None:
        return ["all results are equal, or there is only one, so no strength can be estimated"]
    lines = []
    for name, one in (("Elo", strength.elo), ("normalised Elo", strength.normalised)):
        if one is not None:
            lines.append(f"{name} {one.value:.2f} (95%: {interval_text(one)})")
    return [*lines, f"LOS {percent_text(strength.mean.superiority)}"]


def _counted_lines(found: CountedStrength, hypotheses: Hypotheses) -> list[str]:
    from bowerbird.engine import counted

    bounds = f"{hypotheses.lower:.2f} to {hypotheses.upper:.2f}"
    where = "H1" if found.llr >= hypotheses.upper else "H0" if found.llr <= hypotheses.lower else ""
    return [
        f"{counted(found.games, 'game')}, score {100 * found.score:.2f}%",
        *_strength_lines(found.strength),
        f"LLR {found.llr:.2f} ({bounds}), {hypotheses.scale} Elo {hypotheses.elo0:g} against {hypotheses.elo1:g}: "
        + (f"{where} fits better" if where else "not decided"),
        "the order of the results is unknown: a test checked after every result may have ended earlier",
    ]


def _document(found: OutsideGames, rated: OutsideRatings) -> dict[str, object]:
    from bowerbird.harness.cli.display.standings_document import (
        estimate_document,
        finite,
        likelihoods_document,
    )

    return {
        "games": len(found.games),
        "remarks": [*found.remarks, *rated.listed.remarks],
        "basis": rated.listed.sentence,
        "first_player": rated.first,
        "players": [
            {
                "player": line.bot,
                "rank": line.rank,
                "last_rank": line.last_rank,
                "elo": estimate_document(line.rating),
                "los_next": line.ahead,
                "score": rated.score[line.bot],
                "games": rated.played[line.bot],
            }
            for line in rated.listed.lines
        ],
        "undecided": rated.listed.undecided,
        "likelihoods": likelihoods_document(rated.listed.likelihoods),
        "errors": {"players": rated.players, "se": [[finite(one) for one in row] for row in rated.errors.tolist()]},
    }


def _decision_document(decision: SequentialDecision) -> dict[str, object]:
    return {
        "llr": decision.llr,
        "lower": decision.lower,
        "upper": decision.upper,
        "results": decision.sets,
        "accepted": decision.accepted or None,
    }


def _strength_document(strength: Strength | None) -> dict[str, object] | None:
    from bowerbird.harness.cli.display.standings_document import estimate_document

    if strength is None:
        return None
    return {
        "elo": None if strength.elo is None else estimate_document(strength.elo),
        "normalised_elo": estimate_document(strength.normalised),
        "los": strength.mean.superiority,
    }


def _counted_document(found: CountedStrength, hypotheses: Hypotheses) -> dict[str, object]:
    return {
        "games": found.games,
        "results": found.results,
        "score": found.score,
        "strength": _strength_document(found.strength),
        "llr": found.llr,
        "lower": hypotheses.lower,
        "upper": hypotheses.upper,
    }
