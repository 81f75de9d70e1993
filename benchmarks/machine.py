"""Facts about the machine used for a measurement: hardware, load, and relevant versions."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("grpcio", "protobuf", "trio", "click", "sqlite-utils", "numpy", "scipy")


def facts() -> dict[str, object]:
    """Return the facts needed to compare two runs of the benchmarks."""
    return {
        "when": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
        "cores": os.cpu_count(),
        "processor": _processor(),
        "memory_mb": _memory_mb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "go": _output("go", "version"),
        "versions": {name: version(name) for name in LIBRARIES},
        "commit": _output("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
        "load": [round(value, 2) for value in os.getloadavg()],
    }


def described(known: dict[str, object]) -> str:
    """Return the facts as one line."""
    load = " ".join(map(str, known["load"])) if isinstance(known["load"], list) else ""
    return (
        f"{known['when']}: {known['cores']} cores ({known['processor']}), {known['python']}, {known['system']}, "
        f"commit {known['commit']}, load at the start {load}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


def _output(*command: str) -> str:
    """Return the output of a program; "" if it is not installed."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
