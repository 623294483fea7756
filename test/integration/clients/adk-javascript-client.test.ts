import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AdkApiClient, type ClientEvent, findJavaScriptClient } from "#test/helpers/clients/adk-clients.ts";
import { ClientServer } from "#test/helpers/servers/client-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

const Client = await findJavaScriptClient();

/** `fetch` with headers on each request: the client has no setting for them. */
function fetchWith(headers: Readonly<Record<string, string>>): typeof fetch {
  const send = globalThis.fetch;
  return (input, init = {}) => send(input, { ...init, headers: { ...init.headers, ...headers } });
}

function brief({ content, errorCode, partial }: ClientEvent): string {
  const words = content?.parts?.map(({ text, functionCall, functionResponse }) =>
    functionCall === undefined ? (text ?? `answer ${functionResponse?.name}`) : `call ${functionCall.name}`,
  );
  return `${partial === true ? "~" : ""}${errorCode ?? ""}${words?.join(" | ") ?? ""}`;
}

const SERVERS = [
  { name: "Google's JavaScript client", options: {}, anonymous: 200 },
  { name: "Google's JavaScript client below a path", options: { prefix: "/team-a" }, anonymous: 200 },
  { name: "Google's JavaScript client on a server with authentication", options: { userId: "js" }, anonymous: 401 },
];

describe.skipIf(Client === undefined).each(SERVERS)("$name", ({ options, anonymous }) => {
  let server: ClientServer;
  let client: AdkApiClient;

  beforeAll(async () => {
    server = await ClientServer.start(options);
    expect((await fetch(`${server.url}/list-apps`)).status).toBe(anonymous);
    if (server.apiKey !== "") vi.stubGlobal("fetch", fetchWith({ authorization: `Bearer ${server.apiKey}` }));
    if (Client !== undefined) client = new Client({ backendUrl: server.url });
  });

  afterAll(async () => {
    vi.unstubAllGlobals();
    await server[Symbol.asyncDispose]();
  });

  const talkOf = async (sessionId: string) => {
    const talk = { appName: "desk", userId: "js", sessionId };
    await client.createSession(talk);
    const run = (newMessage: unknown, streaming = false) =>
      Array.fromAsync(client.runAsync({ ...talk, newMessage, streaming }));
    return { talk, run };
  };
  const answer = (event: ClientEvent | undefined, response: object) => {
    const call = event?.content?.parts?.findLast(({ functionCall }) => functionCall)?.functionCall;
    return { role: "user", parts: [{ functionResponse: { ...call, args: undefined, response } }] };
  };

  it("reads streamed answers with chunks and calls of tools", async () => {
    verifies("wire:sse:framing", "what-the-service-does:run-streamed");
    const { run } = await talkOf("stream");
    const answered = "Let me think. | Hello there.";
    expect((await run("hello", true)).map(brief)).toEqual(["~Hello ", answered]);
    expect((await run("look", true)).map(brief)).toEqual([
      "call look | call look",
      "answer look | answer look",
      "~Hello ",
      answered,
    ]);
  });

  it("reads questions, answers them, and reads what follows", async () => {
    const { run } = await talkOf("answers");
    const asked = await run("pay");
    expect(asked.map(brief)).toEqual(["call pay", "answer pay", "call adk_request_confirmation"]);
    const confirmed = await run(answer(asked.at(-1), { confirmed: true }));
    expect(confirmed[0]?.content?.parts?.[0]?.functionResponse?.response).toEqual({ paid: 900 });
    const waiting = await run("wait");
    expect(waiting[0]?.longRunningToolIds).toHaveLength(1);
    const resumed = await run(answer(waiting[0], { status: "approved" }));
    expect(resumed.map(brief).at(-1)).toBe("Let me think. | Hello there.");
    const byItself = await run("ask");
    const refused = await run(answer(byItself.at(-1), { confirmed: false }));
    expect(refused[0]?.content?.parts?.[0]?.functionResponse?.response).toEqual({ answered: false });
  });

  it("gets the stored error event of a failing run, and then the error frame as an exception", async () => {
    const { talk } = await talkOf("failure");
    const events: string[] = [];
    const read = async () => {
      for await (const event of client.runAsync({ ...talk, newMessage: "fail" })) events.push(brief(event));
    };
    await expect(read()).rejects.toThrow();
    expect(events).toHaveLength(1);
    await expect(Array.fromAsync(client.runAsync({ ...talk, sessionId: "none", newMessage: "hi" }))).rejects.toThrow();
  });

  it("lists apps, sessions and artifacts, reads them, and deletes them", async () => {
    const { talk, run } = await talkOf("rest");
    await run("files");
    expect(await client.listApps()).toEqual(["desk", "steps", "team"]);
    expect((await client.getSession(talk)).events.map(brief)).toEqual([
      ...["files", "call write_files", "answer write_files", "Let me think. | Hello there."],
    ]);
    expect((await client.listSessions(talk)).map(({ id }) => id)).toContain("rest");
    expect(await client.listArtifacts(talk)).toEqual(["a.txt", "b.png"]);
    expect(await client.loadArtifact({ ...talk, artifactName: "a.txt" })).toEqual({ text: "a" });
    expect(await client.loadArtifact({ ...talk, artifactName: "a.txt", version: 0 })).toEqual({ text: "a" });
    expect(await client.listArtifactVersions({ ...talk, artifactName: "b.png" })).toEqual([0]);
    await client.deleteArtifact({ ...talk, artifactName: "b.png" });
    expect(await client.listArtifacts(talk)).toEqual(["a.txt"]);
    expect((await client.listAllSessions(talk)).map(({ id }) => id)).toContain("rest");
    await client.deleteSession(talk);
    expect((await client.listSessions(talk)).map(({ id }) => id)).not.toContain("rest");
  });
});
