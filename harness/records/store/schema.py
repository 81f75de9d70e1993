"""The tables and views of the store in SQL (database.md), and the migrations from older versions.

Standings are views over the seats of the stored games, so results and records cannot disagree. In every view, `scope`
is the name of a variant, or '' for all variants together.
"""

from __future__ import annotations

from bowerbird.harness.records.values.corrections import WITHDRAW
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS

VERSION = 13
"""The `user_version` of this schema. A file with a higher version comes from a newer Bowerbird and is refused.

Every change to a table or view needs a new version: a file of this version with another schema is refused
(`schema_check`).
"""

_INCIDENT = """
    CREATE TABLE incident (             -- beside the records: what counts against max_faults (records.incident)
        run TEXT NOT NULL,
        bot TEXT NOT NULL,
        name TEXT NOT NULL,
        instance INTEGER NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        correction INTEGER NOT NULL DEFAULT 0,  -- the one after which it no longer counts; 0: it counts
        PRIMARY KEY (run, bot, name, correction),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT
    """

_CPU = """
    CREATE TABLE cpu (                  -- processor time of the local bots, also of games that were not stored
        run TEXT NOT NULL,
        bot TEXT NOT NULL,
        cpu_ms INTEGER NOT NULL,
        processes INTEGER NOT NULL,
        PRIMARY KEY (run, bot),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT
    """

_SINGLE = """
    CREATE TABLE single (               -- records imported without their run: to be looked at, never counted
        id TEXT PRIMARY KEY,
        record TEXT NOT NULL
    ) STRICT
    """

_STORY = """
    CREATE TABLE story (                -- beside the record: what differs between runs of one seed (records.story)
        game TEXT NOT NULL,
        seat INTEGER NOT NULL,
        legal TEXT NOT NULL,            -- JSON: the tokens between which it was to decide
        how_ended TEXT NOT NULL,
        stderr TEXT NOT NULL,
        log TEXT NOT NULL,              -- relative to the database's folder where it is below that
        PRIMARY KEY (game, seat),
        FOREIGN KEY (game, seat) REFERENCES seat (game, seat)
    ) STRICT
    """

_NOTE = """
    CREATE TABLE note (                 -- beside the record: what a bot noted about its action (records.note)
        game TEXT NOT NULL,
        seat INTEGER NOT NULL,
        hand INTEGER NOT NULL,
        action INTEGER NOT NULL,        -- of the hand, as in the record
        text TEXT NOT NULL,             -- as the bot sent it, up to 1024 bytes: a stranger's words
        PRIMARY KEY (game, hand, action),
        FOREIGN KEY (game, seat) REFERENCES seat (game, seat)
    ) STRICT
    """

_MACHINE = """
    CREATE TABLE machine (              -- a machine on which a run was played, without its name
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run (fingerprint),
        cpu TEXT NOT NULL,              -- the model of its processor
        speed INTEGER NOT NULL,         -- decisions a second of the rules engine; 0: not measured
        imported INTEGER NOT NULL DEFAULT 0,    -- deal sets on it by archives, whose sets do not refer to it
        UNIQUE (run, cpu, speed)
    ) STRICT
    """

_VOID = """
    CREATE TABLE void (                 -- an attempt at a deal set that does not count; the set may have no job (voids)
        run TEXT NOT NULL REFERENCES run (fingerprint),
        entry TEXT NOT NULL,
        lineup TEXT NOT NULL,
        set_number INTEGER NOT NULL,
        correction INTEGER NOT NULL DEFAULT 0,  -- whose seed dealt it; 0: the seed of the run
        attempt INTEGER NOT NULL,
        bots TEXT NOT NULL,             -- JSON: whose processes were lost
        why TEXT NOT NULL,
        saved TEXT NOT NULL,
        PRIMARY KEY (run, entry, lineup, set_number, correction, attempt)
    ) STRICT
    """

_CORRECTION = """
    CREATE TABLE correction (           -- a decision of the organiser after play (corrections)
        run TEXT NOT NULL REFERENCES run (fingerprint),
        number INTEGER NOT NULL,        -- from 1
        kind TEXT NOT NULL,             -- void, reinstate or withdraw
        bot TEXT NOT NULL,              -- that is back in the run, or out of it; '': none
        by TEXT NOT NULL,               -- who decided
        why TEXT NOT NULL,
        saved TEXT NOT NULL,
        commitment TEXT NOT NULL,       -- to the seed of the deal sets that are played instead; '': there are none
        seed TEXT,                      -- hex; NULL until it is published at the end
        PRIMARY KEY (run, number)
    ) STRICT
    """

_CORRECTED_SET = """
    CREATE TABLE corrected_set (        -- a deal set whose games a correction took out of the results
        run TEXT NOT NULL,
        entry TEXT NOT NULL,
        lineup TEXT NOT NULL,
        set_number INTEGER NOT NULL,
        correction INTEGER NOT NULL,
        PRIMARY KEY (run, entry, lineup, set_number, correction),
        FOREIGN KEY (run, correction) REFERENCES correction (run, number)
    ) STRICT
    """

_VOIDED_GAME = """
    CREATE TABLE voided_game (          -- a game that a correction took out of the results
        run TEXT NOT NULL,
        entry TEXT NOT NULL,
        lineup TEXT NOT NULL,
        set_number INTEGER NOT NULL,
        correction INTEGER NOT NULL,
        rotation INTEGER NOT NULL,
        record TEXT NOT NULL,
        stories TEXT NOT NULL,          -- of its faults, as in archives; '': none
        story_count INTEGER NOT NULL,
        notes TEXT NOT NULL DEFAULT '', -- of its bots, as in archives; '': none
        note_count INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (run, entry, lineup, set_number, correction, rotation),
        FOREIGN KEY (run, entry, lineup, set_number, correction)
            REFERENCES corrected_set (run, entry, lineup, set_number, correction)
    ) STRICT
    """

_PLACEMENT = """
    CREATE TABLE placement (            -- the places of a knockout or a Swiss, once the run is complete (placements)
        run TEXT NOT NULL,
        number INTEGER NOT NULL,        -- order in the table of places, from 0
        place INTEGER NOT NULL,         -- from 1; equal bots share one
        bot TEXT NOT NULL,
        points REAL,                    -- NULL where matches are not counted, as are the next two
        share REAL,
        opponents REAL,
        byes INTEGER NOT NULL,
        remark TEXT NOT NULL,
        PRIMARY KEY (run, number),
        UNIQUE (run, bot),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT
    """

_MATCH_RESULT = """
    CREATE TABLE match_result (         -- the matches and byes of a knockout or a Swiss (placements)
        run TEXT NOT NULL,
        number INTEGER NOT NULL,        -- order, from 0: by round, in it by the bracket
        round INTEGER NOT NULL,         -- from 1
        title TEXT NOT NULL,
        bot TEXT NOT NULL,
        opponent TEXT,                  -- NULL: a bye
        won REAL NOT NULL,              -- games won by bot
        games INTEGER NOT NULL,
        winner TEXT,                    -- NULL: tied
        decided_by TEXT NOT NULL,
        PRIMARY KEY (run, number),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name),
        FOREIGN KEY (run, opponent) REFERENCES bot (run, name),
        FOREIGN KEY (run, winner) REFERENCES bot (run, name)
    ) STRICT
    """

_RECORD_RATING = """
    CREATE TABLE record_rating (        -- the ratings of record, fitted when the run was complete
        run TEXT NOT NULL,
        scope TEXT NOT NULL,
        bot TEXT NOT NULL,
        rank INTEGER NOT NULL,
        elo REAL NOT NULL,
        se REAL,                        -- NULL: infinite, as is an end of an interval
        low REAL,
        high REAL,
        points REAL,                    -- a deal above the mean of the table; NULL where points have no unit
        points_low REAL,
        points_high REAL,
        basis TEXT NOT NULL,            -- which rating is 0
        digest TEXT NOT NULL,           -- of the results: as run.rating_digest, or else the ratings are out of date
        PRIMARY KEY (run, scope, bot),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT
    """

_ORIGIN = """
    CREATE TABLE origin (               -- of a run that archives brought, or of parts of it; played here: no row
        run TEXT NOT NULL REFERENCES run (fingerprint),
        key TEXT NOT NULL,              -- the public key that signed the archive, in hex; '': unsigned
        signature TEXT NOT NULL,        -- the text of its signature.toml; '': unsigned
        imported TEXT NOT NULL,
        PRIMARY KEY (run, key)
    ) STRICT
    """

_OLD_IMPORTS = """
    INSERT INTO origin (run, key, signature, imported)
    SELECT fingerprint, '', '', started FROM run
    WHERE EXISTS (SELECT 1 FROM job WHERE job.run = run.fingerprint AND job.played_ms = 0)
    """
"""Only imports and versions 1 and 2 stored deal sets without the playing time; nobody vouches for such a run."""

_LEAGUE = """
    CREATE TABLE league (               -- one run after the other, for a season (records.league)
        name TEXT PRIMARY KEY,
        file TEXT NOT NULL,             -- its file, as seen from the database's folder
        config TEXT NOT NULL,           -- the text of its file when it was last right
        season INTEGER NOT NULL,        -- from 1
        is_paused INTEGER NOT NULL,
        is_ending INTEGER NOT NULL,     -- the season ends after the open epoch
        started TEXT NOT NULL           -- when the season began
    ) STRICT
    """

_LEAGUE_BOT = """
    CREATE TABLE league_bot (           -- a version of a bot in a season
        league TEXT NOT NULL REFERENCES league (name),
        season INTEGER NOT NULL,
        name TEXT NOT NULL,             -- under which it is entered in the runs
        bot TEXT NOT NULL,              -- the name that all its versions share
        number INTEGER NOT NULL,        -- of the version, from 1
        version TEXT NOT NULL,
        author TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('playing', 'suspended', 'retired', 'withdrawn', 'away')),
        why TEXT NOT NULL,              -- it does not play; '' if it does
        since INTEGER NOT NULL,         -- the epoch from which it plays
        entry TEXT NOT NULL,            -- its [[bot]] table; paths as seen from the database's folder
        PRIMARY KEY (league, season, name),
        UNIQUE (league, season, bot, number)
    ) STRICT
    """

_EPOCH = """
    CREATE TABLE epoch (                -- a run of a league; its run is stored when its seed is committed to
        league TEXT NOT NULL REFERENCES league (name),
        season INTEGER NOT NULL,
        number INTEGER NOT NULL,        -- from 1
        run TEXT NOT NULL UNIQUE,
        started TEXT NOT NULL,
        ended TEXT,                     -- NULL while it is played
        archive TEXT NOT NULL,          -- as seen from the database's folder; '' if there is none
        remark TEXT NOT NULL,
        PRIMARY KEY (league, season, number)
    ) STRICT
    """

_LEAGUE_EVENT = """
    CREATE TABLE league_event (         -- what happened in a league, for people
        league TEXT NOT NULL REFERENCES league (name),
        number INTEGER NOT NULL,        -- from 1
        season INTEGER NOT NULL,
        epoch INTEGER NOT NULL,         -- 0 before the first one
        at TEXT NOT NULL,
        bot TEXT NOT NULL,              -- the entrant that it is about; '' for none
        what TEXT NOT NULL,
        PRIMARY KEY (league, number)
    ) STRICT
    """

_UNPAIRED = """
    CREATE TABLE unpaired (             -- a bot that was withdrawn when a round of a Swiss was paired
        run TEXT NOT NULL,
        round INTEGER NOT NULL,         -- from 1
        bot TEXT NOT NULL,
        PRIMARY KEY (run, round, bot),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT
    """

TABLES = (
    """
    CREATE TABLE run (
        fingerprint TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        commitment TEXT NOT NULL,
        seed TEXT,                      -- hex; NULL until it is published at the end
        practice INTEGER NOT NULL,
        packs TEXT NOT NULL CHECK (packs IN ('common', 'own')),
        config TEXT NOT NULL,
        engine TEXT NOT NULL,
        rules TEXT NOT NULL,
        started TEXT NOT NULL,
        ended TEXT,
        rating_digest TEXT NOT NULL DEFAULT '',
        rating_sets INTEGER NOT NULL DEFAULT 0,
        beacon TEXT,                    -- NULL without one, '' until it is known
        sets_after_seed INTEGER NOT NULL DEFAULT 0,     -- deal sets that were added when the seed was published
        label TEXT,                     -- the name that a person gave it later; NULL: none
        folder TEXT NOT NULL DEFAULT '',    -- of the config's paths, as seen from the database's folder; '': unknown
        stopped TEXT NOT NULL DEFAULT '',   -- why it stopped, if that was open
        digest TEXT NOT NULL DEFAULT '',    -- over the files of its archive once it is complete; '': unknown
        UNIQUE (name, commitment)
    ) STRICT
    """,
    """
    CREATE TABLE bot (
        run TEXT NOT NULL REFERENCES run (fingerprint),
        name TEXT NOT NULL,
        version TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        author TEXT NOT NULL,
        place INTEGER NOT NULL,         -- order in the tournament file
        PRIMARY KEY (run, name)
    ) STRICT
    """,
    """
    CREATE TABLE job (                  -- a deal set of a line-up; inserted only when it is complete
        run TEXT NOT NULL REFERENCES run (fingerprint),
        entry TEXT NOT NULL,
        lineup TEXT NOT NULL,
        set_number INTEGER NOT NULL,
        games INTEGER NOT NULL,
        saved TEXT NOT NULL,
        played_ms INTEGER NOT NULL DEFAULT 0,   -- how long the run had been played then, pauses left out
        machine INTEGER REFERENCES machine (id),        -- that played it; NULL: unknown
        PRIMARY KEY (run, entry, lineup, set_number)
    ) STRICT
    """,
    """
    CREATE TABLE game (
        id TEXT PRIMARY KEY,
        run TEXT NOT NULL,
        entry TEXT NOT NULL,
        lineup TEXT NOT NULL,
        set_number INTEGER NOT NULL,
        rotation INTEGER NOT NULL,
        variant TEXT NOT NULL,
        ended TEXT NOT NULL,
        hands INTEGER NOT NULL,         -- finished hands
        decisions INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (run, entry, lineup, set_number, rotation),
        FOREIGN KEY (run, entry, lineup, set_number) REFERENCES job (run, entry, lineup, set_number)
    ) STRICT
    """,
    """
    CREATE TABLE seat (
        game TEXT NOT NULL REFERENCES game (id),
        seat INTEGER NOT NULL,
        run TEXT NOT NULL,
        bot TEXT NOT NULL,
        side INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        score INTEGER NOT NULL,
        points INTEGER,                 -- won over the game, in the better direction; NULL in matches of games
        penalised INTEGER NOT NULL,     -- 1: its side is at fault and loses each pair
        decisions INTEGER NOT NULL,     -- those that the bot itself answered
        time_ms INTEGER NOT NULL,       -- charged, over the game
        times TEXT NOT NULL,            -- {"milliseconds": how many decisions}
        PRIMARY KEY (game, seat),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT
    """,
    """
    CREATE TABLE fault (
        game TEXT NOT NULL,
        place INTEGER NOT NULL,         -- order in the record
        hand INTEGER NOT NULL,
        action INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        kind TEXT NOT NULL,
        limit_ms INTEGER NOT NULL,
        elapsed_ms INTEGER NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (game, place),
        FOREIGN KEY (game, seat) REFERENCES seat (game, seat)
    ) STRICT
    """,
    "CREATE INDEX seat_by_bot ON seat (run, bot)",
    _SINGLE,
    _STORY,
    _INCIDENT,
    _CPU,
    _VOID,
    _MACHINE,
    _PLACEMENT,
    _MATCH_RESULT,
    _RECORD_RATING,
    _ORIGIN,
    _CORRECTION,
    _CORRECTED_SET,
    _VOIDED_GAME,
    _NOTE,
    _LEAGUE,
    _LEAGUE_BOT,
    _EPOCH,
    _LEAGUE_EVENT,
    _UNPAIRED,
)


def _recreated(table: str, definition: str, columns: str) -> tuple[str, ...]:
    """Return the statements that give a table its current definition. New columns get their defaults."""
    return (
        f"ALTER TABLE {table} RENAME TO old_{table}",
        definition,
        f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old_{table} ORDER BY rowid",
        f"DROP TABLE old_{table}",
    )


MIGRATIONS: dict[int, tuple[str, ...]] = {
    2: (
        _SINGLE,
        _STORY,
        "ALTER TABLE run ADD COLUMN beacon TEXT",
        "ALTER TABLE run ADD COLUMN sets_after_seed INTEGER NOT NULL DEFAULT 0",
    ),
    3: (
        _INCIDENT,
        "ALTER TABLE job ADD COLUMN played_ms INTEGER NOT NULL DEFAULT 0",
    ),
    4: (
        "ALTER TABLE run ADD COLUMN label TEXT",
        "ALTER TABLE run ADD COLUMN folder TEXT NOT NULL DEFAULT ''",
    ),
    5: (_CPU, _VOID),
    6: (_MACHINE, "ALTER TABLE job ADD COLUMN machine INTEGER REFERENCES machine (id)"),
    7: (_PLACEMENT, _MATCH_RESULT, _RECORD_RATING, "ALTER TABLE run ADD COLUMN stopped TEXT NOT NULL DEFAULT ''"),
    8: (_ORIGIN, _OLD_IMPORTS),
    9: (
        "DROP VIEW IF EXISTS runs",  # these views read the recreated tables
        _CORRECTION,
        _CORRECTED_SET,
        _VOIDED_GAME,
        *_recreated("incident", _INCIDENT, "run, bot, name, instance, kind, detail"),
        "ALTER TABLE run ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
        *_recreated("void", _VOID, "run, entry, lineup, set_number, attempt, bots, why, saved"),
    ),
    10: (
        _NOTE,
        *_recreated(
            "voided_game",
            _VOIDED_GAME,
            "run, entry, lineup, set_number, correction, rotation, record, stories, story_count",
        ),
    ),
    11: (_LEAGUE, _LEAGUE_BOT, _EPOCH, _LEAGUE_EVENT),
    12: (),  # views alone
    13: (_UNPAIRED, "DROP TABLE IF EXISTS rating"),
}
"""By version, the statements that migrate a file from the previous version. Views are recreated afterwards.

A table starts with its current definition, no matter what it was in that version, because all migrations are one
transaction.
"""

_FAULT_COLUMNS = ",\n".join(f"SUM(fault.kind = '{kind}') AS {kind.lower()}" for kind in FAULT_KINDS)
_FAULT_SUMS = ", ".join(f"COALESCE(faults_by_bot.{kind.lower()}, 0) AS {kind.lower()}" for kind in FAULT_KINDS)

VIEWS = {
    # Deal sets of a withdrawal are annulled instead, and nothing replaces them.
    "dealt_again": f"""
        SELECT corrected_set.* FROM corrected_set
        JOIN correction ON correction.run = corrected_set.run AND correction.number = corrected_set.correction
        WHERE correction.kind <> '{WITHDRAW}'
    """,
    "scoped_game": """
        SELECT id, run, variant AS scope, hands, ended FROM game
        UNION ALL
        SELECT id, run, '' AS scope, hands, ended FROM game
    """,
    # A pair of bots at one table. Sides meet, so four seats in two sides form one pair, not four. Games that were not
    # played because a bot had been withdrawn have no pairs.
    "pair": f"""
        SELECT DISTINCT game.run, game.variant, game.id AS game, mine.bot, theirs.bot AS opponent,
            mine.side, theirs.side AS opponent_side,
            CASE
                WHEN mine.penalised <> theirs.penalised THEN theirs.penalised * 1.0
                WHEN mine.rank = theirs.rank THEN 0.5
                ELSE (mine.rank < theirs.rank) * 1.0
            END AS outcome
        FROM game
        JOIN seat AS mine ON mine.game = game.id
        JOIN seat AS theirs ON theirs.game = game.id AND theirs.side <> mine.side AND theirs.bot <> mine.bot
        WHERE game.ended <> '{WITHDRAWN}'
    """,
    "crosstable": """
        SELECT run, scope, bot, opponent, COUNT(DISTINCT game) AS games,
            SUM(outcome = 1) AS wins, SUM(outcome = 0.5) AS draws, SUM(outcome = 0) AS losses, AVG(outcome) AS score
        FROM (
            SELECT run, variant AS scope, bot, opponent, game, outcome FROM pair
            UNION ALL
            SELECT run, '' AS scope, bot, opponent, game, outcome FROM pair
        )
        GROUP BY run, scope, bot, opponent
    """,
    "faults_by_bot": f"""
        SELECT seat.run, scoped_game.scope, seat.bot, {_FAULT_COLUMNS}
        FROM fault JOIN seat ON seat.game = fault.game AND seat.seat = fault.seat
        JOIN scoped_game ON scoped_game.id = fault.game
        WHERE scoped_game.ended <> '{WITHDRAWN}'
        GROUP BY seat.run, scoped_game.scope, seat.bot
    """,
    # Summed by variant first, then pooled, so that each seat's times are unpacked once.
    "decision_time": """
        SELECT run, CASE WHEN pooled THEN '' ELSE variant END AS scope, bot, ms, SUM(decisions) AS decisions
        FROM (
            SELECT seat.run, game.variant, seat.bot, CAST(times.key AS INTEGER) AS ms, SUM(times.value) AS decisions
            FROM seat JOIN game ON game.id = seat.game, json_each(seat.times) AS times
            GROUP BY seat.run, game.variant, seat.bot, times.key
        )
        CROSS JOIN (SELECT 0 AS pooled UNION ALL SELECT 1)
        GROUP BY run, scope, bot, ms
    """,
    # Exact percentiles by nearest rank: the smallest time not exceeded by at least 50% (99%) of the decisions.
    "decision_percentile": """
        SELECT run, scope, bot, MAX(total) AS decisions,
            MIN(CASE WHEN 100 * reached >= 50 * total THEN ms END) AS p50_ms,
            MIN(CASE WHEN 100 * reached >= 99 * total THEN ms END) AS p99_ms
        FROM (
            SELECT run, scope, bot, ms,
                SUM(decisions) OVER (PARTITION BY run, scope, bot ORDER BY ms) AS reached,
                SUM(decisions) OVER (PARTITION BY run, scope, bot) AS total
            FROM decision_time
        )
        GROUP BY run, scope, bot
    """,
    "standings": f"""
        SELECT played.run, played.scope, played.bot, bot.version,
            of_record.rank, of_record.elo, of_record.low AS elo_low, of_record.high AS elo_high,
            played.games, played.unplayed,
            COALESCE(against.wins, 0) AS wins, COALESCE(against.draws, 0) AS draws,
            COALESCE(against.losses, 0) AS losses, against.score, played.points_per_deal, {_FAULT_SUMS},
            COALESCE(decision_percentile.decisions, 0) AS decisions,
            decision_percentile.p50_ms, decision_percentile.p99_ms
        FROM (
            SELECT seat.run, scoped_game.scope, seat.bot,
                COUNT(DISTINCT CASE WHEN scoped_game.ended <> '{WITHDRAWN}' THEN seat.game END) AS games,
                COUNT(DISTINCT CASE WHEN scoped_game.ended = '{WITHDRAWN}' THEN seat.game END) AS unplayed,
                SUM(seat.points) * 1.0
                    / NULLIF(SUM(CASE WHEN seat.points IS NULL THEN 0 ELSE scoped_game.hands END), 0) AS points_per_deal
            FROM seat JOIN scoped_game ON scoped_game.id = seat.game
            GROUP BY seat.run, scoped_game.scope, seat.bot
        ) AS played
        JOIN bot ON bot.run = played.run AND bot.name = played.bot
        JOIN run ON run.fingerprint = played.run
        LEFT JOIN record_rating AS of_record
            ON of_record.run = played.run AND of_record.scope = played.scope AND of_record.bot = played.bot
            AND of_record.digest = run.rating_digest
        LEFT JOIN (
            SELECT run, scope, bot, SUM(wins) AS wins, SUM(draws) AS draws, SUM(losses) AS losses,
                (SUM(wins) + SUM(draws) * 0.5) / SUM(wins + draws + losses) AS score
            FROM crosstable GROUP BY run, scope, bot
        ) AS against ON against.run = played.run AND against.scope = played.scope AND against.bot = played.bot
        LEFT JOIN faults_by_bot
            ON faults_by_bot.run = played.run AND faults_by_bot.scope = played.scope AND faults_by_bot.bot = played.bot
        LEFT JOIN decision_percentile
            ON decision_percentile.run = played.run AND decision_percentile.scope = played.scope
            AND decision_percentile.bot = played.bot
    """,
    # Processor time, in addition to the wall time that the clock charged. A bot with several processes or threads can
    # use more processor time than that. The sum uses real numbers, because a sum of integers that are too large is an
    # error.
    "cpu_time": """
        SELECT cpu.run, cpu.bot, cpu.cpu_ms, cpu.processes,
            COALESCE((SELECT SUM(seat.time_ms) FROM seat WHERE seat.run = cpu.run AND seat.bot = cpu.bot), 0)
                AS charged_ms,
            cpu.cpu_ms * 1.0 / NULLIF(SUM(cpu.cpu_ms * 1.0) OVER (PARTITION BY cpu.run), 0) AS share
        FROM cpu
    """,
    "machines": """
        SELECT machine.run, machine.cpu, machine.speed, machine.imported + COALESCE(played.sets, 0) AS sets
        FROM machine
        LEFT JOIN (SELECT machine, COUNT(*) AS sets FROM job GROUP BY machine) AS played
            ON played.machine = machine.id
        WHERE machine.imported + COALESCE(played.sets, 0) > 0
    """,
    "matches": """
        SELECT game.id, game.run, game.entry, game.variant, game.lineup, game.set_number, game.rotation, game.ended,
            game.hands, game.decisions,
            (SELECT json_group_array(bot) FROM (SELECT bot FROM seat WHERE seat.game = game.id ORDER BY seat)) AS bots,
            (SELECT json_group_array(side) FROM (SELECT side FROM seat WHERE seat.game = game.id ORDER BY seat))
                AS sides,
            (SELECT json_group_array(score) FROM (SELECT score FROM seat WHERE seat.game = game.id ORDER BY seat))
                AS scores,
            (SELECT json_group_array(rank) FROM (SELECT rank FROM seat WHERE seat.game = game.id ORDER BY seat))
                AS ranks,
            (SELECT json_group_array(seat) FROM (SELECT DISTINCT seat FROM fault WHERE fault.game = game.id
                ORDER BY seat)) AS offenders,
            (SELECT COUNT(*) FROM fault WHERE fault.game = game.id) AS faults
        FROM game
    """,
    "runs": f"""
        SELECT run.fingerprint, COALESCE(run.label, run.name) AS name, run.name AS original_name, run.commitment,
            run.seed, run.practice, run.packs, run.config, run.engine, run.rules, run.started, run.ended,
            run.rating_digest, run.rating_sets, run.beacon, run.sets_after_seed, run.stopped, run.digest,
            (SELECT COUNT(*) FROM game WHERE game.run = run.fingerprint) AS games,
            (SELECT COUNT(*) FROM job WHERE job.run = run.fingerprint) AS sets,
            (SELECT COUNT(*) FROM bot WHERE bot.run = run.fingerprint) AS bots,
            (SELECT COUNT(*) FROM void WHERE void.run = run.fingerprint) AS voids,
            (
                SELECT COUNT(*) FROM void WHERE void.run = run.fingerprint AND attempt = {MOST_ATTEMPTS - 1}
                AND NOT EXISTS (
                    SELECT 1 FROM dealt_again AS later WHERE later.run = void.run AND later.entry = void.entry
                    AND later.lineup = void.lineup AND later.set_number = void.set_number
                    AND later.correction > void.correction
                )
            ) AS left_out,
            (SELECT COUNT(*) FROM correction WHERE correction.run = run.fingerprint) AS corrections
        FROM run
    """,
    "faults": """
        SELECT seat.run, fault.game, fault.place, fault.hand, fault.action, fault.seat, seat.bot, fault.kind,
            fault.limit_ms, fault.elapsed_ms, fault.detail, job.saved, COALESCE(story.legal, '[]') AS legal,
            COALESCE(story.how_ended, '') AS how_ended, COALESCE(story.stderr, '') AS stderr,
            COALESCE(story.log, '') AS log
        FROM fault JOIN seat ON seat.game = fault.game AND seat.seat = fault.seat
        JOIN game ON game.id = fault.game
        JOIN job ON job.run = game.run AND job.entry = game.entry AND job.lineup = game.lineup
            AND job.set_number = game.set_number
        LEFT JOIN story ON story.game = fault.game AND story.seat = fault.seat
    """,
}
"""Name -> SELECT. A view can use the views above it."""

_GAMES_OF_RUN = (
    "scoped_game",
    "pair",
    "crosstable",
    "faults_by_bot",
    "decision_time",
    "decision_percentile",
    "standings",
)
"""The views that `view_of_run` can read, in the order of `VIEWS`."""


def view_of_run(name: str) -> str:
    """Return the SELECT of all rows of a view that belong to the run `:run`; more clauses may follow.

    name: "crosstable" or "standings". SQLite computes these views for all runs in the database before it picks the rows
        of one run. In this SELECT the views therefore read tables with only one run.
    """
    tables = {
        "game": "SELECT id, run, variant, hands, ended FROM main.game WHERE run = :run",
        "seat": "SELECT * FROM main.seat WHERE run = :run",
        "fault": "SELECT fault.* FROM game CROSS JOIN main.fault ON fault.game = game.id",
    }
    parts = [f"{table} AS NOT MATERIALIZED ({select})" for table, select in tables.items()]
    above = _GAMES_OF_RUN[: _GAMES_OF_RUN.index(name) + 1]
    return f"WITH {', '.join([*parts, *(f'{view} AS ({VIEWS[view]})' for view in above)])} SELECT * FROM {name}"
