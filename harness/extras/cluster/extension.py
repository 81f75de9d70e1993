"""What a cluster adds: commands that prepare one, and --cluster of the commands that play and verify."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Leagues and other machines": {
            "cluster": "Prepare and check a cluster for runs on many machines.",
        },
    },
    adds={"machines": {"cluster": "options"}},
)
