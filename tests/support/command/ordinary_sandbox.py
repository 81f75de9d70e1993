"""A program in the sandbox of a referee that is an ordinary user, without root's rights."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.command.ordinary_command import ordinary_python
from tests.support.deadline import DEADLINE_S

START = """
import json, subprocess, sys
from pathlib import Path
from bowerbird.harness.referee.isolation.sandbox import Sandbox
from bowerbird.harness.referee.isolation.seccomp import passing_filter
from bowerbird.harness.referee.spec import BotSpec

folder, bounded, *command = json.loads(sys.argv[1])
bot = BotSpec(
    name="a", version="1", author="", command=(sys.executable, *command), cwd=Path(folder), build=(), environment={},
    variants=("*",), tables=1, memory_mb=512, read=(), source=Path(folder), fingerprint="",
)
launch = Sandbox().launch(bot, {})
with passing_filter(launch.argv, memory_is_bounded=bounded) as (argv, descriptors):
    done = subprocess.run(argv, cwd=launch.cwd, env=dict(launch.environment), pass_fds=descriptors)
sys.exit(done.returncode)
"""


def run_python_in_ordinary_sandbox(
    program: Path, arguments: Sequence[str], *, memory_is_bounded: bool
) -> subprocess.CompletedProcess[str]:
    """Run a program that needs only the standard library, in a folder of its own that everybody may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copyfile(program, folder / "program.py")
        request = json.dumps([name, memory_is_bounded, "program.py", *arguments])
        return subprocess.run(
            [*ordinary_python(), "-c", START, request],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE_S,
        )
