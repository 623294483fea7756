import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import type { GatewayDeps } from "../deps.ts";
import { startFollowedRun, startRun } from "./start-run.ts";

const REQUEST = { session: { appName: "a", userId: "u", id: "s" }, request: {} };

/** The expected runs that are still held after the call. */
async function heldAfter(answer: (runId: string) => { readonly runId: string }): Promise<readonly string[]> {
  const held: string[] = [];
  const deps = {
    ids: new SequentialIds("run"),
    runStream: {
      expect: (runId: string) => {
        held.push(runId);
        return { [Symbol.dispose]: () => held.pop() };
      },
    },
    runnerService: { startRun: async ({ runId }: { runId: string }) => answer(runId) },
  };
  // The start of a run without data uses no others.
  await startFollowedRun(deps as unknown as GatewayDeps, REQUEST).catch(() => {});
  return held;
}

it("expects the entries of the run that it starts, and of no other", async () => {
  const refuse = (): never => {
    throw new PlatformError("SERVICE_UNAVAILABLE", "There is no runner.");
  };
  expect(await heldAfter((runId) => ({ runId }))).toHaveLength(1);
  expect(await heldAfter(() => ({ runId: "of an earlier call" }))).toEqual([]);
  expect(await heldAfter(refuse)).toEqual([]);
});

it("counts against the budgets of the session's tenant, or else of the caller's", async () => {
  const subjects: unknown[] = [];
  const deps = {
    ids: new SequentialIds("run"),
    runStream: {},
    quotas: { assertBudget: async (subject: unknown) => void subjects.push(subject) },
    runnerService: { startRun: async ({ runId }: { runId: string }) => ({ runId }) },
  } as unknown as GatewayDeps;
  const request = { ...REQUEST, request: { keyId: "key" } };
  await startRun(deps, request);
  const principal = { tenantId: "acme", owner: { kind: "user", userId: "u" } } as unknown as Principal;
  await inCallScope({ principal }, () => startRun(deps, request));
  await startRun(deps, { ...request, session: { ...REQUEST.session, tenantId: "globex" } });
  const subject = { appName: "a", userId: "u", keyId: "key" };
  expect(subjects).toEqual([subject, { tenantId: "acme", ...subject }, { tenantId: "globex", ...subject }]);
});
