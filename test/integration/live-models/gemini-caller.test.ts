import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { ask, ECHO, MODEL, openCall } from "#test/helpers/live/gemini-call.ts";
import { GeminiLiveServer } from "#test/helpers/live/gemini-live-server.ts";

describe("the caller's side", () => {
  it("is rid of a socket that is being opened when the run is cancelled", async () => {
    await using server = await GeminiLiveServer.start({ onSetup: () => true });
    const run = new AbortController();
    const opening = openCall(server, { signal: run.signal });
    await expect.poll(() => server.setups.length).toBe(1);
    run.abort(new Error("cancelled"));
    await expect(opening).rejects.toThrow("cancelled");
    await expect.poll(() => server.openCount).toBe(0);
  });

  it("does not reconnect after close", async () => {
    await using server = await GeminiLiveServer.start(ECHO);
    const { connection, talk } = await openCall(server);
    server.last.terminate();
    await connection.close();
    await talk.over;
    await connection.sendContent(userContent("nobody listens"));
    expect(talk.error).toBeUndefined();
    await expect.poll(() => server.openCount).toBe(0);
    expect(server.last.state.turns).not.toContain("user: nobody listens");
  });

  it("continues a session of another process with its handle", async () => {
    await using server = await GeminiLiveServer.start(ECHO);
    const first = await openCall(server);
    await ask(first, "one");
    await expect.poll(() => first.talk.with("liveSessionResumptionUpdate").length).toBe(1);
    const [update] = first.talk.with("liveSessionResumptionUpdate");
    await first.connection.close();
    const handle = update?.newHandle ?? "";
    const second = await openCall(server, { resumption: { handle, model: MODEL } });
    expect(second.connection.resumed).toBe(true);
    await ask(second, "two");
    expect(server.last.state.turns.filter((turn) => turn === "user: Hello")).toHaveLength(1);
    const other = await openCall(server, { resumption: { handle, model: "gpt-realtime-2.1" } });
    expect(other.connection.resumed).toBe(false);
    const unknown = await openCall(server, { resumption: { handle: "expired", model: MODEL } });
    expect(unknown.connection.resumed).toBe(false);
    for (const { connection } of [second, other, unknown]) await connection.close();
  });

  it("survives frames that no document promises", async () => {
    await using server = await GeminiLiveServer.start(ECHO);
    const call = await openCall(server);
    for (const junk of ["", "not json", "[]", "null", '"text"', Buffer.from([0, 255, 1])]) server.last.raw(junk);
    server.send(server.last, {
      serverContent: { modelTurn: { parts: "none" }, inputTranscription: 7 },
      toolCall: null,
    });
    server.send(server.last, { toolCall: { functionCalls: {} }, toolCallCancellation: { ids: ["c1", 2] } });
    await ask(call, "one");
    expect(call.talk.with("cancelledCallIds")).toEqual([["c1"]]);
    await call.connection.close();
  });

  it("ends a session of which nothing can be read", async () => {
    await using server = await GeminiLiveServer.start(ECHO);
    const call = await openCall(server);
    for (let count = 0; count < 101; count += 1) server.last.raw("not json");
    await ask(call, "one");
    expect(server.setups).toHaveLength(2);
    await call.connection.close();
  });
});
