# Functions that run the steps of .ci/run and count their failures. Logs and test reports are in $CI_WORK_DIR.
FAILED_STEPS=0
declare -A BESIDE=()

# step NAME COMMAND...: runs the command. If it fails, prints its log and runs it once more: a failure that does not
# repeat is an entry of the list of unstable steps and tests. Failed tests were tried again by the command itself, except
# with REPEAT_STEP=1.
step() {
  local name=$1 log="$CI_WORK_DIR/log-$1" started=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    echo "ok      $name ($((SECONDS - started)) s)"
    return 0
  fi
  if [[ -n ${REPEAT_STEP:-} ]] || ! has_failed_tests; then
    print_failure "AGAIN   $name" "$log"
    if "$@" >"$log" 2>&1; then
      echo "$name" >>"$CI_WORK_DIR/unstable-steps"
      echo "ok      $name ($((SECONDS - started)) s, at the second try)"
      return 0
    fi
  fi
  print_failure "FAILED  $name" "$log"
  FAILED_STEPS=$((FAILED_STEPS + 1))
  return 1
}

# Files of tests that could not be loaded, or whose preparation failed, have no failed tests.
has_failed_tests() { [[ -f ${TEST_REPORT_FILE:-} ]] && node .ci/report.mjs has-failed-tests "$TEST_REPORT_FILE"; }

print_failure() {
  echo "$1"
  {
    if [[ -f ${TEST_REPORT_FILE:-} ]]; then node .ci/report.mjs failures "$TEST_REPORT_FILE"; fi
    grep -v '^npm warn' "$2" | tail -n 200
  } | sed 's/^/  | /'
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

# tests NAME COMMAND...: runs a step that reports its tests. If tests failed, they are counted instead of the step.
tests() {
  local name=$1 report="$CI_WORK_DIR/report-$1.json"
  shift
  if ! TEST_REPORT_FILE=$report step "$name" "$@" && [[ -f $report ]] && node .ci/report.mjs has-failed "$report"; then
    FAILED_STEPS=$((FAILED_STEPS - 1))
  fi
}

# Prints what was unstable, and the last line. Fails if anything failed.
count() { node .ci/report.mjs count "$FAILED_STEPS" "$CI_WORK_DIR/unstable-steps" "$CI_WORK_DIR"/report-*.json; }
