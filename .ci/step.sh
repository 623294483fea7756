# Functions that run the steps of .ci/run and count their failures. Logs and test reports are in $CI_WORK_DIR.
FAILED_STEPS=0
declare -A BESIDE=()

# step NAME COMMAND...: runs the command, and prints its log if it fails.
step() {
  local name=$1 log="$CI_WORK_DIR/log-$1" started=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    echo "ok      $name ($((SECONDS - started)) s)"
    return 0
  fi
  echo "FAILED  $name"
  {
    if [[ -f ${TEST_REPORT_FILE:-} ]]; then node .ci/report.mjs failures "$TEST_REPORT_FILE"; fi
    grep -v '^npm warn' "$log" | tail -n 200
  } | sed 's/^/  | /'
  FAILED_STEPS=$((FAILED_STEPS + 1))
  return 1
}

# beside KIND NAME COMMAND...: starts a `step` or `tests` that needs other resources than the steps until `joined NAME`.
beside() {
  (
    FAILED_STEPS=0
    "$@" || true
    exit "$FAILED_STEPS"
  ) >"$CI_WORK_DIR/beside-$2" &
  BESIDE[$2]=$!
}

# joined NAME: waits for the step, and prints and counts its result.
joined() {
  local failed=0
  wait "${BESIDE[$1]}" || failed=$?
  cat "$CI_WORK_DIR/beside-$1"
  FAILED_STEPS=$((FAILED_STEPS + failed))
  return "$failed"
}

# tests NAME COMMAND...: runs a step that reports its tests. If tests failed, they are counted instead of the step. Prints
# the tests that passed only when they were tried again.
tests() {
  local name=$1 report="$CI_WORK_DIR/report-$1.json"
  shift
  if ! TEST_REPORT_FILE=$report step "$name" "$@" && [[ -f $report ]] && node .ci/report.mjs has-failed "$report"; then
    FAILED_STEPS=$((FAILED_STEPS - 1))
  fi
  if [[ -f $report ]]; then node .ci/report.mjs unstable "$report" | sed 's/^/  | /'; fi
}

# Prints the last line. Fails if anything failed.
count() { node .ci/report.mjs count "$FAILED_STEPS" "$CI_WORK_DIR"/report-*.json; }
