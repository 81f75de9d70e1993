"""Programs in several languages start in a sandbox and reach their seat's socket, from any folder."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import trio

from bowerbird.harness.referee.isolation.sandbox import Sandbox
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import Process, Supervisor
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.referee.spec import BotSpec
from tests.support.referee.isolated import require
from tests.support.referee.tables import bot

GREETING = b"here I am\n"

PYTHON = """
import os, socket
with socket.socket(socket.AF_UNIX) as seat:
    seat.connect(os.environ["BOWERBIRD_ADDRESS"].removeprefix("unix:"))
    seat.sendall(b"here I am\\n")
"""

NODE = """
const seat = require('net').connect(process.env.BOWERBIRD_ADDRESS.slice(5), () => {
    seat.end('here I am\\n', () => process.exit(0));
});
"""

JAVA = """
import java.net.*; import java.nio.*; import java.nio.channels.*;
public class Main {
    public static void main(String[] words) throws Exception {
        var place = UnixDomainSocketAddress.of(System.getenv("BOWERBIRD_ADDRESS").substring(5));
        try (var seat = SocketChannel.open(place)) { seat.write(ByteBuffer.wrap("here I am\\n".getBytes())); }
    }
}
"""

GO = """
package main
import ("net"; "os")
func main() {
    seat, err := net.Dial("unix", os.Getenv("BOWERBIRD_ADDRESS")[5:])
    if err != nil { panic(err) }
    seat.Write([]byte("here I am\\n"))
    seat.Close()
}
"""


def _python(folder: Path) -> tuple[str, ...]:
    (folder / "main.py").write_text(PYTHON)
    return (sys.executable, "main.py")


def _node(folder: Path) -> tuple[str, ...]:
    (folder / "main.js").write_text(NODE)
    return (_found("node"), "main.js")


def _java(folder: Path) -> tuple[str, ...]:
    (folder / "Main.java").write_text(JAVA)
    subprocess.run(["javac", "Main.java"], cwd=folder, check=True)
    return (_found("java"), "-Xmx64m", "Main")


def _go(folder: Path) -> tuple[str, ...]:
    (folder / "main.go").write_text(GO)
    quiet = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "GOTOOLCHAIN": "local"}
    subprocess.run(["go", "build", "-o", "main", "main.go"], cwd=folder, check=True, env=quiet)
    return (str(folder / "main"),)


def _found(program: str) -> str:
    path = shutil.which(program)
    assert path is not None
    return path


async def start(spec: BotSpec, folder: Path, sandbox: Sandbox) -> tuple[Process, bytes]:
    """Run the bot in a sandbox to its end; return the process and what came over its socket."""
    address = folder / "seat.sock"
    launcher = Supervisor(SupervisorHandle.start())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(launcher.run)
        with trio.socket.socket(trio.socket.AF_UNIX) as listener:
            await listener.bind(str(address))
            address.chmod(0o666)
            listener.listen()
            seat: Mapping[str, str] = {"BOWERBIRD_ADDRESS": f"unix:{address}"}
            process = await launcher.start(sandbox.launch(spec, seat), OutputLog(folder / "log"), nursery)
            await process.ended.wait()
            assert process.exit_status is not None
            assert process.exit_status.status == 0, f"{process.exit_status}: {process.stderr.text}"
            stream, _ = await listener.accept()
            said = await stream.recv(100)
        await launcher.close()
        return process, said


@pytest.mark.parametrize(
    "make",
    [
        _python,
        pytest.param(_node, marks=pytest.mark.toolchain("node")),
        pytest.param(_java, marks=pytest.mark.toolchain("java", "javac")),
        pytest.param(_go, marks=pytest.mark.toolchain("go")),
    ],
)
@pytest.mark.usefixtures("processes")
async def test_a_program_in_a_closed_folder_reaches_its_seat(
    tmp_path: Path, make: Callable[[Path], tuple[str, ...]]
) -> None:
    """Only its owner may enter the bot's folder, as with a clone into a folder of mktemp -d."""
    require("sandbox")
    folder = tmp_path / "closed"
    folder.mkdir()
    command = make(folder)
    folder.chmod(0o700)
    spec = dataclasses.replace(bot("a", command=command), cwd=folder, source=folder, environment={})
    _, said = await start(spec, tmp_path, Sandbox())
    assert said == GREETING
