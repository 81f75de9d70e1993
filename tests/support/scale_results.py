"""What the benchmarks of scale write, made up: the input of the tables on the page scale.md."""

from __future__ import annotations

from typing import Any

FITS: list[dict[str, Any]] = [
    {"games": 1000, "bots": 10, "fit": 0.12, "memory": 66 << 20},
    {"games": 100_000, "bots": 1000, "over": 120},
]
HOUSING = [
    {
        "bot": "python",
        "isolation": tier,
        "processes": 1.0,
        "threads": 9.0,
        "cpu": 0.36,
        "resident": 40 << 20,
        "private": 18 << 20,
        "referee": 1 << 19,
        "referee_threads": 3.8,
    }
    for tier in ("none", "sandbox")
]
LEFT_OUT = {"bot": "go", "isolation": "none", "left_out": "no go here"}
TASK = [{"sets": 64, "block": 23_040, "setup": 1982, "result": 525_247, "result_packed": 82_304}]
COST: dict[str, Any] = {"fits": FITS, "housing": HOUSING, "task": TASK}
MILLION: dict[str, Any] = {
    "decisions": 1_000_000,
    "games": 8_000,
    "sets": 4_000,
    "wall": 50.0,
    "peak_referee": 100 << 20,
    "growth": {"first": 80 << 20, "last": 84 << 20},
    "database": 70_000_000,
    "archive": 6_000_000,
    "rows": {"job": 4_000, "game": 8_000, "seat": 32_000},
    "standings": 8.0,
    "verify": 80.0,
}
BENCH: dict[str, Any] = {
    "figures": {
        key: {"label": key, "median": value}
        for key, value in {
            "compiled": 20_000.0,
            "compiled.own": 36.0,
            "compiled.bots": 14.0,
            "compiled.batch": 37.5,
            "compiled.jobs": 30_000.0,
            "python.bots": 36.0,
            "store.many": 400.0,
            "one": 1_500.0,
            "python.jobs": 20_000.0,
        }.items()
    }
}
CLUSTER: dict[str, Any] = {
    "paired": {"workers": 2, "jobs": 20_000.0, "cluster": 19_000.0, "ratios": [0.9, 0.95, 1.0], "ratio": 0.95},
    "through": [
        {
            "workers": 2,
            "idle": idle,
            "scheduler_core": 0.02,
            "scheduler_share": 0.01,
            "run_core": 0.05,
            "calls_a_second": 1.5,
            "blocks_a_second": 0.25,
            "sent_a_set": 400.0,
            "received_a_set": 8_200.0,
            "call_median": 0.004,
            "call_p99": 0.009,
        }
        for idle in (0, 50)
    ],
    "call": {"median": 0.004, "p99": 0.009},
    "run_cpu_a_set": 0.003,
}
SIMULATED: dict[str, Any] = {
    "bots": 1000,
    "rounds": 20,
    "simulated": 4,
    "sets_a_match": 427,
    "costs": {"decisions": 235.0, "decision": 9e-5, "message": 5e-4, "start": 0.1, "call": 0.005}
    | {"deliver": 0.0004, "save": 0.0007},
    "stored_a_set": 16_000.0,
    "assumed": ["call"],
    "losses": {"a_worker_and_day": 1.0, "away": 20.0},
    "rows": [
        {"thinking_ms": 0.0, "workers": 10, "wall": 3600.0, "idle": 0.25, "busy": 0.5, "calls": 1000, "losses": 2}
        | {"wasted": 100.0, "away": 260.0, "most_waiting": 2048, "sets": 450_000}
    ],
}
MACHINE = {"cores": 2, "processor": "a", "python": "b", "system": "c", "when": "d", "commit": "e", "load": [9.0, 1.0]}
