"""Plays one epoch: decides who plays, plays the run, and looks after its results.

This process can be killed at any moment. The next one finds the epoch in the store and continues. It resumes a run that
was stored, and forgets one that was not, since no card of it was dealt.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.extras.drand.rounds import QUICKNET_ADDRESSES
from bowerbird.harness.extras.league import roster
from bowerbird.harness.extras.league.accepted_file import Say, accepted_file, tell, trial_epoch
from bowerbird.harness.extras.league.epoch_beacon import commit, is_waiting, promise, promised_round, with_beacon
from bowerbird.harness.extras.league.epoch_file import epoch_file, run_name
from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.housekeeping import (
    ENDED_EARLY,
    REMEMBERED,
    prune,
    remove_old_logs,
    verify_and_archive,
)
from bowerbird.harness.extras.league.league_file import LONGEST_READ_S, LeagueFile, ListedBot
from bowerbird.harness.extras.league.remote import Listening, hosting_of
from bowerbird.harness.extras.league.season_ratings import (
    beaten_versions,
    drawn_ratings,
    priors,
    season_fits,
    successions,
)
from bowerbird.harness.extras.league.snapshots import keep_version
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown, storable
from bowerbird.harness.records.store.league import LeagueChange, changing, season_runs
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.store.tables.table import now
from bowerbird.harness.records.values.league import AWAY, PLAYING, SUSPENDED, Epoch, Season
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.slow_reading import within
from bowerbird.harness.tournament.config.tournament_file import stored_tournament
from bowerbird.harness.tournament.errors import BotError, ConfigError, MissingBotsError, RunConflictError
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

if TYPE_CHECKING:
    from bowerbird.harness.tournament.events import Progress
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines
    from bowerbird.harness.tournament.preparation.hosting import Hosting


class Ended(IntEnum):
    """The exit codes of an epoch's process. Other commands use only 0."""

    PLAYED = 0
    PAUSED = 10
    WAITING = 11
    """The exit code if there are too few bots for an epoch."""


EPOCHS_LOOKED_AT = 20
"""How many of the latest epochs are searched for the faults of a bot that plays little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochSettings:
    """How the epochs of a league are played, from the command line.

    workers, isolation, machines: as in `RunOptions`.
    listening: where remote bots connect; None if the league has none.
    allow_readable_seed: play with remote bots even if local ones could read the seed.
    """

    workers: int = 1
    isolation: str | None = None
    machines: OtherMachines | None = None
    listening: Listening | None = None
    allow_readable_seed: bool = False


def play_epoch(path: Path, store: Store, settings: EpochSettings, progress: Progress, say: Say) -> Ended:
    """Play the open epoch of a league to its end, or begin the next one and play that.

    path: the league file. It is read at the beginning of each epoch. A file with an error is reported and not used.
    progress: called with each event of the run.

    Raises ConfigError for a league file that was never correct, LeagueError for the file of another league, StoreError,
    and the errors of `play_tournament`, except that a bot that keeps the epoch from beginning is suspended.
    """
    league = accepted_file(path, store, say)
    return _League(path, league, store, settings, progress=progress, say=say).play()


class _League:
    """A league during one epoch."""

    def __init__(
        self, path: Path, league: LeagueFile, store: Store, settings: EpochSettings, *, progress: Progress, say: Say
    ) -> None:
        self._path = path
        self._file = league
        self._store = store
        self._settings = settings
        self._progress = progress
        self._say = say
        self._callers: set[str] = set()
        """The remote bots of the season that connected although they do not play in this epoch."""

    def play(self) -> Ended:
        """See `play_epoch`."""
        self._forget_epoch_without_run()
        epoch = self._season.open_epoch
        if epoch is not None:
            plan = self._open_plan(epoch)
            if self._season.open_epoch is None:  # it was given up
                return Ended.PLAYED
        else:
            self._begin_season()
            if self._season.league.is_paused:
                return Ended.PAUSED
            self._update_roster()
            plan = self._next_plan()
            if plan is None:
                return Ended.WAITING
        if plan is not None and is_waiting(plan):
            plan = self._with_beacon(plan)
        if plan is None or self._play_run(plan):
            self._finish()
        self._let_callers_in()
        return Ended.PLAYED

    @property
    def _season(self) -> Season:
        season = self._store.season(self._file.name)
        assert season is not None  # `accepted_file` stored it
        return season

    # Before the run

    def _forget_epoch_without_run(self) -> None:
        """Forget an epoch that was decided but not begun."""
        with changing(self._store.path, self._file.name) as change:
            epoch = change.known.open_epoch
            if epoch is not None and self._store[epoch.run].header() is None:
                change.drop_epoch(epoch.number)

    def _begin_season(self) -> None:
        """Begin a new season if the organiser ended the last one."""
        with changing(self._store.path, self._file.name) as change:
            league = change.known.league
            if not league.is_ending:
                return
            change.put_league(replace(league, season=league.season + 1, is_ending=False, started=now()))
            what = f"season {league.season} has ended, season {league.season + 1} begins"
            change.tell(what)
        self._say(what)

    def _update_roster(self) -> None:
        """Admit newcomers and new versions, and withdraw bots that are no longer listed or too old."""
        listed, wrong = self._file.bots()
        for what in wrong:
            self._tell_once(f"a bot in the league file is not accepted: {what}")
        folders = {one.spec.name: one for one in listed}
        specs = [one.spec for one in listed]
        before = self._season
        for entry in roster.entries(before, specs):
            self._enter(entry, folders[entry.spec.name])
        for bot in roster.unchanged_versions(before, specs):
            self._tell(
                f"the files of {bot.bot} changed, but not its version {shown(bot.version)}: they are ignored",
                bot.name,
            )
        with changing(self._store.path, self._file.name) as change:
            if not wrong:  # a bot that cannot be read is listed nevertheless
                self._apply(change, roster.listing_changes(change.known, specs))
            self._apply(change, roster.version_changes(change.known))

    def _enter(self, entry: roster.Entry, listed: ListedBot) -> None:
        """Copy the files of a version and let it enter, or report why it cannot."""
        try:
            with within(LONGEST_READ_S):
                text = keep_version(listed, entry.name, self._store.path, self._file.name)
            bot = roster.entrant(entry, text, self._season.last_number + 1)
            trial_epoch(self._file, self._store.path.parent, [bot])
        except (LeagueError, ConfigError) as error:
            self._tell(f"{entry.name} does not enter: {error}", entry.name)
            return
        with changing(self._store.path, self._file.name) as change:
            self._apply(change, [roster.Changed(bot, roster.entered_sentence(bot))])

    def _next_plan(self) -> Plan | None:
        """Store the next epoch and return its plan. If these bots cannot play an epoch, report why and return None."""
        season = self._season
        number = season.last_number + 1
        name = run_name(self._file.name, season.league.season, number)
        expected = priors(season, drawn_ratings(season_runs(self._store, season)))
        drand = self._file.drand
        source = str(promised_round(drand, time.time())) if drand is not None else ""
        folder = self._store.path.parent
        try:
            file = epoch_file(self._file, name, roster.players(season), expected, folder, beacon_source=source)
        except ConfigError as error:
            self._tell(f"no epoch can begin: {error}")
            return None
        plan = make_plan(file)
        with changing(self._store.path, self._file.name) as change:
            change.put_epoch(Epoch(number, plan.header.fingerprint, now(), None))
        return plan

    def _open_plan(self, epoch: Epoch) -> Plan | None:
        """Return the plan of an interrupted epoch. If it cannot be resumed, end it and return None."""
        run = self._store.run(epoch.run)
        try:
            file = stored_tournament(run.row.config, self._store.path.parent, f"epoch {epoch.number}")
        except ConfigError as error:
            self._end_early(run, f"it cannot be resumed: {error}")
            return None
        try:
            seed = run.secret_seed()
        except StoreError as error:  # for example after a restored backup did not have it
            self._give_up(epoch, str(error))
            return None
        return make_plan(replace(file, name=run.row.original_name, seed=""), seed)

    def _give_up(self, epoch: Epoch, why: str) -> None:
        """End an epoch whose run can neither continue nor end. Its games stay, but the run is not complete."""
        what = f"epoch {epoch.number} is given up: {why}"
        with changing(self._store.path, self._file.name) as change:
            change.put_epoch(replace(epoch, ended=now(), remark=what))
            change.tell(what)
        self._say(what)

    # The beacon

    def _with_beacon(self, plan: Plan) -> Plan | None:
        """Commit to the seed of an epoch, wait for its round, and return its plan with the beacon.

        If the round came too early to prove anything, end the epoch and return None.
        """
        if why := commit(plan, self._store):
            self._end_early(self._store[plan.header.fingerprint], why)
            return None
        self._tell_once(promise(plan, self._season.last_number))
        return with_beacon(plan, self._addresses, self._tell_once)

    def _addresses(self) -> Sequence[str]:
        """Return the addresses to ask for rounds, from the present league file."""
        drand = accepted_file(self._path, self._store, self._say).drand
        return QUICKNET_ADDRESSES if drand is None else drand.addresses

    def _tell_once(self, what: str) -> None:
        """Store and print a sentence, unless it is stored already."""
        what = storable(what)
        events = self._store.league_events(self._file.name, REMEMBERED)
        if what not in {event.what for event in events}:
            self._tell(what)

    # The run

    def _play_run(self, plan: Plan) -> bool:
        """Play the run of an epoch. Return False if a bot kept it from beginning, or if it cannot be resumed."""
        settings, store = self._settings, self._store
        if settings.isolation:
            plan = replace(plan, file=replace(plan.file, isolation=settings.isolation))
        has_remote = any(bot.remote for bot in plan.file.bots)
        try:
            options = RunOptions(
                hosting=self._hosting(has_remote=has_remote),
                workers=settings.workers,
                machines=settings.machines,
                refuse_readable_seed=has_remote and not settings.allow_readable_seed,
                watch=True,
            )
            play_tournament(plan, store, self._progress, options)
        except MissingBotsError as error:
            self._leave_out(error.missing)
            return self._is_ended_early(plan, f"{', '.join(error.missing)} did not come back")
        except BotError as error:
            self._suspend(error.bot, str(error).splitlines()[0])
            return self._is_ended_early(plan, f"{error.bot} did not start again")
        except RunConflictError as error:
            return self._is_ended_early(plan, f"it cannot be resumed: {error}")
        return True

    def _is_ended_early(self, plan: Plan, why: str) -> bool:
        """End the run of an epoch that cannot continue.

        Return False if it has not begun, so its bots can be chosen again.
        """
        run = self._store[plan.header.fingerprint]
        if run.header() is None:
            return False
        self._end_early(run, why)
        return True

    def _end_early(self, run: StoredRun, why: str) -> None:
        """End an interrupted run at its present state: publish its seed, and keep its deal sets."""
        header = run.header()
        assert header is not None  # it was interrupted
        with self._store.begin(header, run.secret_seed(), self._store.path.parent) as writer:
            writer.end(Outcome(f"{ENDED_EARLY}{why}"))
        ended = self._store[run.fingerprint]
        store_record_ratings(ended)
        store_run_digest(ended)

    def _suspend(self, name: str, why: str) -> None:
        with changing(self._store.path, self._file.name) as change:
            bot = next(one for one in change.known.bots if one.name == name)
            suspended = replace(bot, status=SUSPENDED, why=why)
            self._apply(change, [roster.Changed(suspended, f"{name} is suspended until it has a new version: {why}")])

    def _hosting(self, *, has_remote: bool) -> Hosting | None:
        """Return how remote bots connect; None if there are none and the league does not listen."""
        listening = self._settings.listening
        if listening is None:
            if has_remote:
                raise LeagueError("the league has remote bots: start it with --listen, or withdraw them")
            return None
        league = self._season.league
        return hosting_of(listening, self._store.path, league.name, league.season, self._callers.add)

    def _leave_out(self, missing: Sequence[str]) -> None:
        """Mark the remote bots that are not connected as away. The next attempt at an epoch is made without them."""
        with changing(self._store.path, self._file.name) as change:
            season = change.known
            why = f"it was missing when epoch {season.last_number} began"
            away = [replace(bot, status=AWAY, why=why) for bot in season.bots if bot.name in missing]
            self._apply(change, [roster.Changed(bot, f"{bot.name} is away") for bot in away])

    def _let_callers_in(self) -> None:
        """Let the remote bots that connected during this epoch play in the next one."""
        with changing(self._store.path, self._file.name) as change:
            back = [bot for bot in change.known.bots if bot.name in self._callers and bot.status == AWAY]
            self._apply(
                change, [roster.Changed(replace(bot, status=PLAYING, why=""), f"{bot.name} is back") for bot in back]
            )

    # After the run

    def _finish(self) -> None:
        """Verify and archive a complete epoch, suspend or retire bots because of it, and store that it has ended."""
        store, season = self._store, self._season
        epoch = season.open_epoch
        assert epoch is not None  # it was played
        run = store.run(epoch.run)
        archive, remark = verify_and_archive(run, self._file.name)
        suspended = list(roster.suspensions(season, _faults_lately(store, season), self._file.suspend))
        gone = {one.bot.name for one in suspended}
        staying = replace(season, bots=tuple(bot for bot in season.bots if bot.name not in gone))
        fits = season_fits(season_runs(store, season)) if successions(staying) else {}  # this takes seconds
        beaten = list(beaten_versions(staying, fits))
        done = f"epoch {epoch.number} of season {season.league.season} is complete: {counted(run.row.games, 'game')}"
        with changing(store.path, self._file.name) as change:
            change.put_epoch(replace(epoch, ended=now(), archive=archive, remark=remark))
            change.tell(f"{done}; {remark}" if remark else done)
            self._apply(change, [*suspended, *beaten])
        self._say(f"{done}; {remark}" if remark else done)
        for what in prune(store, self._file.name, self._file.disk_mb):
            self._say(what)
        remove_old_logs(store, self._file.name, self._file.keep_logs)

    def _apply(self, change: LeagueChange, changes: Iterable[roster.Changed]) -> None:
        """Store and print changes. All are decided before the first is stored."""
        for one in list(changes):
            change.put_bot(one.bot)
            change.tell(one.what, one.bot.name)
            self._say(one.what)

    def _tell(self, what: str, bot: str = "") -> None:
        tell(self._store, self._file.name, what, self._say, bot)


def _faults_lately(store: Store, season: Season) -> dict[str, roster.Faults]:
    """Return how each bot behaved in the latest epoch and in enough earlier ones for FEWEST_GAMES games.

    Epochs before a bot's first one do not count.
    """
    since = {bot.name: bot.since for bot in season.bots}
    found: dict[str, roster.Faults] = {}
    for epoch in sorted(season.epochs, key=lambda one: -one.number)[:EPOCHS_LOOKED_AT]:
        for name, faults in _faults(store[epoch.run]).items():
            before = found.get(name, roster.Faults(0, 0))
            if before.games < roster.FEWEST_GAMES and epoch.number >= since.get(name, 0):
                games, faulty = before.games + faults.games, before.faulty + faults.faulty
                found[name] = roster.Faults(games, faulty, before.withdrawn or faults.withdrawn)
    return found


def _faults(run: StoredRun) -> dict[str, roster.Faults]:
    """Return how each bot behaved in a run."""
    games: Counter[str] = Counter()
    for result in run.results():
        games.update(set(result.bots))
    faulty = Counter(bot for _, bot in {(fault.game, fault.bot) for fault in run.faults()})
    withdrawn = run.conduct().withdrawn
    return {
        bot: roster.Faults(games[bot], faulty[bot], ": ".join(filter(None, withdrawn.get(bot, ()))))
        for bot in {*games, *withdrawn}
    }
