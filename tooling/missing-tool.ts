/**
 * Says aloud why tests are skipped. With `REQUIRE_TEST_TOOLS=1`, as where everything that can be installed was installed, it throws instead:
 * a tool that has gone missing then fails the tests that need it.
 */
export function skipFor(subject: string, reason: string): void {
  if (process.env["REQUIRE_TEST_TOOLS"] === "1")
    throw new Error(`${subject} cannot be tested, and REQUIRE_TEST_TOOLS=1 wants it to be: ${reason}`);
  process.stderr.write(`${subject} is not tested: ${reason}\n`);
}
