import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisTraceStore } from "#adapters/redis/redis-trace-store.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { CallTracer } from "#shared/tracing/call-tracer.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { createRunnerWorld } from "#test/helpers/worlds/runner-world.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";
const HEADERS = { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01` };
const gatewayDefaults = defaultsOf(gatewayConfigSchema);
const USERS = ["ada", "eve"] as const;

interface WireSpan {
  readonly trace_id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One turn of each user, in sessions of one id, by requests with the same `traceparent`. */
async function runBoth(traceStore: TraceStore, trustsTraceParent: boolean) {
  const requestSpans: SpanRecord[] = [];
  const recorded: Promise<void>[] = [];
  const runner = await createRunnerWorld(["of ada", "of eve"], {
    spanSinks: [(session, spans) => void recorded.push(traceStore.record(session, spans))],
  });
  const { store, clock, runStream, service } = runner;
  const tracer = new CallTracer({
    clock,
    ids: new UuidV7Generator(),
    sink: (spans) => void requestSpans.push(...spans),
  });
  const world = await startGateway({
    clock,
    config: { TRUST_TRACEPARENT: trustsTraceParent },
    deps: {
      sessionService: store,
      runJournal: store,
      runnerService: service,
      runStream,
      traceStore,
      requestScope: { tracer },
    },
  });
  const invocations: Record<string, string> = {};
  const events: Record<string, string> = {};
  for (const userId of USERS) {
    await store.createSession({ appName: "app", userId, id: "shared" });
    const payload = {
      appName: "app",
      userId,
      sessionId: "shared",
      newMessage: { role: "user", parts: [{ text: "hi" }] },
    };
    const answer = await world.gateway.inject({ method: "POST", url: "/run", headers: HEADERS, payload });
    const [event] = answer.json<readonly { readonly id: string; readonly invocationId: string }[]>();
    invocations[userId] = event?.invocationId ?? "none";
    events[userId] = event?.id ?? "none";
  }
  await service.whenIdle();
  await Promise.all(recorded);
  return { world, invocations, events, requestSpans, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

const whyNot = whyNoRedis();

describe.each(["memory", "Redis"])("users who send the same traceparent, with traces in %s", (kind) => {
  let server: RedisServer | undefined;
  const isSkipped = kind === "Redis" && whyNot !== undefined;

  beforeAll(async () => {
    if (kind === "Redis" && !isSkipped) server = await RedisServer.start();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  function open(stack: DisposableStack, keyPrefix: string): TraceStore {
    if (server === undefined) return new InMemoryTraceStore();
    const redis = createRedis({ url: server.url });
    stack.defer(() => redis.disconnect());
    return stack.use(new RedisTraceStore({ redis, keyPrefix }));
  }

  it.skipIf(isSkipped).each([true, false])("see their own spans only (TRUST_TRACEPARENT=%s)", async (trusts) => {
    verifies("events:trace:owners");
    using stack = new DisposableStack();
    await using ran = await runBoth(open(stack, `shared-${trusts}`), trusts);
    const { gateway } = ran.world;
    for (const prefix of ["/debug/trace", "/dev/apps/app/debug/trace"]) {
      const unnamed = await gateway.inject(`${prefix}/session/shared`);
      expect([unnamed.statusCode, unnamed.json()]).toMatchObject([409, { reason: "TRACE_AMBIGUOUS" }]);
      for (const [index, userId] of USERS.entries()) {
        const other = USERS[1 - index] ?? "";
        for (const query of [`userId=${userId}`, `user_id=${userId}`]) {
          const spans = (await gateway.inject(`${prefix}/session/shared?${query}`)).json<readonly WireSpan[]>();
          const seen = new Set(spans.map(({ attributes }) => attributes["gcp.vertex.agent.invocation_id"]));
          seen.delete(undefined);
          expect([...seen]).toEqual([ran.invocations[userId]]);
          expect([...new Set(spans.map(({ trace_id }) => trace_id === TRACE_ID))]).toEqual([trusts]);
        }
        const own = await gateway.inject(`${prefix}/${ran.events[userId]}?userId=${userId}`);
        const foreign = await gateway.inject(`${prefix}/${ran.events[userId]}?userId=${other}`);
        expect([own.statusCode, foreign.statusCode]).toEqual([200, 404]);
      }
    }
    expect((await gateway.inject("/debug/trace/session/shared?userId=nobody")).json()).toEqual([]);
  });

  it.skipIf(isSkipped)("get traces of their own by default, which name the client's", async () => {
    using stack = new DisposableStack();
    await using ran = await runBoth(open(stack, "own"), gatewayDefaults.TRUST_TRACEPARENT);
    const roots = ran.requestSpans.filter(({ name }) => name === "POST /run");
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(2);
    for (const { traceId, parentSpanId, attributes } of roots) {
      expect([traceId === TRACE_ID, parentSpanId]).toEqual([false, undefined]);
      expect(attributes).toMatchObject({
        "fairlead.client.trace_id": TRACE_ID,
        "fairlead.client.span_id": CLIENT_SPAN,
      });
    }
  });
});
