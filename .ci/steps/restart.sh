#!/usr/bin/env bash
# Checks that the session of readme-commands.sh has its events after a restart of the server.
set -uo pipefail
cd "$(dirname "$0")"
./server.sh stop && ./server.sh start && ./server.sh call "$(cat "$CI_WORK_DIR/session")" | grep '"events":\[{'
