"""The page of a table in play."""

from __future__ import annotations

from bowerbird.engine import resolve_options, rules_of
from bowerbird.harness.extras.serve.pages.run_pages import Content, Context, shared_values
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.report.replay_data import trump_marks


def table_page(context: Context, run: StoredRun, game: GameId) -> Content:
    """Return the page that draws a table in play. Once the game has ended, the page links to the replay.

    Raises StoreError if there is no such table or game.
    """
    live, addresses = context.of_run(run), context.addresses
    shared = shared_values(context, run)
    table = next((one for one in (live.tables if live is not None else ()) if one.game == str(game)), None)
    if table is None:
        if live is None and str(game) not in run.game_ids():
            raise StoreError(f"there is no table {game}")
        address = addresses.game(str(game))
        data = {"game": str(game), "in_play": False, "address": address}
        return Content("table_over.html", str(game), data, shared, moves="")
    options = resolve_options(table.variant, dict(table.options))
    rules = rules_of(table.variant)
    drawing = {
        "game": table.game,
        "variant": table.variant,
        "title": rules.title,
        "seats": [{"bot": bot.name, "version": bot.version} for bot in table.seats],
        "teams": rules.teams(options) is not None,
        "clock": {"decision": table.clock.per_decision_ms, "bank": table.clock.bank_ms},
        "marks": trump_marks(table.variant, options),
        "shown": table.is_shown,
        "why": live.info.why_hidden if live is not None else "",
        "hand": table.hand,
        "scores": list(table.scores),
        "events": f"{addresses.table(table.game)}/events",
        "replay": addresses.game(table.game),
        "tables": addresses.tables(run.fingerprint),
    }
    return Content("table.html", f"{rules.title}, live", {**drawing, "in_play": True}, shared)
