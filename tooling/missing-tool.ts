/**
 * Reports why tests are skipped. Throws instead if `REQUIRE_TEST_TOOLS=1`, which is set where all tools were installed,
 * so that tests fail if a tool is missing.
 */
export function skipFor(subject: string, reason: string): void {
  if (process.env["REQUIRE_TEST_TOOLS"] === "1")
    throw new Error(`${subject} cannot be tested, and REQUIRE_TEST_TOOLS=1 wants it to be: ${reason}`);
  process.stderr.write(`${subject} is not tested: ${reason}\n`);
}
