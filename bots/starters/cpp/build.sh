#!/bin/sh
# Makes target/bot, as CMakeLists.txt says.
set -eu
cmake -S . -B target -DCMAKE_BUILD_TYPE=Release >&2
cmake --build target
