"""The analysis on the command line and on pages."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Look at results": {
            "analyse": "Show what each decision in a run cost.",
        },
    },
    adds={"marks": {"analysis": "marks"}, "lessons": {"analysis": "lessons"}, "beside": {"analysis": "travelling"}},
)
