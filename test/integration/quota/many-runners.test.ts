import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisQuotaLedger } from "#adapters/redis/redis-quota-ledger.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

const RUNNERS = 4;
const RUNS = 50;
const BUDGET = 1000;
const USAGE = { promptTokenCount: 20, candidatesTokenCount: 20, totalTokenCount: 40 };
const RULES = `{ defaults: { user: { tokensPerDay: ${BUDGET} } } }`;

describe.skipIf(whyNoRedis() !== undefined)("quotas of several runners", () => {
  let server: RedisServer | undefined;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  const connect = () => createRedis({ url: server?.url ?? "" });

  /** Runners that share sessions and Redis, each with a connection of its own. */
  function openRunners(keyPrefix: string) {
    const stack = new AsyncDisposableStack();
    const clock = systemClock;
    const ids = new UuidV7Generator();
    const store = new InMemorySessionStore({ clock, ids });
    const runStream = new InMemoryRunStream({ clock });
    const answer = async () => {
      // Other runs begin their calls meanwhile.
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      return { content: { role: "model", parts: [{ text: "well" }] }, usageMetadata: USAGE };
    };
    const model = new ScriptedModel([answer], { repeatLast: true });
    const open = (index: number) => {
      const redis = connect();
      stack.defer(() => redis.disconnect());
      const ledger = stack.use(new RedisQuotaLedger({ redis, clock, keyPrefix }));
      const agent = new LlmAgent({ name: "app", model, generateContentConfig: { maxOutputTokens: 20 } });
      const service = createRunnerService({
        agentLoader: new StaticAgentLoader([agent]),
        sessionService: store,
        runJournal: store,
        artifactService: new InMemoryArtifactService({ clock }),
        memoryService: new InMemoryMemoryService({ clock, ids }),
        runStream,
        spanSinks: [],
        quotas: quotasOf(RULES, { ledger, ids }),
        clock,
        ids,
        logger: silentLogger,
        config: loadConfig(runnerConfigSchema, {}),
        holder: `runner-${index}`,
      });
      return { service: stack.use(service), ledger };
    };
    return { store, model, runners: Array.from({ length: RUNNERS }, (_, index) => open(index)), stack };
  }

  const countOf = async (ledger: RedisQuotaLedger, user: string) => {
    const counts = [{ name: `tokensPerDay:user:${user}`, window: "day", max: BUDGET } as const];
    return (await ledger.read({ counts }))[0];
  };

  it("exceed a budget by one call of each at most, and use nearly all of it", async () => {
    verifies("quotas:budgets");
    const { store, model, runners, stack } = openRunners("budget");
    await using _ = stack;
    const start = async (index: number) => {
      const session = { appName: "app", userId: "ada", id: `s${index}` };
      await store.createSession(session);
      const service = runners[index % RUNNERS]?.service;
      return service?.startRun({ session, request: { newMessage: userContent("x".repeat(40)) } });
    };
    const started = await Promise.all(Array.from({ length: RUNS }, (_, index) => start(index)));
    await Promise.all(runners.map(({ service }) => service.whenIdle()));
    const records = await Promise.all(started.map((run) => store.get(run?.runId ?? "")));
    const reasons = records.map((run) => run?.error?.reason ?? run?.status);
    const succeeded = reasons.filter((reason) => reason === "succeeded").length;
    expect(new Set(reasons)).toEqual(new Set(["succeeded", "QUOTA_EXCEEDED"]));
    expect(model.callCount).toBe(succeeded);
    const call = USAGE.totalTokenCount;
    expect(succeeded * call).toBeLessThanOrEqual(BUDGET + RUNNERS * call);
    expect(succeeded * call).toBeGreaterThanOrEqual(BUDGET - call);
    const [first] = runners;
    if (first === undefined) throw new Error("There is no runner.");
    await expect.poll(() => countOf(first.ledger, "ada")).toMatchObject({ used: succeeded * call, reserved: 0 });
  });

  it("are free again when a runner is killed: its reservations end with their lease", async () => {
    verifies("quotas:lost-runner");
    const child = spawn(process.execPath, ["--input-type=module", "--eval", HOLD], {
      env: { ...process.env, REDIS: server?.url ?? "" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const redis = connect();
    await using ledger = new RedisQuotaLedger({ redis, clock: systemClock, keyPrefix: "killed" });
    expect(await countOf(ledger, "ada")).toMatchObject({ used: 10, reserved: 900 });
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect.poll(() => countOf(ledger, "ada")).toMatchObject({ used: 10, reserved: 0 });
    redis.disconnect();
  });
});

/** A process that reserves and then does nothing, but renews its reservation. */
const HOLD = `
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisQuotaLedger } from "#adapters/redis/redis-quota-ledger.ts";
import { systemClock } from "#kit/platform/clock.ts";
const ledger = new RedisQuotaLedger({ redis: createRedis({ url: process.env.REDIS }), clock: systemClock, keyPrefix: "killed" });
const count = { name: "tokensPerDay:user:ada", window: "day", max: 1000 };
await ledger.spend({ charges: [{ ...count, amount: 10 }] });
await ledger.reserve({ id: "one", charges: [{ ...count, amount: 900 }], leaseMs: 3000 });
console.log("reserved");
setInterval(() => {}, 1000);
`;
