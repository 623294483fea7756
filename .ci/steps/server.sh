#!/usr/bin/env bash
# server.sh start | stop | kill | call PATH [CURL OPTIONS...]: the server of the README, as one process group.
# $CI_WORK_DIR/server holds its data, its log since the last start, its URL and, while it runs, the id of its group.
set -uo pipefail
cd "$(dirname "$0")/../.."
DIR="$CI_WORK_DIR/server"

free_port() {
  node -e '
    const server = require("net").createServer().listen(0, "127.0.0.1", () => {
      console.log(server.address().port);
      server.close();
    });'
}

call() { curl --silent --show-error --fail-with-body --max-time 30 "$@"; }

# Returns when the server is ready, within 30 s.
start() {
  local port
  port=$(free_port)
  mkdir -p "$DIR"
  echo "http://127.0.0.1:$port" >"$DIR/url"
  setsid npm start -- --port "$port" --data-dir "$DIR/data" >"$DIR/log" 2>&1 &
  echo $! >"$DIR/group"
  for _ in $(seq 150); do
    call --output /dev/null "$(cat "$DIR/url")/ready" 2>/dev/null && return 0
    kill -0 $! 2>/dev/null || break
    sleep 0.2
  done
  echo "The server is not ready. Its log:"
  cat "$DIR/log"
  return 1
}

signal_group() {
  [[ -f $DIR/group ]] || return 0
  kill "-$1" -- "-$(cat "$DIR/group")" 2>/dev/null
  rm "$DIR/group"
}

# Returns when the server has stopped in good order, within 10 s. npm ends before the server does, so only the last line
# of the log is a proof.
stop() {
  signal_group TERM
  for _ in $(seq 100); do
    grep -q '"code":0,"message":"stopped"' "$DIR/log" && return 0
    sleep 0.1
  done
  echo "The server did not stop in good order within 10 s. The end of its log:"
  tail -n 20 "$DIR/log"
  return 1
}

case $1 in
  start) start ;;
  stop) stop ;;
  kill) signal_group KILL ;;
  call) call "$(cat "$DIR/url")$2" "${@:3}" ;;
  *) echo "server.sh: unknown command $1" && exit 2 ;;
esac
