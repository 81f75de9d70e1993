"""A cluster's commands on the command line, and --cluster for the commands that play and verify."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Leagues and other machines": {
            "cluster": "Prepare and check a cluster for runs on many machines.",
        },
    },
    adds={"machines": {"cluster": "options"}},
)
