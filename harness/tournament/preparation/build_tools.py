"""Says which program or library a failed build needs, and how to get it."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Tool:
    """A program that bots' builds use.

    title: what to install, for people. debian: the packages that hold it; "" if Debian has none that is new enough.
    marks: further texts in the output of a build that mean that the program is missing.
    """

    title: str
    debian: str
    marks: tuple[str, ...] = ()


_TOOLS = {
    "go": _Tool("Go 1.26 or newer", ""),
    "cargo": _Tool("Rust 1.85 or newer, with cargo", ""),
    "node": _Tool("Node.js 18 or newer", "nodejs"),
    "npm": _Tool("npm, of Node.js 18 or newer", "nodejs npm"),
    "java": _Tool("a JDK, 17 or newer", "default-jdk-headless"),
    "javac": _Tool("a JDK, 17 or newer", "default-jdk-headless", ("No compiler is provided", "JAVA_HOME")),
    "mvn": _Tool("Maven", "maven"),
    "cmake": _Tool("CMake", "cmake"),
    "make": _Tool("make", "make", ("CMAKE_MAKE_PROGRAM",)),
    "g++": _Tool("a C++ compiler", "g++", ("CMAKE_CXX_COMPILER",)),
    "cc": _Tool("a C compiler", "gcc"),
    "pkg-config": _Tool("pkg-config", "pkg-config", ("PKG_CONFIG_EXECUTABLE",)),
    "protoc": _Tool("the protocol compiler", "protobuf-compiler"),
    "grpc_cpp_plugin": _Tool("the gRPC plugin of the protocol compiler", "protobuf-compiler-grpc"),
    "grpc_ruby_plugin": _Tool("the gRPC plugin of the protocol compiler", "protobuf-compiler-grpc"),
}

_LIBRARIES = {"grpc++": "libgrpc++-dev", "protobuf": "libprotobuf-dev"}
"""C++ libraries by their names in pkg-config, and the packages of Debian that hold them."""

_GRPC_PROGRAMS = ("protoc", "grpc_cpp_plugin")
"""The programs with which a C++ bot makes its code for gRPC."""

_SHELL = re.compile(r"(?:^|: )([\w.+-]+): (?:command )?not found$", re.MULTILINE)


def missing_program(name: str) -> str:
    """Return what to do about a program that is not on the PATH, as the end of a sentence; "" if it is there."""
    if "/" in name or shutil.which(name) is not None:
        return ""
    tool = _TOOLS.get(name)
    advice = "install it" if tool is None else f"install {tool.title}{_packages(tool.debian)}"
    return f"needs {name!r}, which is not on the PATH: {advice}"


def missing_tool(output: str) -> str:
    """Return what a build was missing according to its output, as the end of a sentence; "" if unknown."""
    for name, tool in _TOOLS.items():
        if (_says_missing(output, name) or any(mark in output for mark in tool.marks)) and (
            missing := missing_program(name)
        ):
            return missing
    if libraries := [name for name in _LIBRARIES if _lacks_library(output, name)]:
        return _missing_libraries(libraries)
    for name in _SHELL.findall(output):
        if missing := missing_program(name):
            return missing
    return ""


def _lacks_library(output: str, name: str) -> bool:
    """Return whether pkg-config says that it has not found a library."""
    word = re.escape(name)
    return re.search(rf"[Pp]ackage '{word}'.*not found|No package '{word}' found", output) is not None


def _missing_libraries(libraries: list[str]) -> str:
    """Return what to do about C++ libraries, as the end of a sentence.

    CMake stops at the libraries, before it looks for the programs that make the code of gRPC. Missing programs are
    named together with the libraries, so that nobody has to find them one at a time.
    """
    programs = [name for name in _GRPC_PROGRAMS if "grpc++" in libraries and shutil.which(name) is None]
    named = "the C++ librar" + ("y " if len(libraries) == 1 else "ies ") + _and(libraries)
    if programs:
        named += f", and {_and(programs)} on the PATH"
    packages = dict.fromkeys([_LIBRARIES[name] for name in libraries] + [_TOOLS[name].debian for name in programs])
    return f"needs {named}: install {'it' if len(libraries + programs) == 1 else 'them'}{_packages(' '.join(packages))}"


def _and(names: list[str]) -> str:
    return " and ".join(map(repr, names))


def _says_missing(output: str, name: str) -> bool:
    """Return whether a shell, CMake, Cargo or env says that it has not found a program."""
    word = re.escape(name)
    ways = (
        rf"(?<![\w./-]){word}: (?:command )?not found",
        rf"[Cc]ould not find `{word}`",
        rf"following names:[^\n]*(?<=\s){word}(?!\S)",
        rf"linker `{word}` not found",
        rf"['‘]?(?<![\w./-]){word}['’]?: No such file or directory",
    )
    return any(re.search(way, output) for way in ways)


def _packages(names: str) -> str:
    return f" (on Debian and Ubuntu: apt-get install {names})" if names else ""
