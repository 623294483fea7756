import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import { userContent } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { ScriptedStep } from "#kit/testing/scripted-model.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import type { QuotaLedger } from "#ports/quota/quota-ledger.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";

const answerOf = (usageMetadata?: UsageMetadata): LlmResponse => ({
  content: { role: "model", parts: [{ text: "well" }] },
  ...(usageMetadata !== undefined && { usageMetadata }),
});
const TEN: UsageMetadata = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };

async function start(steps: readonly ScriptedStep[], text: string, ledger?: QuotaLedger) {
  const clock = new FixedClock();
  const quotas = quotasOf(text, { clock, ...(ledger !== undefined && { ledger }) });
  const world = await createRunnerWorld(steps, { quotas, clock });
  const run = async (session: SessionKey = KEY, keyId?: string): Promise<RunRecord | undefined> => {
    const { runId } = await world.service.startRun({
      session,
      request: { newMessage: userContent("hello"), ...(keyId !== undefined && { keyId }) },
    });
    await world.service.whenIdle();
    return world.store.get(runId, session.tenantId);
  };
  const used = async (subject: Parameters<typeof quotas.limitsOf>[0]) => {
    const uses = await quotas.read(subject, quotas.limitsOf(subject));
    return uses.map(({ applied, state }) => `${applied.scope} ${applied.limit} ${state.used}/${state.reserved}`);
  };
  return { ...world, clock, quotas, run, used };
}

it("reserves for 30 seconds, which a process renews as long as it lives", async () => {
  verifies("quotas:lost-runner", "quotas:streams");
  const leases: number[] = [];
  const memory = new InMemoryQuotaLedger({ clock: new FixedClock() });
  const ledger: QuotaLedger = {
    spend: (request) => memory.spend(request),
    read: (request) => memory.read(request),
    settle: (reservation, amounts) => memory.settle(reservation, amounts),
    reserve: (reservation) => {
      leases.push(reservation.leaseMs);
      return memory.reserve(reservation);
    },
  };
  const rules = "defaults: { user: { tokensPerDay: 1000, openStreams: 2 } }";
  const { run } = await start([answerOf(TEN)], rules, ledger);
  await run();
  const release = await quotasOf(rules, { ledger }).hold({ userId: "ada" }, "openStreams");
  release();
  expect(leases).toEqual([30_000, 30_000]);
});

it("counts what each call has used for the run's key, user, app and tenant", async () => {
  verifies("quotas:budgets");
  const world = await start(
    [answerOf(TEN), answerOf(TEN)],
    `
defaults:
  key: { tokensPerDay: 100000 }
  user: { tokensPerDay: 100000, usdPerMonth: 5 }
  app: { tokensPerMonth: 100000 }
  tenant: { usdPerDay: 10 }
prices: { script*: { input: 2, output: 10 } }
`,
  );
  await world.run(KEY, "k1");
  await world.run();
  expect(await world.used({ keyId: "k1", userId: "ada", appName: "app" })).toEqual([
    "key tokensPerDay 10/0",
    "user tokensPerDay 20/0",
    "user usdPerMonth 88/0",
    "app tokensPerMonth 20/0",
    "tenant usdPerDay 88/0",
  ]);
  expect(await world.used({ keyId: "k2", userId: "bob", appName: "other" })).toEqual([
    "key tokensPerDay 0/0",
    "user tokensPerDay 0/0",
    "user usdPerMonth 0/0",
    "app tokensPerMonth 0/0",
    "tenant usdPerDay 88/0",
  ]);
});

it("ends a run with QUOTA_EXCEEDED when its next call has no room, and names the limit and the reset", async () => {
  const world = await start([answerOf(TEN), "never"], "defaults: { user: { tokensPerDay: 10 } }");
  expect((await world.run())?.status).toBe("succeeded");
  expect(await world.run()).toMatchObject({
    status: "failed",
    error: {
      code: "RESOURCE_EXHAUSTED",
      reason: "QUOTA_EXCEEDED",
      message: "The quota of this user is used up: tokensPerDay is 10. It has room again in 86400 seconds.",
    },
  });
  expect(await world.texts()).toEqual(["user: hello", "app: well", "user: hello", "app: QUOTA_EXCEEDED"]);
  expect(world.model.callCount).toBe(1);
  world.clock.advance(86_400_000);
  await world.store.createSession({ ...KEY, id: "next day" });
  expect((await world.run({ ...KEY, id: "next day" }))?.status).toBe("succeeded");
});

it("keeps the budgets of tenants and users apart", async () => {
  const world = await start([answerOf(TEN), answerOf(TEN), answerOf(TEN)], "defaults: { user: { tokensPerDay: 10 } }");
  await world.run();
  for (const other of [
    { ...KEY, userId: "bob" },
    { ...KEY, tenantId: "acme" },
  ]) {
    await world.store.createSession(other);
    expect((await world.run(other))?.status).toBe("succeeded");
  }
  expect((await world.run())?.error?.reason).toBe("QUOTA_EXCEEDED");
});

it.each<readonly [string, ScriptedStep, string]>([
  ["reports negative numbers", answerOf({ promptTokenCount: -100, totalTokenCount: -1e300 }), "14/0"],
  ["reports more than there can be", answerOf({ promptTokenCount: 1e300, totalTokenCount: 1e300 }), "14/0"],
  ["reports nothing", answerOf(), "14/0"],
  ["fails before it answers", new PlatformError("MODEL_UNAVAILABLE", "down"), "0/0"],
  ["fails in its answer", [{ ...answerOf(TEN), partial: true }, new Error("cut")], "10/0"],
])("counts a call whose model %s", async (_, step, expected) => {
  const world = await start([step], "defaults: { user: { tokensPerDay: 1000000000000000 } }");
  const { runId } = await world.start("hello", { streaming: true });
  await world.read(runId);
  expect(await world.used({ userId: "ada" })).toEqual([`user tokensPerDay ${expected}`]);
});

it("reserves the prompt and the longest answer of a call while it is in progress", async () => {
  const held = Promise.withResolvers<LlmResponse>();
  const begun = Promise.withResolvers<void>();
  const world = await start(
    [
      () => {
        begun.resolve();
        return held.promise;
      },
    ],
    "{ defaults: { user: { tokensPerDay: 100 } }, reservedOutputTokens: 40 }",
  );
  const { runId } = await world.start("hello");
  await begun.promise;
  expect(await world.used({ userId: "ada" })).toEqual(["user tokensPerDay 0/53"]);
  held.resolve(answerOf(TEN));
  await world.read(runId);
  expect(await world.used({ userId: "ada" })).toEqual(["user tokensPerDay 10/0"]);
});

it("counts the prompt of a cancelled run's call, which the model may have read", async () => {
  const begun = Promise.withResolvers<void>();
  const world = await start(
    [
      () => {
        begun.resolve();
        return new Promise<LlmResponse>(() => {});
      },
    ],
    "defaults: { user: { tokensPerDay: 100000 } }",
  );
  const { runId } = await world.start("hello");
  await begun.promise;
  await world.service.cancelRun(runId);
  await world.read(runId);
  expect(await world.used({ userId: "ada" })).toEqual(["user tokensPerDay 13/0"]);
});

it("refuses a model without a price, or counts it as free", async () => {
  const refused = await start(["never"], "{ defaults: { user: { usdPerDay: 1 } }, unpricedModels: refuse }");
  expect((await refused.run())?.error?.reason).toBe("MODEL_WITHOUT_PRICE");
  expect(refused.model.callCount).toBe(0);
  const free = await start([answerOf(TEN)], "defaults: { user: { usdPerDay: 1 } }");
  expect((await free.run())?.status).toBe("succeeded");
  expect(await free.used({ userId: "ada" })).toEqual(["user usdPerDay 0/0"]);
});

it.each([
  ["refuses calls", "", "QUOTA_UNAVAILABLE", []],
  ["allows calls, and counts them later", "whenUnavailable: { budgets: allow }", undefined, [[10]]],
] as const)("%s while the counts cannot be read", async (_, demand, reason, settled) => {
  verifies("quotas:unavailable");
  const settlements: (readonly number[])[] = [];
  const fail = async () => {
    throw new PlatformError("STORE_UNAVAILABLE", "lost");
  };
  const ledger = {
    spend: fail,
    reserve: fail,
    read: fail,
    settle: (_: unknown, amounts: readonly number[]) => void settlements.push(amounts),
  };
  const world = await start([answerOf(TEN)], `defaults: { user: { tokensPerDay: 100 } }\n${demand}`, ledger);
  expect((await world.run())?.error?.reason).toBe(reason);
  expect(settlements).toEqual(settled);
});

it("does nothing for runs without a budget", async () => {
  const clock = new FixedClock();
  const ledger = new InMemoryQuotaLedger({ clock });
  const world = await start([answerOf(TEN)], "defaults: { user: { requestsPerMinute: 1 } }", ledger);
  expect((await world.run())?.status).toBe("succeeded");
  expect(ledger.size).toBe(0);
});
