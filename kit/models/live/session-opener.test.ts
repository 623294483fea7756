import { describe, expect, it } from "vitest";
import { ModelError } from "#kit/models/error-mapper.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { LiveProvider, LiveSession } from "./live-session.ts";
import { SessionOpener } from "./session-opener.ts";

const SESSION = {} as LiveSession;
const LISTENER = {} as Parameters<LiveProvider["open"]>[0]["listener"];

/** Opens sessions that fail with these errors first, and records handles and pauses. */
function openerWith(...failures: readonly ModelError[]) {
  const left = [...failures];
  const handles: (string | undefined)[] = [];
  const pauses: number[] = [];
  const clock = new FixedClock();
  const provider: LiveProvider = {
    model: "m",
    isFinal: (error) => !(error as ModelError).retryable,
    check: () => {},
    open: async ({ handle }) => {
      handles.push(handle);
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return SESSION;
    },
  };
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  const opener = new SessionOpener(provider, new AbortController().signal, { sleep, clock });
  return { opener, handles, pauses, clock, open: () => opener.open(LISTENER, () => true) };
}

const DOWN = new ModelError("SERVER_ERROR", "down");
const REFUSED = new ModelError("CLIENT_ERROR", "refused");

describe("the opening of sessions", () => {
  it("pauses longer after each failure, and gives up after five", async () => {
    const { open, pauses, handles } = openerWith(DOWN, DOWN, DOWN, DOWN, DOWN);
    await expect(open()).rejects.toBe(DOWN);
    expect(pauses).toEqual([200, 400, 800, 1600]);
    expect(handles).toHaveLength(5);
  });

  it("waits as long as a provider that is busy asks for", async () => {
    const { open, pauses } = openerWith(new ModelError("RATE_LIMITED", "busy", { retryAfterMs: 7000 }));
    await open();
    expect(pauses).toEqual([7000]);
  });

  it("tries a handle twice after failures, and once after a refusal", async () => {
    const down = openerWith(DOWN, DOWN);
    down.opener.handle = { text: "h", position: 3 };
    expect(await down.open()).toEqual({ session: SESSION, handle: undefined });
    expect(down.handles).toEqual(["h", "h", undefined]);
    const refused = openerWith(REFUSED);
    refused.opener.handle = { text: "h", position: 3 };
    await refused.open();
    expect(refused.handles).toEqual(["h", undefined]);
  });

  it("drops a handle whose sessions work for a moment and break", async () => {
    const { opener, open, handles } = openerWith();
    opener.handle = { text: "h", position: 3 };
    for (let count = 0; count < 4; count += 1) {
      await open();
      opener.works();
    }
    expect(handles).toEqual(["h", "h", "h", undefined]);
  });

  it("pauses before sessions that follow each other too fast", async () => {
    const { opener, open, pauses, clock } = openerWith();
    for (let count = 0; count < 13; count += 1) {
      await open();
      opener.works();
      clock.advance(1000);
    }
    expect(pauses).toEqual([5000]);
    clock.advance(60_000);
    await open();
    expect(pauses).toEqual([5000]);
  });

  it("throws at once what another attempt would not cure", async () => {
    const { open, handles } = openerWith(REFUSED);
    await expect(open()).rejects.toBe(REFUSED);
    expect(handles).toEqual([undefined]);
  });
});
