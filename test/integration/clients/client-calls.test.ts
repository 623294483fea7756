import {
  addUpdate,
  addUserMessage,
  type Conversation,
  conversationOf,
  createAnswer,
  createClient,
  createConfirmation,
  createFilePart,
  EMPTY_CONVERSATION,
  type FairleadClient,
  FairleadError,
  type SessionData,
  toBlob,
} from "fairlead/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClientServer } from "#test/helpers/servers/client-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

let server: ClientServer;
let client: FairleadClient;

beforeAll(async () => {
  server = await ClientServer.start();
  client = createClient({ baseUrl: server.url });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const newSession = (state = {}): Promise<SessionData> =>
  client.sessions.create({ appName: "desk", userId: "ada", state });

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FairleadError)) return error;
  const { code, reason, status, retryable } = error;
  return { code, reason, status, retryable };
}

/** What a page shows, without what differs between a page's own messages and stored ones. */
const shape = ({ messages, waitingCalls }: Conversation) => ({
  messages: messages.map(({ id: _, invocationId: __, ...message }) => message),
  waitingCalls,
});

describe("the client's calls", () => {
  it("list apps", async () => {
    expect(await client.apps.list()).toEqual(["desk", "steps", "team"]);
  });

  it("create, read, change, list and delete sessions", async () => {
    const owner = { appName: "desk", userId: "a/b ü?#%" };
    const created = await client.sessions.create({ ...owner, id: "first & only", state: { color: "blue" } });
    expect(created).toMatchObject({ ...owner, id: "first & only", state: { color: "blue" }, events: [] });
    const changed = await client.sessions.patchState(created, { color: null, size: 3 });
    expect(changed.state).toEqual({ size: 3 });
    await client.sessions.create({ ...owner, id: "second" });
    const first = await client.sessions.list(owner, { pageSize: 1 });
    const second = await client.sessions.list(owner, { pageSize: 1, pageToken: first.nextPageToken });
    const names = [...first.sessions, ...second.sessions].map(({ id }) => id);
    expect(names.toSorted()).toEqual(["first & only", "second"]);
    expect((await client.sessions.get(created, { numRecentEvents: 0 })).events).toEqual([]);
    await client.sessions.delete(created);
    expect(await errorOf(client.sessions.get(created))).toEqual({
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
      status: 404,
      retryable: false,
    });
  });

  it("report the server's errors with their facts", async () => {
    verifies("platform:client:errors");
    const session = await newSession();
    const refused = await client.run({ session: { ...session, id: "none" }, newMessage: "hi" }).catch((e) => e);
    expect(refused).toBeInstanceOf(FairleadError);
    expect(refused).toMatchObject({ reason: "SESSION_NOT_FOUND", requestId: expect.stringMatching(/./) });
    expect(await errorOf(client.sessions.create(session))).toMatchObject({
      reason: "SESSION_ALREADY_EXISTS",
      status: 409,
    });
    expect(await errorOf(client.run({ session, newMessage: [] }))).toMatchObject({ reason: "INVALID_MESSAGE" });
    expect(await errorOf(client.runs.get(".."))).toMatchObject({ reason: "INVALID_IDENTIFIER", status: undefined });
  });

  it("answer whole runs", async () => {
    const session = await newSession();
    const answer = await client.run({ session, newMessage: "hello" });
    expect(answer).toMatchObject({ status: "succeeded", text: "Hello there.", waitingCalls: [] });
    expect(answer.events.map(({ author }) => author)).toEqual(["desk"]);
    const { runs } = await client.runs.list({ session, status: "succeeded" });
    expect(runs).toEqual([await client.runs.get(answer.runId)]);
  });

  it("confirm a call that waits for the user", async () => {
    const session = await newSession();
    const asked = await client.run({ session, newMessage: "pay" });
    expect(asked.status).toBe("awaiting_input");
    expect(asked.waitingCalls).toMatchObject([{ name: "adk_request_confirmation", author: "desk" }]);
    const parts = asked.waitingCalls.map((call) => createConfirmation(call, { confirmed: true }));
    const paid = await client.run({ session, newMessage: parts });
    expect(paid.status).toBe("succeeded");
    expect(await client.runs.get(asked.runId)).toMatchObject({ answeredBy: paid.runId });
    expect(await client.runs.listCalls(asked.runId)).toEqual([]);
  });

  it("confirm it through the inbox, once", async () => {
    const session = await newSession();
    const { runId } = await client.run({ session, newMessage: "pay" });
    const { entries } = await client.inbox.list({ appName: session.appName, userId: session.userId });
    expect(entries.map(({ id }) => id)).toContain(runId);
    expect((await client.inbox.get(runId)).questions).toMatchObject([{ kind: "confirmation", agent: "desk" }]);
    const answered = await client.inbox.answer(runId, { confirmed: true });
    await client.runs.stream(answered.runId)[Symbol.asyncIterator]().next();
    expect(await errorOf(client.inbox.answer(runId, { confirmed: false }))).toMatchObject({ reason: "NOT_WAITING" });
    await expect.poll(async () => (await client.inbox.get(runId)).questions).toEqual([]);
  });

  it("answer a call of a long-running tool", async () => {
    const session = await newSession();
    const asked = await client.run({ session, newMessage: "wait" });
    const call = asked.events.flatMap(({ content }) => content?.parts ?? []).find((part) => part.functionCall);
    const answer = createAnswer(call?.functionCall ?? {}, { approved: true });
    const { events } = await client.run({ session, newMessage: [answer] });
    expect(events.length).toBeGreaterThan(0);
    const stored = (await client.sessions.get(session)).events.filter(({ author }) => author === "user");
    expect(stored.at(-1)?.content?.parts).toEqual([answer]);
  });

  it("return the first result for a repeated key", async () => {
    verifies("platform:client:starts-once");
    const session = await newSession();
    const once = { idempotencyKey: "the same" };
    const first = await client.runs.start({ session, newMessage: "hello" }, once);
    expect((await client.runs.start({ session, newMessage: "hello" }, once)).runId).toBe(first.runId);
    const error = await errorOf(client.runs.start({ session, newMessage: "bye" }, once));
    expect(error).toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
    const again = await client.runs.requeue(first.runId);
    expect(again.runId).not.toBe(first.runId);
  });

  it("save, read, list and delete files", async () => {
    const session = await newSession();
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    const name = "reports/a b?.bin";
    const saved = await client.artifacts.put(session, name, new Blob([bytes], { type: "application/x-bytes" }));
    expect(saved).toMatchObject({ version: 0, mimeType: "application/x-bytes" });
    await client.artifacts.put(session, name, { text: "newer" }, { customMetadata: { by: "ada" } });
    expect(await client.artifacts.list(session)).toEqual([name]);
    const blob = toBlob(await client.artifacts.get(session, name, { version: 0 }));
    expect(new Uint8Array(await blob.arrayBuffer())).toEqual(bytes);
    expect(await toBlob(await client.artifacts.get(session, name)).text()).toBe("newer");
    expect(await client.artifacts.listVersions(session, name)).toMatchObject([
      { version: 0, customMetadata: {} },
      { version: 1, customMetadata: { by: "ada" } },
    ]);
    await client.artifacts.delete(session, name);
    expect(await errorOf(client.artifacts.get(session, name))).toMatchObject({ reason: "ARTIFACT_NOT_FOUND" });
  });

  it("send files in messages", async () => {
    const session = await newSession();
    const file = await createFilePart(new Blob(["a,b\n"], { type: "text/csv" }));
    await client.run({ session, newMessage: [{ text: "hello" }, file] });
    const [message] = conversationOf((await client.sessions.get(session)).events).messages;
    expect(message?.files).toEqual([file]);
  });

  it("add a session to memory", async () => {
    const session = await newSession();
    expect(await client.memory.addSession(session)).toBeUndefined();
    const error = await errorOf(client.memory.addSession({ ...session, id: "none" }));
    expect(error).toMatchObject({ reason: "SESSION_NOT_FOUND" });
  });
});

describe("the conversation of a page", () => {
  it.each(["hello", "look", "pay", "wait", "files", "code", "hotel", "unknown"])(
    "equals the stored one after: %s",
    async (text) => {
      verifies("platform:client:conversation");
      const session = await newSession();
      let conversation = addUserMessage(EMPTY_CONVERSATION, text);
      for await (const update of (await client.stream({ session, newMessage: text })).updates())
        conversation = addUpdate(conversation, update);
      const answers = conversation.waitingCalls.map((call) => createConfirmation(call, { confirmed: true }));
      if (answers.length > 0) {
        conversation = addUserMessage(conversation, answers);
        for await (const update of (await client.stream({ session, newMessage: answers })).updates())
          conversation = addUpdate(conversation, update);
      }
      const { events } = await client.sessions.get(session);
      expect(shape(conversation)).toEqual(shape(conversationOf(events)));
      expect(conversation.messages.length).toBeGreaterThan(1);
    },
  );
});
