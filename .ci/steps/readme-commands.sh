#!/usr/bin/env bash
# Runs the README's commands against the sample agent `weather`, or the first other app. restart.sh reads their session.
set -uo pipefail
cd "$(dirname "$0")"

first_app() {
  node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).find((app) => app !== "bench"))'
}

message() {
  local content='{"role":"user","parts":[{"text":"Hello"}]}'
  echo '{"appName":"'"$app"'","userId":"u","sessionId":"s","newMessage":'"$content"',"streaming":'"$1"'}'
}

post() { ./server.sh call "$1" --no-buffer --header 'Content-Type: application/json' --data @-; }

./server.sh start || exit 1
app=weather
./server.sh call /list-apps | grep '"weather"' || app=$(./server.sh get /list-apps | first_app)
session="/apps/$app/users/u/sessions/s"
echo "$session" >"$CI_WORK_DIR/session"
echo '{}' | post "$session" >/dev/null || exit 1
message false | post /run | grep '"content"' || exit 1
message true | post /run_sse | grep '^data: ' || exit 1
./server.sh call "$session" | grep '"events":\[{'
