// Reads vitest's JSON reports. Plain JavaScript: npm ci may have failed to install a Node that strips types.
import { existsSync, readFileSync } from "node:fs";

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const print = (text) => process.stdout.write(`${text}\n`);

/** Failed tests, and files that could not be loaded: these have no tests. */
function failuresOf({ numFailedTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return numFailedTests + broken.length;
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

  /** Prints the tests that passed when they were tried again, each with its first error. */
  unstable([file]) {
    for (const { name, assertionResults } of read(file).testResults)
      for (const { status, fullName, failureMessages } of assertionResults)
        if (status === "passed" && failureMessages.length > 0)
          print(`unstable ${name}\n  ${fullName}\n  ${failureMessages[0].slice(0, 400)}`);
    return true;
  },

  "has-failed": ([file]) => failuresOf(read(file)) > 0,

  /** Prints the sum of the reports and of the failed steps. */
  count([failedSteps, ...files]) {
    const sum = { passed: 0, failed: Number(failedSteps), skipped: 0 };
    for (const report of files.filter((file) => existsSync(file)).map(read)) {
      sum.passed += report.numPassedTests;
      sum.failed += failuresOf(report);
      sum.skipped += report.numPendingTests + report.numTodoTests;
    }
    print(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
    return sum.failed === 0;
  },
};

const [command, ...args] = process.argv.slice(2);
process.exitCode = COMMANDS[command](args) ? 0 : 1;
