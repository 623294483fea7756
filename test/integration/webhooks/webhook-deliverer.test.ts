import { expect, it, onTestFinished, vi } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { TabularWebhookStore } from "#ports/webhooks/tabular-webhook-store.ts";
import type { Webhook, WebhookDelivery } from "#ports/webhooks/webhook.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";
import type { ManagedKeys } from "#services/gateway/identity/identity.ts";
import type { ReceiverOutcome } from "#services/gateway/push/call-receiver.ts";
import { noteRuns } from "#services/gateway/runs/note-runs.ts";
import { RETRY_SECONDS } from "#services/gateway/webhooks/delivery-times.ts";
import { newSecret } from "#services/gateway/webhooks/sign-webhook.ts";
import { watchRuns } from "#services/gateway/webhooks/watch-runs.ts";
import { WebhookDeliverer } from "#services/gateway/webhooks/webhook-deliverer.ts";
import { WebhookDirectory } from "#services/gateway/webhooks/webhook-directory.ts";
import type { MessageToSend, WebhookSender } from "#services/gateway/webhooks/webhook-sender.ts";
import { newEvent, newWebhook } from "#test/contract/webhooks/webhook-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OK: ReceiverOutcome = { answer: "answered", status: 204 };
const BROKEN: ReceiverOutcome = { answer: "answered", status: 500, problem: "it answered with the status 500" };

type Answer = (url: string, message: MessageToSend) => ReceiverOutcome | Promise<ReceiverOutcome>;

async function startWorld({ apiKeys }: { readonly apiKeys?: ManagedKeys } = {}) {
  const clock = new FixedClock();
  const store = new TabularWebhookStore({ table: new InMemoryRowTable() });
  const audited: AuditDecision[] = [];
  const auditor = { note: (decision: AuditDecision) => void audited.push(decision), require: async () => {} };
  const counted: string[] = [];
  const countWebhook = (outcome: string) => void counted.push(outcome);
  const world = await startGateway({ clock, deps: { auditor, countWebhook } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const deps: GatewayDeps = { ...world.deps, apiKeys };
  const sent: WebhookDelivery[] = [];
  let answer: Answer = () => OK;
  const sender: Pick<WebhookSender, "send"> = {
    send: async (url, message) => {
      const outcome = await answer(url, message);
      sent.push(message.delivery as WebhookDelivery);
      return outcome;
    },
  };
  /** A gateway that is not stopped in the test. Work of its own that never ends is not waited for. */
  const lose = (used: WebhookStore = store) => {
    const directory = new WebhookDirectory(used, world.deps.logger);
    const options = { store: used, directory, sender: sender as WebhookSender, isShared: true, lookMs: 5 };
    const deliverer = new WebhookDeliverer(deps, options);
    deliverer.look();
    onTestFinished(() => void deliverer.stop());
    const runner = noteRuns(
      ended(world.store),
      watchRuns({ store: used, directory, clock, look: () => deliverer.look() }),
    );
    return { deliverer, directory, runner };
  };
  const start = (used?: WebhookStore) => {
    const gateway = lose(used);
    onTestFinished(() => gateway.deliverer.stop());
    return gateway;
  };
  const add = (id: string, members: Partial<Webhook> = {}) =>
    store.create(
      newWebhook(id, { events: ["run.started", "run.succeeded"], ...members }),
      { secret: newSecret() },
      100,
    );
  const states = async (webhookId = "w1") =>
    (await store.listDeliveries({ webhookId, pageSize: 100 })).deliveries.map(({ state, attempts }) => [
      state,
      attempts,
    ]);
  const post = (about: string, webhookId = "w1", sessionId = "s1") => {
    const session = { ...newEvent("").session, id: sessionId };
    return store.post({ webhookId }, newEvent(about, { session }), clock.now());
  };
  return {
    ...{ ...world, clock, webhooks: store, sent, audited, counted, lose, start, add, states, post },
    answerWith: (given: Answer) => {
      answer = given;
    },
  };
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** A run under this id, which has ended. */
async function startRun({ store }: World, runner: Pick<GatewayDeps["runnerService"], "startRun">, runId: string) {
  const session = { appName: "echo", userId: "ada", id: "talk" };
  if ((await store.getSession(session)) === undefined) await store.createSession(session);
  await runner.startRun({ runId, session, request: { newMessage: { role: "user", parts: [{ text: "Hi" }] } } });
}

const aboutOf = ({ body }: WebhookDelivery) => (JSON.parse(body) as { data: { about: string } }).data.about;
const typesOf = (sent: readonly WebhookDelivery[]) => sent.map(({ type }) => type);

it("loses no end and repeats no message if a gateway is killed between a run's end and the commit of its message", async () => {
  verifies("webhooks:durable");
  const world = await startWorld();
  await world.add("w1");
  const stuck = Promise.withResolvers<void>();
  const killed: WebhookStore = changed(world.webhooks, {
    settleRuns: () => {
      stuck.resolve();
      return new Promise(() => {});
    },
  });
  const { runner } = world.lose(killed);
  await startRun(world, runner, "r1");
  world.clock.advance(SECOND);
  await stuck.promise;
  await vi.waitFor(() => expect(typesOf(world.sent)).toEqual(["run.started", "run.succeeded"]));
  world.start();
  world.clock.advance(MINUTE);
  // The other gateway adds what it finds, and finds it added.
  await expect
    .poll(async () => (await world.webhooks.listDue(10)).filter(({ key }) => key.startsWith("runs/")))
    .toEqual([]);
  expect(typesOf(world.sent)).toEqual(["run.started", "run.succeeded"]);
});

it("reports a run whose gateway was killed at its start, and forgets one that never began", async () => {
  verifies("webhooks:durable");
  const world = await startWorld();
  await world.add("w1");
  const silent: WebhookStore = changed(world.webhooks, { listDue: async () => [] });
  const { runner } = world.lose(silent);
  await startRun(world, runner, "r1");
  const lost = { startRun: () => Promise.reject(new Error("killed")) };
  const watch = {
    store: world.webhooks,
    directory: new WebhookDirectory(world.webhooks, world.deps.logger),
    clock: world.clock,
    look: () => {},
  };
  await expect(startRun(world, noteRuns({ ...ended(world.store), ...lost }, watchRuns(watch)), "r2")).rejects.toThrow(
    "killed",
  );
  world.start();
  world.clock.advance(MINUTE);
  await vi.waitFor(() => expect(typesOf(world.sent)).toEqual(["run.started", "run.succeeded"]));
  world.clock.advance(11 * MINUTE);
  await expect
    .poll(async () => (await world.webhooks.listDue(10)).filter(({ key }) => key.startsWith("runs/")))
    .toEqual([]);
});

it("does not start a run that it cannot note, and notes none that nobody wants to hear of", async () => {
  verifies("webhooks:durable");
  const world = await startWorld();
  await world.add("w1", { apps: ["other"] });
  const watch = vi.fn<WebhookStore["watch"]>(() => Promise.reject(new Error("no store")));
  const all = vi.fn<WebhookStore["all"]>((version) => world.webhooks.all(version));
  const { runner, directory } = world.start(changed(world.webhooks, { watch, all }));
  await vi.waitFor(() => expect(directory.isRead).toBe(true));
  await startRun(world, runner, "r1");
  expect(watch).not.toHaveBeenCalled();
  await world.webhooks.update({ webhookId: "w1" }, (webhook) => ({ ...webhook, apps: ["echo"] }));
  await vi.waitFor(() => expect(directory.known({ appName: "echo", userId: "ada", id: "" })).toHaveLength(1));
  await expect(startRun(world, runner, "r2")).rejects.toThrow("no store");
  expect(await world.store.get("r2")).toBe(undefined);
});

it("sends the messages of a session in their order, and lets them wait for one that fails", async () => {
  verifies("webhooks:order", "webhooks:retries");
  const world = await startWorld();
  await world.add("w1");
  let failures = 2;
  world.answerWith((_url, { delivery }) =>
    aboutOf(delivery as WebhookDelivery) === "a" && (failures -= 1) >= 0 ? BROKEN : OK,
  );
  for (const about of ["a", "b", "c"]) await world.post(about);
  await world.post("other", "w1", "s2");
  for (let count = 0; count < 3; count += 1) world.start();
  await vi.waitFor(() => expect(world.sent.map(aboutOf).toSorted()).toEqual(["a", "other"]));
  world.clock.advance(4 * SECOND);
  await vi.waitFor(() => expect(world.sent).toHaveLength(2));
  world.clock.advance(3 * SECOND);
  await vi.waitFor(() => expect(world.sent).toHaveLength(3));
  world.clock.advance(6 * MINUTE);
  await vi.waitFor(() => expect(world.sent).toHaveLength(6));
  expect(world.sent.map(aboutOf).filter((about) => about !== "other")).toEqual(["a", "a", "a", "b", "c"]);
  expect(new Set(world.sent.map(({ id, body }) => id + body)).size).toBe(4);
  expect(world.counted.toSorted()).toEqual([...Array(4).fill("delivered"), "failed", "failed"]);
});

it("sends a message again under its id if a gateway is killed after the receiver has taken it", async () => {
  verifies("webhooks:order");
  const world = await startWorld();
  await world.add("w1");
  await world.post("a");
  await world.post("b");
  const killed: WebhookStore = changed(world.webhooks, { settleMessage: () => new Promise(() => {}) });
  world.lose(killed);
  await vi.waitFor(() => expect(world.sent.map(aboutOf)).toEqual(["a"]));
  world.start();
  world.clock.advance(20 * SECOND);
  expect(world.sent).toHaveLength(1);
  world.clock.advance(11 * SECOND);
  await vi.waitFor(() => expect(world.sent.map(aboutOf)).toEqual(["a", "a", "b"]));
  expect(world.sent[0]?.id).toBe(world.sent[1]?.id);
});

it("gives a message up after ten attempts, notes that, and sends the next one", async () => {
  verifies("webhooks:retries");
  const world = await startWorld();
  await world.add("w1");
  world.answerWith((_url, { delivery }) => (aboutOf(delivery as WebhookDelivery) === "a" ? BROKEN : OK));
  await world.post("a");
  await world.post("b");
  world.start();
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await vi.waitFor(() => expect(world.sent.length).toBeGreaterThanOrEqual(attempt));
    world.clock.advance(1.2 * SECOND * (RETRY_SECONDS[attempt - 1] ?? 0));
  }
  await vi.waitFor(() => expect(world.sent.map(aboutOf)).toEqual([...Array(10).fill("a"), "b"]));
  await expect
    .poll(() => world.states())
    .toEqual(
      expect.arrayContaining([
        ["dead", 10],
        ["delivered", 1],
      ]),
    );
  expect(world.audited).toMatchObject([
    { subject: "webhook:w1", action: "giveUpWebhookMessage", decision: "refused", reason: BROKEN.problem },
  ]);
});

it("lets a slow receiver hold up its own messages alone", async () => {
  verifies("webhooks:receivers");
  const world = await startWorld();
  await world.add("w1");
  await world.add("w2", { url: "https://other.example.com/" });
  const open: (() => void)[] = [];
  world.answerWith(async (url) => {
    if (!url.includes("other")) await new Promise<void>((resolve) => open.push(resolve));
    return OK;
  });
  for (let session = 0; session < 60; session += 1) await world.post(`a${session}`, "w1", `s${session}`);
  for (let session = 0; session < 60; session += 1) await world.post(`a${session}`, "w2", `s${session}`);
  const { deliverer } = world.lose();
  await expect
    .poll(async () => {
      world.clock.advance(100);
      return (await world.states("w2")).filter(([state]) => state === "delivered").length;
    })
    .toBe(60);
  expect(open).toHaveLength(32);
  world.answerWith(() => OK);
  for (const end of open) end();
  await deliverer.stop();
});

it.each([
  ["of eight hosts", (n: number) => `https://stalled${n}.example.com/`],
  ["of one host", (n: number) => `https://stalled.example.com/${n}`],
])("keeps places for other receivers while eight stalled ones %s have many messages", async (_, urlOf) => {
  verifies("webhooks:receivers");
  const world = await startWorld();
  const open: (() => void)[] = [];
  world.answerWith(async (url) => {
    if (url.includes("stalled")) await new Promise<void>((resolve) => open.push(resolve));
    return OK;
  });
  for (let n = 0; n < 8; n += 1) {
    await world.add(`stalled${n}`, { url: urlOf(n) });
    for (let session = 0; session < 40; session += 1)
      await world.post(`a${session}`, `stalled${n}`, `s${n}-${session}`);
  }
  await world.add("w1", { url: "https://other.example.com/" });
  // Due after all others.
  world.clock.advance(1);
  for (let session = 0; session < 5; session += 1) await world.post(`b${session}`, "w1", `other${session}`);
  const { deliverer } = world.lose();
  await expect.poll(() => world.states()).toEqual(Array.from({ length: 5 }, () => ["delivered", 1]));
  expect(open.length).toBeGreaterThan(8);
  expect(open.length).toBeLessThan(200);
  world.answerWith(() => OK);
  for (const end of open) end();
  await deliverer.stop();
});

it("turns off a webhook whose API key is revoked", async () => {
  verifies("webhooks:access");
  const apiKeys = { callerOfId: async () => undefined } as unknown as ManagedKeys;
  const world = await startWorld({ apiKeys });
  await world.add("w1", { keyId: "k1" });
  const { deliverer } = world.start();
  const session = { appName: "echo", userId: "ada", id: "s1" };
  await deliverer.report({ type: "run.succeeded", timeMs: 1, session, about: "x", data: {} });
  expect(await world.webhooks.get({ webhookId: "w1" })).toMatchObject({
    enabled: false,
    disabledReason: "key_revoked",
  });
  expect(world.audited).toMatchObject([{ action: "turnOffWebhook", reason: "key_revoked" }]);
  expect(await world.states()).toEqual([]);
});

/** A runner's service whose runs have the given ids, and end at once. */
function ended(journal: World["store"]): GatewayDeps["runnerService"] {
  return {
    startRun: async ({ runId = "", session, request, policy = "enqueue" }) => {
      const named = { runId, session, invocationId: `e-${runId}`, request, policy };
      const begun = await journal.begin({ ...named, holder: "test", leaseMs: MINUTE, haveRevision: 0 });
      if (begun.kind !== "started") throw new Error("The run waits.");
      await journal.finish({ lease: begun.lease, afterRevision: 0, events: [], status: "succeeded" });
      return begun.run;
    },
    cancelRun: (runId) => journal.cancel(runId),
    listApps: async () => [],
    describeApp: async () => {
      throw new Error("No test asks for this.");
    },
  };
}

/** The store with other methods. */
function changed(store: TabularWebhookStore, methods: Partial<WebhookStore>): WebhookStore {
  const own: Readonly<Record<PropertyKey, unknown>> = { ...methods };
  return new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      return own[name] ?? (typeof method === "function" ? method.bind(target) : method);
    },
  });
}
