// Reads vitest's JSON reports. Plain JavaScript: npm ci may have failed to install a Node that strips types.
import { existsSync, readFileSync } from "node:fs";

/**
 * How many steps and tests of one execution may pass at their second try only. More of them are no longer explained by a
 * busy machine, and fail the checks.
 */
const MOST_UNSTABLE = 5;

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const print = (text) => process.stdout.write(`${text}\n`);

/** Failed tests, and files that could not be loaded: these have no tests. */
function failuresOf({ numFailedTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return numFailedTests + broken.length;
}

/** The tests that passed when they were tried again, each with its first error. */
function unstableTests({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map(({ fullName, failureMessages }) => `${name}\n  ${fullName}\n  ${failureMessages[0].slice(0, 1000)}`),
  );
}

const COMMANDS = {
  /** Prints the failed tests, and the files that could not be loaded. */
  failures([file]) {
    for (const { name, message, assertionResults } of read(file).testResults) {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      for (const { fullName, failureMessages } of failed)
        print(`${name}\n  ${fullName}\n  ${failureMessages.join("\n").slice(0, 1000)}\n`);
      if (failed.length === 0 && message) print(`${name}\n  ${message.slice(0, 1000)}\n`);
    }
    return true;
  },

  "has-failed": ([file]) => failuresOf(read(file)) > 0,

  "has-failed-tests": ([file]) => read(file).numFailedTests > 0,

  /** Prints the unstable steps and tests, then the sum of the reports and of the failed steps. */
  count([failedSteps, unstableSteps, ...files]) {
    const reports = files.filter((file) => existsSync(file)).map(read);
    const steps = existsSync(unstableSteps) ? readFileSync(unstableSteps, "utf8").trim().split("\n") : [];
    const unstable = [...steps.map((name) => `step ${name}`), ...reports.flatMap(unstableTests)];
    if (unstable.length > 0) print(`${unstable.length} unstable, of ${MOST_UNSTABLE} at most:\n${unstable.join("\n")}`);
    const sum = { passed: 0, failed: Number(failedSteps), skipped: 0 };
    for (const report of reports) {
      sum.passed += report.numPassedTests;
      sum.failed += failuresOf(report);
      sum.skipped += report.numPendingTests + report.numTodoTests;
    }
    if (unstable.length > MOST_UNSTABLE) sum.failed += 1;
    print(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
    return sum.failed === 0;
  },
};

const [command, ...args] = process.argv.slice(2);
process.exitCode = COMMANDS[command](args) ? 0 : 1;
