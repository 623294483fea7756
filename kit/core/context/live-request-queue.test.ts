import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { LiveRequestQueue } from "./live-request-queue.ts";

describe("LiveRequestQueue", () => {
  it("accepts nothing once it is closed, and returns the requests sent before", async () => {
    const queue = new LiveRequestQueue();
    queue.sendContent(userContent("last words"));
    queue.close();
    expect(() => queue.sendContent(userContent("too late"))).toThrow("closed");
    const { signal } = new AbortController();
    expect([await queue.arrives(signal), queue.take(), await queue.arrives(signal), queue.take()]).toEqual([
      true,
      { content: userContent("last words") },
      false,
      undefined,
    ]);
  });

  it("refuses requests over the limit of unread ones", () => {
    const queue = new LiveRequestQueue();
    for (let count = 0; count < 2000; count += 1) queue.sendRealtime({ data: "" });
    expect(() => queue.sendRealtime({ data: "" })).toThrow(expect.objectContaining({ reason: "QUEUE_FULL" }));
  });

  it("gives a waiting reader the next request, or its signal's reason when it is aborted", async () => {
    const queue = new LiveRequestQueue();
    const abort = new AbortController();
    const first = queue.arrives(abort.signal);
    queue.sendContent(userContent("hi"));
    expect([await first, queue.take()]).toEqual([true, { content: userContent("hi") }]);
    const second = queue.arrives(abort.signal);
    abort.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
  });

  it("listens once to the signal of its newest reader, not to those before, and to none at its end", async () => {
    const queue = new LiveRequestQueue();
    const { signal } = new AbortController();
    for (const text of ["one", "two"]) {
      const arrived = queue.arrives(signal);
      expect(getEventListeners(signal, "abort")).toHaveLength(1);
      queue.sendContent(userContent(text));
      expect([await arrived, queue.take()]).toEqual([true, { content: userContent(text) }]);
    }
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    const next = new AbortController();
    const waits = queue.arrives(next.signal);
    const listeners = () => [signal, next.signal].map((each) => getEventListeners(each, "abort").length);
    expect(listeners()).toEqual([0, 1]);
    queue.close();
    expect([await waits, listeners()]).toEqual([false, [0, 0]]);
  });
});
