import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { eventually, openCall } from "#test/helpers/live/open-call.ts";
import { verifies } from "#test/helpers/verifies.ts";

async function start(options: Partial<ConstructorParameters<typeof LlmAgent>[0]> = {}) {
  const model = new ScriptedModel([], { live: [] });
  return openCall(new LlmAgent({ name: "helper", model, ...options }), model);
}

const blob = { mimeType: "audio/pcm", data: "AAAA" };

describe("a request of a client", () => {
  it("reaches the model with the first of its members, and its signals", async () => {
    verifies("server-objects:live-request:json");
    const call = await start();
    call.queue.send({ activityStart: true, activityEnd: true, blob });
    call.queue.send({ activityEnd: true, audioStreamEnd: true });
    call.queue.send({ audioStreamEnd: true, blob });
    call.queue.send({ blob, content: userContent("not sent") });
    call.queue.close();
    expect(await call.ended).toBeUndefined();
    expect(call.sent()).toEqual([
      { kind: "realtime", input: { activityStart: true } },
      { kind: "realtime", input: { activityEnd: true } },
      { kind: "realtime", input: { audioStreamEnd: true } },
      { kind: "realtime", input: { blob } },
      { kind: "close" },
    ]);
  });

  it("changes the state at once, on the first frame and beside any other member", async () => {
    const call = await start();
    call.queue.send({ stateDelta: { first: 1 } });
    call.queue.send({ stateDelta: { second: 2 }, blob });
    call.queue.send({ stateDelta: { third: 3 }, content: userContent("hi") });
    await eventually(async () => expect((await call.world.session()).state).toEqual({ first: 1, second: 2, third: 3 }));
    const { events } = await call.world.session();
    expect(events.map(({ author, content, actions }) => [author, content?.parts, actions.stateDelta])).toEqual([
      ["user", undefined, { first: 1 }],
      ["user", undefined, { second: 2 }],
      ["user", [{ text: "hi" }], { third: 3 }],
    ]);
    call.queue.close();
    await call.ended;
  });

  it("may be a part of a turn, whose event has all parts", async () => {
    const call = await start();
    call.queue.send({ content: userContent("one "), partial: true });
    call.queue.send({ content: userContent("two") });
    call.queue.close();
    await call.ended;
    expect(call.sent().slice(0, 2)).toEqual([
      { kind: "content", content: userContent("one "), turnComplete: false },
      { kind: "content", content: userContent("two") },
    ]);
    const { events } = await call.world.session();
    expect(events.map(({ content }) => content)).toEqual([
      { role: "user", parts: [{ text: "one " }, { text: "two" }] },
    ]);
  });

  it("is refused with a function call, or as the model", async () => {
    const { queue, ended } = await start();
    const functionCall = { name: "pay", args: {} };
    const refusal = (field: string) => expect.objectContaining({ reason: "INVALID_MESSAGE", details: { field } });
    expect(() => queue.sendContent({ parts: [{ functionCall }] })).toThrow(refusal("content.parts"));
    expect(() => queue.sendContent(modelContent("I say"))).toThrow(refusal("content.role"));
    queue.close();
    expect(await ended).toBeUndefined();
  });

  it("is screened by the callbacks before the model, which never gets what they block", async () => {
    const call = await start({
      beforeModelCallback: (_context, request) =>
        request.contents.some(({ parts }) => parts?.[0]?.text === "bad") && request.contents.length === 1
          ? { content: modelContent("No.") }
          : undefined,
    });
    call.queue.sendContent(userContent("bad"));
    call.queue.sendContent(userContent("good"));
    call.queue.close();
    await call.ended;
    expect(call.events.map(({ content, turnComplete }) => [content, turnComplete])).toEqual([
      [modelContent("No."), true],
    ]);
    expect(call.sent()).toEqual([{ kind: "content", content: userContent("good") }, { kind: "close" }]);
  });
});

describe("requests that are not needed again", () => {
  it("are reported when they were sent, or their events are stored", async () => {
    const call = await start();
    call.queue.sendRealtime(blob);
    call.queue.sendContent(userContent("hi"));
    await eventually(() => expect(call.settled).toEqual([1, 2]));
    call.queue.close();
    await call.ended;
  });

  it("are reported when the handle that covers them is stored, if the connection may need them again", async () => {
    const call = await start();
    const connection = call.connection();
    connection.unsettled = 0;
    for (let chunk = 0; chunk < 3; chunk += 1) call.queue.sendRealtime(blob);
    call.queue.sendContent(userContent("hi"));
    await eventually(() => expect(connection.sent).toHaveLength(4));
    expect(call.settled).toEqual([]);
    // The handle covers two of the four.
    connection.unsettled = 2;
    connection.say({ liveSessionResumptionUpdate: { newHandle: "h", resumable: true } });
    await eventually(() => expect(call.settled).toEqual([2]));
    connection.unsettled = 1;
    connection.say({ liveSessionResumptionUpdate: { newHandle: "i", resumable: true } });
    // The fourth has a stored event.
    await eventually(() => expect(call.settled).toEqual([2, 4]));
    // A completed turn is stored too.
    call.queue.sendRealtime(blob);
    await eventually(() => expect(connection.sent).toHaveLength(5));
    connection.unsettled = 0;
    connection.say({ turnComplete: true });
    await eventually(() => expect(call.settled).toEqual([2, 4, 5]));
    call.queue.close();
    await call.ended;
  });
});
