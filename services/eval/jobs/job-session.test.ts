import { expect, it } from "vitest";
import { textOf, userContent } from "#kit/events/content.ts";
import { createdJob } from "#test/contract/evaluations/eval-job-world.ts";
import { evalCase } from "#test/contract/evaluations/eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";
import { JobSession } from "./job-session.ts";
import { type EvalWorkerDeps, NO_CREDENTIALS } from "./worker-deps.ts";

const { signal } = new AbortController();

/** The session of a case, as each process that runs the case has it. */
function sessionOf({ deps }: GatewayWorld, index: number, retry = 0): JobSession {
  const parts = { job: { ...createdJob("j1"), appName: "echo" }, evalCase: evalCase("a"), describeApp: undefined };
  return new JobSession(
    // What a session uses of a worker.
    { ...deps, config: { RUN_TIMEOUT_MS: 0 } } as unknown as EvalWorkerDeps,
    { ...parts, index, retry, credentials: NO_CREDENTIALS, call: (work) => work() },
  );
}

it("a turn that another process has run is not run again, and one of an interrupted conversation is", async () => {
  verifies("platform:evaluation:job");
  let executed = 0;
  const script: RunScript = async (run) => {
    executed += 1;
    return run.say("well");
  };
  await using world = await startGateway({ script });
  const turnOf = async (session: JobSession) => {
    await session.open();
    const request = { evalCase: evalCase("a"), turn: 0, message: userContent("hello"), signal };
    const { events } = await session.startTurn(request);
    return [session.sessionId, events.map(({ content }) => textOf(content))];
  };
  const first = await turnOf(sessionOf(world, 3));
  expect(first).toEqual(["___eval___session___j1-3", ["hello", "well"]]);
  expect(await turnOf(sessionOf(world, 3))).toEqual(first);
  expect(executed).toBe(1);
  expect(await turnOf(sessionOf(world, 3, 1))).toEqual(["___eval___session___j1-3-1", ["hello", "well"]]);
  expect(executed).toBe(2);
});
