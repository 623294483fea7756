import { expect, it } from "vitest";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** The output of a command line, and its exit code. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  await using process = new CliProcess(["runs", ...args], { environment });
  await process.ended;
  return [process.child.exitCode, process.output.trim()];
}

it("reports the outcome of a command to a script by its exit code", { timeout: 60_000 }, async () => {
  const key = { appName: "echo", userId: "u", id: "s" };
  await using world = await startGateway({ script: () => new Promise(() => {}) });
  await world.store.createSession(key);
  const { runId } = await world.runner.startRun({ session: key, request: {} });
  const url = await world.listen();
  expect(await run(["cancel", runId, "--url", url])).toEqual([0, `Run ${runId} is asked to end.`]);
  expect(await run(["show", "nope"], { FAIRLEAD_URL: url })).toEqual([1, "fairlead: Run not found: nope"]);
  expect(await run(["shwo", "nope"])).toEqual([2, expect.stringMatching(/^fairlead: There is no command "runs shwo"/)]);
});
