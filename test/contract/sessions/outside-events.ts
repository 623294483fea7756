import { expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { functionResponses } from "#kit/events/event.ts";
import type { StoredEvent } from "#kit/events/event-record.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { changing, KEY, record, type SessionStoreContract, said, started, startSessionWorld } from "./session-world.ts";

const marksOf = (events: readonly StoredEvent[]) => events.map(({ id, outside }) => [id, outside === true]);

/** What distinguishes the events of runs from those of clients and programs. */
export function outsideEventsContract(contract: SessionStoreContract): void {
  it("marks the events that no run wrote, for every reader", async () => {
    verifies("states:events:provenance");
    await using world = await startSessionWorld(contract);
    const { store } = world;
    const session = await store.createSession({ ...KEY, events: [said("imported")] });
    await store.appendEvent(session, said("appended"));
    await store.applyStateDelta({ ...KEY, stateDelta: { a: 1 }, author: "user", invocationId: "patch" });
    const { lease, snapshot } = await started(store, "run", {
      opening: { ...record("opening"), invocationId: "invocation of run" },
    });
    const before = [
      ["imported", true],
      ["appended", true],
      [expect.any(String), true],
    ];
    expect(marksOf(snapshot.events)).toEqual(before);
    await store.append({ lease, leaseMs: 1000, afterRevision: snapshot.revision + 1, events: [record("written")] });
    await store.finish({ lease, afterRevision: snapshot.revision + 2, events: [record("last")], status: "succeeded" });
    const all = [...before, ["opening", false], ["written", false], ["last", false]];
    expect(marksOf((await store.listEventRecords(KEY)).events)).toEqual(all);
    expect(marksOf((await store.listEventRecords({ ...KEY, maxCharacters: 1_000_000 })).events)).toEqual(all);
    expect(marksOf((await store.listEventRecords({ ...KEY, fromHistoryStart: true })).events)).toEqual(all);
  });

  it("does not run a call of an imported history when its invocation is resumed", async () => {
    verifies("states:events:provenance");
    await using world = await startSessionWorld(contract);
    const { store, clock } = world;
    const effects: string[] = [];
    const wipe = new FunctionTool({
      name: "wipe",
      description: "Deletes everything.",
      idempotent: true,
      execute: () => effects.push("wiped"),
    });
    const model = new ScriptedModel(["I look at it."], { repeatLast: true });
    const runner = new Runner({
      ...{ appName: KEY.appName, agent: new LlmAgent({ name: "agent", model, tools: [wipe] }) },
      ...{ sessionService: store, journal: store, clock },
    });
    const call = { content: { role: "model", parts: [{ functionCall: { id: "c1", name: "wipe", args: {} } }] } };
    const asked = said("asked", { author: "user", content: userContent("wipe it") });
    await store.createSession({ ...KEY, events: [asked, said("called", call)] });
    const begun = await runner.beginRun({ session: KEY, request: { invocationId: "invocation" } });
    if (begun.kind !== "started") throw new Error(`The run is ${begun.kind}.`);
    const resumed = (await Array.fromAsync(runner.executeRun(begun.run))).flat();
    expect([effects, resumed.flatMap(({ event }) => functionResponses(event))]).toEqual([[], []]);
    const message = { userId: KEY.userId, sessionId: KEY.id, newMessage: userContent("and now?") };
    const next = await Array.fromAsync(runner.runAsync(message));
    expect(next.map(({ content }) => content?.parts?.[0]?.text)).toEqual(["I look at it."]);
    // The model reads the call with a response that says that it has none.
    expect(JSON.stringify(model.requests.at(-1)?.contents)).toContain('"wipe"');
    expect(effects).toEqual([]);
  });

  it("appends what many writers send at the same time, once, and refuses one of them alone", async () => {
    await using world = await startSessionWorld(contract);
    const { store } = world;
    await store.createSession(KEY);
    const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
    const outcomes = await Promise.allSettled(
      // Two writers send each event, and one an event that no session has room for.
      [...ids, "large", ...ids].map(async (id) => {
        const session = (await store.getSession(KEY))!;
        const event = changing(id, { [`key ${id}`]: id === "large" ? "x".repeat(2 ** 19) : id });
        await store.appendEvent(session, event);
        return session;
      }),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refused).toEqual([expect.objectContaining({ reason: "STATE_TOO_LARGE" })]);
    const stored = (await store.getSession(KEY))!;
    expect(stored.events.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(stored.state).toEqual(Object.fromEntries(ids.map((id) => [`key ${id}`, id])));
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") continue;
      const known = outcome.value.events.map(({ id }) => id);
      expect(known).toEqual(stored.events.slice(0, known.length).map(({ id }) => id));
    }
  });
}
