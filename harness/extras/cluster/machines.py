"""A cluster as the core sees it: machines that play or verify instead of this one (`executors.other_machines`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bowerbird.harness.extras.cluster.address import ClusterOptions, missing_library
from bowerbird.harness.tournament.events import Progress, WorkersChosen
from bowerbird.harness.tournament.preparation.isolation import TierChoice

if TYPE_CHECKING:
    from bowerbird.harness.extras.cluster.examiner import ClusterExaminer
    from bowerbird.harness.extras.cluster.executor import ClusterExecutor
    from bowerbird.harness.extras.cluster.open_cluster import OpenCluster
    from bowerbird.harness.records.values.game_record import Conditions
    from bowerbird.harness.records.verify.examiner import Examiner
    from bowerbird.harness.referee.game.fault_ledger import FaultLedger
    from bowerbird.harness.referee.spec import BotSpec
    from bowerbird.harness.tournament.executors.contract import RefereeSetup
    from bowerbird.harness.tournament.executors.other_machines import MachinePool


@dataclass(frozen=True, slots=True)
class OpenMachines:
    """A cluster that is ready for a run."""

    cluster: OpenCluster

    @property
    def choice(self) -> TierChoice:
        """The isolation that all workers have."""
        return self.cluster.roster.choice

    @property
    def chosen(self) -> WorkersChosen:
        """The workers that play from the beginning."""
        roster = self.cluster.roster
        return WorkersChosen(len(roster.admitted), roster.machines, tuple(map(str, roster.left_out)))

    def executor(self, setup: RefereeSetup, ledger: FaultLedger, **tools: Any) -> ClusterExecutor:
        """Return the executor of a run."""
        from bowerbird.harness.extras.cluster.executor import ClusterExecutor  # imports trio

        return ClusterExecutor(setup, self.cluster, ledger, **tools)


@dataclass(frozen=True, slots=True)
class ClusterMachines:
    """The cluster that the options of a command name."""

    cluster: ClusterOptions

    @property
    def option(self) -> str:
        """The option that names the cluster."""
        return "--cluster"

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folder with its certificates, which no bot may read."""
        return () if self.cluster.tls is None else (self.cluster.tls,)

    @contextmanager
    def opened(
        self, bots: Iterable[BotSpec], asked: str, hidden: tuple[Path, ...], stored: Conditions | None
    ) -> Iterator[OpenMachines]:
        """Connect, check the workers, and disconnect at the end. Raises MachinesError if none can play."""
        try:
            from bowerbird.harness.extras.cluster.on_worker.site import WantedIsolation
            from bowerbird.harness.extras.cluster.open_cluster import open_cluster
        except ModuleNotFoundError as error:
            raise missing_library(error) from None
        with open_cluster(self.cluster, bots, WantedIsolation(asked, hidden, stored)) as cluster:
            yield OpenMachines(cluster)

    def examiner(self, progress: Progress) -> AbstractContextManager[Examiner]:
        """Connect, and return an examiner that uses the workers. Raises MachinesError if none can work."""
        return self._at_work(progress, "verify")

    def pool(self, progress: Progress, verb: str) -> AbstractContextManager[MachinePool]:
        """Connect, and return a pool that uses the workers. Raises MachinesError if none can work."""
        return self._at_work(progress, verb)

    def _at_work(self, progress: Progress, verb: str) -> AbstractContextManager[ClusterExaminer]:
        try:
            from bowerbird.harness.extras.cluster.examiner import open_examiner
        except ModuleNotFoundError as error:
            raise missing_library(error) from None
        return open_examiner(self.cluster, progress, verb)
