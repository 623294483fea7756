import { expect, it, onTestFinished } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { EVERYBODY } from "#services/gateway/identity/caller.ts";
import { LiveClient } from "#test/helpers/live/live-client.ts";
import type { LiveScript } from "#test/helpers/live/scripted-live-runner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const QUERY = "/run_live?app_name=echo&user_id=u&session_id=s";

const BY_KEY: Authenticator = {
  authenticate: () => ({ ...EVERYBODY, source: "api-key", subject: "key:k", keyId: "k", userId: "u" }),
};

/** Says the number and the text of each message, until one closes the conversation. */
const NUMBERED: LiveScript = async ({ inputs, taken, say, request: { signal } }) => {
  for (let next = await inputs.next(); next.done !== true; next = await inputs.next()) {
    const { n, request } = next.value;
    taken(n);
    if (request.close === true) return;
    await say(`${n}: ${request.content?.parts?.map(({ text }) => text ?? "file").join()}`);
  }
  // The call has ended, and not the conversation.
  if (signal?.aborted === true) throw new PlatformError("STORE_UNAVAILABLE", "The call is cut off.");
};

async function serve(options: GatewayWorldOptions = {}) {
  const world = await startGateway({ live: NUMBERED, ...options });
  onTestFinished(() => world[Symbol.asyncDispose]());
  await world.store.createSession(KEY);
  const live = (await world.listen()) + QUERY;
  const connect = async (more = "") => {
    const client = await LiveClient.connect(live + more);
    onTestFinished(() => client[Symbol.asyncDispose]());
    return client;
  };
  const talk = async (more = "") => {
    const client = await connect(more);
    client.send({ close: true });
    return client.closed;
  };
  return { ...world, connect, talk, calls: world.liveRunner?.calls ?? [] };
}

it.each([
  ["of the server", { config: { MAX_STREAMS_PER_USER: 1 } }],
  [
    "of the operator",
    { deps: { authenticators: [BY_KEY], quotas: quotasOf("defaults: { user: { openStreams: 1 } }") } },
  ],
] as const)(
  "a user has as many conversations at once as the limit %s allows, and a closed one makes room",
  async (_, options) => {
    verifies("platform:live:limits", "platform:live:closes");
    const { connect, talk } = await serve(options);
    const first = await connect();
    first.say("hello");
    await first.texts(1);
    for (let repeat = 0; repeat < 2; repeat += 1) expect((await talk()).code).toBe(1013);
    first.socket.terminate();
    await first.closed;
    await expect.poll(async () => (await talk()).code).toBe(1000);
  },
);

it("closes with 1013 for a caller whose budget for models is used up", async () => {
  verifies("platform:live:closes");
  const quotas = quotasOf("defaults: { user: { tokensPerDay: 0 } }");
  const { talk, calls } = await serve({ deps: { quotas } });
  expect(await talk()).toMatchObject({ code: 1013 });
  expect(calls).toEqual([]);
});

it("gives the run the caller's key and the longest time of a run", async () => {
  const { talk, calls } = await serve({ config: { RUN_TIMEOUT_MS: 7000 }, deps: { authenticators: [BY_KEY] } });
  await talk();
  const open = await serve({ config: { RUN_TIMEOUT_MS: 0, AUTO_CREATE_SESSION: true } });
  await open.talk();
  const given = [...calls, ...open.calls].map(({ timeoutMs, request }) => [
    timeoutMs,
    request.keyId,
    request.autoCreateSession,
  ]);
  expect(given).toEqual([
    [7000, "k", undefined],
    [undefined, undefined, true],
  ]);
});

it("interrupts a conversation that has the session, and waits behind a run of another kind", async () => {
  const { connect, calls, store } = await serve();
  const first = await connect();
  await expect.poll(() => calls.length).toBe(1);
  await connect();
  await expect.poll(() => calls.length).toBe(2);
  first.socket.terminate();
  const session = { ...KEY, id: "t" };
  await store.createSession(session);
  const request = { newMessage: { role: "user", parts: [{ text: "go" }] }, streaming: false };
  const run = { runId: "other", session, invocationId: "e-other", request, policy: "enqueue" } as const;
  await store.begin({ ...run, holder: "test", leaseMs: 60_000, haveRevision: 0 });
  const waiting = await LiveClient.connect(first.socket.url.replace("session_id=s", "session_id=t"));
  onTestFinished(() => waiting[Symbol.asyncDispose]());
  await expect.poll(() => calls.length).toBe(3);
  expect(calls.map(({ policy }) => policy)).toEqual([undefined, "interrupt", undefined]);
});

it("stores large data before the runner gets it, and keeps the order of what follows", async () => {
  const saved = Promise.withResolvers<void>();
  const sizes: (number | undefined)[] = [];
  class SlowArtifacts extends InMemoryArtifactService {
    override async saveArtifact(...given: Parameters<InMemoryArtifactService["saveArtifact"]>) {
      sizes.push(given[0].artifact.inlineData?.data?.length);
      await saved.promise;
      return super.saveArtifact(...given);
    }
  }
  const { connect } = await serve({ deps: { artifactService: new SlowArtifacts({}) } });
  const client = await connect();
  const inlineData = { mimeType: "image/png", data: "A".repeat(400_000) };
  client.send({ content: { role: "user", parts: [{ inlineData }] } });
  client.say("two");
  client.say("three");
  await expect.poll(() => sizes).toEqual([400_000]);
  saved.resolve();
  expect(await client.texts(3)).toEqual(["1: file", "2: two", "3: three"]);
});

it("closes for state that is larger than the limit of a session", async () => {
  verifies("platform:live:closes");
  const { connect } = await serve({ config: { MAX_STATE_BYTES: 1000 } });
  const client = await connect();
  client.send({ stateDelta: { note: "x".repeat(2000) } });
  expect(await client.closed).toMatchObject({ code: 1007, reason: expect.stringContaining("state") });
});

type Frame = { readonly runId?: string; readonly sequence?: number; readonly event?: { readonly content: Content } };
const textsOf = (client: LiveClient) =>
  // A client that can resume gets its events in frames.
  (client.events as unknown as Frame[]).flatMap(({ event }) => event?.content.parts?.[0]?.text ?? []);

it("a client that comes back continues its run, its messages and the events that it lacks", async () => {
  verifies("platform:live:runners");
  const { connect, calls } = await serve();
  const first = await connect("&resumable=true");
  first.say("one");
  first.say("two");
  await expect.poll(() => textsOf(first)).toEqual(["1: one", "2: two"]);
  const [{ runId } = {}, { sequence } = {}] = first.events as unknown as Frame[];
  expect([typeof runId, sequence]).toEqual(["string", 1]);
  first.socket.terminate();
  const back = await connect(`&resumable=true&run_id=${runId}&after_sequence=${sequence}&next=3`);
  back.say("three");
  await expect.poll(() => textsOf(back)).toEqual(["2: two", "3: three"]);
  expect(calls.map((call) => [call.runId, call.resumes])).toEqual([
    [runId, false],
    [runId, true],
  ]);
});

it.each([
  ["of another session", "u", "other"],
  ["of another user", "v", "s"],
])("a client that names a run %s begins a new one", async (_, userId, id) => {
  verifies("platform:live:runners");
  const { connect, calls, store } = await serve();
  await store.createSession({ appName: "echo", userId, id });
  const first = await connect("&resumable=true");
  first.say("mine");
  await expect.poll(() => textsOf(first)).toEqual(["1: mine"]);
  const { runId } = (first.events as unknown as Frame[])[0] ?? {};
  const url = first.socket.url.replace("user_id=u", `user_id=${userId}`).replace("session_id=s", `session_id=${id}`);
  const other = await LiveClient.connect(`${url}&run_id=${runId}`);
  onTestFinished(() => other[Symbol.asyncDispose]());
  await expect.poll(() => calls.length).toBe(2);
  expect(calls[1]).toMatchObject({ resumes: false, session: { userId, id } });
  expect(calls[1]?.runId).not.toBe(runId);
});

it("a client whose run has ended begins a new one", async () => {
  verifies("platform:live:runners");
  const { connect, calls } = await serve();
  const first = await connect("&resumable=true");
  first.send({ close: true });
  await first.closed;
  const { runId } = (first.events as unknown as Frame[])[0] ?? {};
  const back = await connect(`&resumable=true&run_id=${runId}`);
  back.send({ close: true });
  expect((await back.closed).code).toBe(1000);
  expect(calls.map(({ resumes }) => resumes)).toEqual([false, false]);
  expect(calls[1]?.runId).not.toBe(runId);
});
