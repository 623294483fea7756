import { describe, expect, it } from "vitest";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { modelContent } from "../events/content.ts";
import { type Event, functionCalls } from "../events/event.ts";
import { mergeTurns, type Turn } from "./merge-turns.ts";

const context = createInvocation();
const event = (text: string): Event => context.createEvent({ content: modelContent(text) });
const textOf = ({ content }: Event): string => content?.parts?.[0]?.text ?? "";

describe("mergeTurns", () => {
  it("asks a turn for its next event only when the one before was consumed", async () => {
    const made: string[] = [];
    const ends: string[] = [];
    const turn = (name: string): Turn => ({
      onEnd: (gaveEvents) => ends.push(`${name} ${gaveEvents}`),
      events: (async function* () {
        for (const number of [1, 2]) {
          made.push(`${name}${number}`);
          yield event(`${name}${number}`);
        }
      })(),
    });
    const merged = mergeTurns([turn("a"), turn("b")], new AbortController());
    const log: string[] = [];
    for await (const given of merged) {
      // However long the reader takes over an event, no turn is ahead by more than one event.
      for (let turnOfLoop = 0; turnOfLoop < 3; turnOfLoop += 1) await new Promise(setImmediate);
      log.push(`${textOf(given)} of ${made.join(" ")}`);
    }
    expect(log).toEqual(["a1 of a1 b1", "b1 of a1 b1 a2", "a2 of a1 b1 a2 b2", "b2 of a1 b1 a2 b2"]);
    expect(ends).toEqual(["a true", "b true"]);
  });

  it("ends all turns when the reader stops, and waits until they have ended", async () => {
    const stop = new AbortController();
    const log: string[] = [];
    const endless: Turn = {
      events: (async function* () {
        try {
          await new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(stop.signal.reason)));
          yield event("never");
        } finally {
          log.push("ended");
        }
      })(),
    };
    const quick: Turn = {
      events: (async function* () {
        yield event("here");
      })(),
    };
    for await (const given of mergeTurns([endless, quick], stop)) {
      expect(functionCalls(given)).toEqual([]);
      break;
    }
    log.push("done");
    expect(log).toEqual(["ended", "done"]);
  });

  it("ends only when the other turns have finished their cleanup", async () => {
    const stop = new AbortController();
    const cleaned = Promise.withResolvers<void>();
    const log: string[] = [];
    const slow: Turn = {
      events: (async function* () {
        try {
          yield event("slow");
          yield event("never read");
        } finally {
          await cleaned.promise;
          log.push("cleaned up");
        }
      })(),
    };
    const broken: Turn = {
      events: (async function* () {
        yield event("broken");
        throw new Error("it broke");
      })(),
    };
    const read = Array.fromAsync(mergeTurns([slow, broken], stop)).catch(({ message }: Error) => log.push(message));
    setImmediate(cleaned.resolve);
    await read;
    expect(log).toEqual(["cleaned up", "it broke"]);
  });

  it("reports a turn that gave only partial events as one that gave none", async () => {
    const ends: boolean[] = [];
    const turn = (...events: readonly Event[]): Turn => ({
      onEnd: (gaveEvents) => ends.push(gaveEvents),
      events: (async function* () {
        yield* events;
      })(),
    });
    const partial = { ...event("par"), partial: true };
    await Array.fromAsync(mergeTurns([turn(partial), turn(partial, event("partial"))], new AbortController()));
    expect(ends).toEqual([false, true]);
  });
});
