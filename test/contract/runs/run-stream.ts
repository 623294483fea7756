import { describe, expect, it } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { EndEntry, EventEntry, RunStream, RunStreamEntry } from "#ports/runs/run-stream.ts";

export interface RunStreamContract {
  /** Creates a separate stream for each call, which keeps at least 100 small entries of a run. */
  readonly create: () => Promise<{ readonly service: RunStream; readonly dispose: () => Promise<void> }>;
}

export function event(n: number, epoch = 1): EventEntry {
  return { kind: "event", epoch, n, eventId: `e-${epoch}-${n}`, json: `{"id":"e-${epoch}-${n}"}`, partial: true };
}

export function end(n: number, epoch = 1): EndEntry {
  return { kind: "end", epoch, n, status: "succeeded" };
}

export function events(from: number, to: number, epoch = 1): readonly EventEntry[] {
  return Array.from({ length: to - from + 1 }, (_, index) => event(from + index, epoch));
}

/** Reads to the end of the stream, batches flattened. */
export async function readAll(stream: RunStream, runId: string, after?: string): Promise<readonly RunStreamEntry[]> {
  const entries: RunStreamEntry[] = [];
  const options = { signal: new AbortController().signal, ...(after !== undefined && { after }) };
  for await (const batch of stream.subscribe(runId, options)) entries.push(...batch);
  return entries;
}

/** Reads so many entries of a stream that does not end. */
async function take(
  batches: AsyncIterator<readonly RunStreamEntry[]>,
  count: number,
): Promise<readonly RunStreamEntry[]> {
  const entries: RunStreamEntry[] = [];
  while (entries.length < count) {
    const result = await batches.next();
    if (result.done === true) break;
    entries.push(...result.value);
  }
  return entries;
}

function open(
  stream: RunStream,
  runId: string,
  signal = new AbortController().signal,
): AsyncIterator<readonly RunStreamEntry[]> {
  return stream.subscribe(runId, { signal })[Symbol.asyncIterator]();
}

export function runStreamContract({ create }: RunStreamContract): void {
  const withStream = (test: (stream: RunStream) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  describe("reading", () => {
    it(
      "has all entries of an expected run for its reader, and for another that comes later",
      withStream(async (stream) => {
        using _expected = stream.expect?.("r");
        await stream.publish("r", events(1, 3));
        const first = readAll(stream, "r");
        const second = readAll(stream, "r");
        await stream.publish("r", [end(4)]);
        expect(await Promise.all([first, second])).toEqual(Array(2).fill([...events(1, 3), end(4)]));
      }),
    );

    it(
      "replays an ended run from its beginning and ends after the end entry",
      withStream(async (stream) => {
        await stream.publish("r", events(1, 3));
        await stream.publish("r", [end(4)]);
        expect(await readAll(stream, "r")).toEqual([...events(1, 3), end(4)]);
      }),
    );

    it(
      "gives what is kept and then what comes",
      withStream(async (stream) => {
        await stream.publish("r", events(1, 2));
        const reader = open(stream, "r");
        expect(await take(reader, 2)).toEqual(events(1, 2));
        const next = take(reader, 2);
        await stream.publish("r", [event(3), end(4)]);
        expect(await next).toEqual([event(3), end(4)]);
        expect(await reader.next()).toEqual({ done: true, value: undefined });
      }),
    );

    it(
      "waits for a run without entries yet",
      withStream(async (stream) => {
        const reading = readAll(stream, "r");
        await stream.publish("r", [event(1), end(2)]);
        expect(await reading).toEqual([event(1), end(2)]);
      }),
    );

    it(
      "continues after a cursor",
      withStream(async (stream) => {
        await stream.publish("r", [...events(1, 3), end(4)]);
        expect(await readAll(stream, "r", "1.2")).toEqual([event(3), end(4)]);
        expect(await readAll(stream, "r", "1.4")).toEqual([]);
      }),
    );

    it(
      "continues from a cursor of an earlier epoch",
      withStream(async (stream) => {
        await stream.publish("r", [...events(1, 3, 1)]);
        await stream.publish("r", [{ kind: "attempt", epoch: 2, n: 1, attempt: 2 }, event(2, 2), end(3, 2)]);
        expect(await readAll(stream, "r", "1.2")).toEqual([
          event(3, 1),
          { kind: "attempt", epoch: 2, n: 1, attempt: 2 },
          event(2, 2),
          end(3, 2),
        ]);
      }),
    );

    it(
      "gives each of many readers everything",
      withStream(async (stream) => {
        const readers = Array.from({ length: 20 }, () => readAll(stream, "r"));
        for (const entry of [...events(1, 30), end(31)]) await stream.publish("r", [entry]);
        expect(await Promise.all(readers)).toEqual(Array.from({ length: 20 }, () => [...events(1, 30), end(31)]));
      }),
    );

    it(
      "keeps runs apart",
      withStream(async (stream) => {
        await stream.publish("a", [event(1), end(2)]);
        await stream.publish("b", [event(1, 7), end(2, 7)]);
        expect(await readAll(stream, "a")).toEqual([event(1), end(2)]);
        expect(await readAll(stream, "b")).toEqual([event(1, 7), end(2, 7)]);
      }),
    );

    it(
      "carries every kind of entry unchanged",
      withStream(async (stream) => {
        const stored: EventEntry = {
          kind: "event",
          epoch: 3,
          n: 2,
          eventId: "é\n日本",
          json: '{"t":"é 日本 \\n"}',
          partial: false,
          sequence: 41,
        };
        const failed: EndEntry = {
          kind: "end",
          epoch: 3,
          n: 3,
          status: "failed",
          error: { code: "INTERNAL", reason: "RUN_FAILED", message: "no" },
        };
        await stream.publish("r", [{ kind: "attempt", epoch: 3, n: 1, attempt: 1 }, stored, failed]);
        expect(await readAll(stream, "r")).toEqual([{ kind: "attempt", epoch: 3, n: 1, attempt: 1 }, stored, failed]);
      }),
    );
  });

  describe("publishing", () => {
    it(
      "drops numbers that were written before",
      withStream(async (stream) => {
        await stream.publish("r", events(1, 3));
        await stream.publish("r", [...events(2, 4), end(5)]);
        expect(await readAll(stream, "r")).toEqual([...events(1, 4), end(5)]);
      }),
    );

    it(
      "drops what a holder of an old epoch sends",
      withStream(async (stream) => {
        await stream.publish("r", events(1, 2, 5));
        await stream.publish("r", events(1, 9, 4));
        await stream.publish("r", [end(3, 5)]);
        expect(await readAll(stream, "r")).toEqual([...events(1, 2, 5), end(3, 5)]);
      }),
    );

    it(
      "drops what follows the end",
      withStream(async (stream) => {
        await stream.publish("r", [event(1), end(2), event(3)]);
        await stream.publish("r", [event(1, 2)]);
        expect(await readAll(stream, "r")).toEqual([event(1), end(2)]);
      }),
    );

    it(
      "starts a higher epoch at 1",
      withStream(async (stream) => {
        await stream.publish("r", events(1, 4, 1));
        await stream.publish("r", [event(1, 2), end(2, 2)]);
        expect(await readAll(stream, "r")).toEqual([...events(1, 4, 1), event(1, 2), end(2, 2)]);
      }),
    );

    it(
      "accepts an empty batch",
      withStream(async (stream) => {
        await stream.publish("r", []);
        await stream.publish("r", [end(1)]);
        expect(await readAll(stream, "r")).toEqual([end(1)]);
      }),
    );
  });

  describe("resync", () => {
    it(
      "reports to a reader from the beginning that the first entries are missing",
      withStream(async (stream) => {
        await stream.publish("r", [event(3), end(4)]);
        expect(await readAll(stream, "r")).toEqual([{ kind: "resync" }, event(3), end(4)]);
      }),
    );

    it(
      "reports to a reader with a cursor that the stream has lost its epoch",
      withStream(async (stream) => {
        await stream.publish("r", [{ kind: "attempt", epoch: 2, n: 1, attempt: 2 }, end(2, 2)]);
        const kept = [{ kind: "resync" }, { kind: "attempt", epoch: 2, n: 1, attempt: 2 }, end(2, 2)];
        expect(await readAll(stream, "r", "1.57")).toEqual(kept);
        expect(await readAll(stream, "r")).toEqual(kept);
      }),
    );

    it(
      "does not trouble a reader who has seen what is missing",
      withStream(async (stream) => {
        await stream.publish("r", [event(3), end(4)]);
        expect(await readAll(stream, "r", "1.3")).toEqual([end(4)]);
      }),
    );

    it(
      "reports a hole in what was published",
      withStream(async (stream) => {
        await stream.publish("r", events(1, 2));
        const reader = open(stream, "r");
        expect(await take(reader, 2)).toEqual(events(1, 2));
        await stream.publish("r", [event(5), end(6)]);
        expect(await take(reader, 3)).toEqual([{ kind: "resync" }, event(5), end(6)]);
      }),
    );
  });

  describe("cursors", () => {
    for (const cursor of [
      "",
      "1",
      "1.",
      ".1",
      "1.0",
      "-1.1",
      "1.-1",
      "1.1.1",
      "01.1",
      "1.01",
      " 1.1",
      "1.1 ",
      "1e3.1",
      "a.b",
      "1.9999999999999999",
    ]) {
      it(
        `refuses ${JSON.stringify(cursor)}`,
        withStream(async (stream) => {
          await stream.publish("r", [event(1), end(2)]);
          await expect(readAll(stream, "r", cursor)).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
        }),
      );
    }

    it(
      "refuses one that is ahead of the run",
      withStream(async (stream) => {
        await stream.publish("running", events(1, 2));
        await stream.publish("ended", [event(1), end(2)]);
        await expect(readAll(stream, "running", "1.3")).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
        await expect(readAll(stream, "ended", "1.3")).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
        await expect(readAll(stream, "ended", "2.1")).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
      }),
    );
  });

  describe("ending a read", () => {
    it(
      "ends a waiting reader when the signal aborts",
      withStream(async (stream) => {
        const controller = new AbortController();
        const waiting = open(stream, "r", controller.signal).next();
        controller.abort();
        expect(await waiting).toEqual({ done: true, value: undefined });
      }),
    );

    it(
      "gives nothing when the signal was aborted before",
      withStream(async (stream) => {
        await stream.publish("r", [event(1), end(2)]);
        expect(await open(stream, "r", AbortSignal.abort()).next()).toEqual({ done: true, value: undefined });
      }),
    );

    it(
      "ends a waiting reader that returns",
      withStream(async (stream) => {
        const reader = open(stream, "r");
        const waiting = reader.next();
        await reader.return?.();
        expect(await waiting).toEqual({ done: true, value: undefined });
      }),
    );
  });

  describe("watching a session", () => {
    const session = { appName: "app", userId: "ü/1", id: "s" };

    /** Watches until so many calls have been made. */
    const watchFor = (stream: RunStream, key: SessionKey) => {
      let calls = 0;
      let waiting: { readonly count: number; readonly resolve: () => void } | undefined;
      const watcher = stream.watch(key, () => {
        calls += 1;
        if (waiting !== undefined && calls >= waiting.count) waiting.resolve();
      });
      const reach = (count: number): Promise<void> => {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting = { count, resolve };
        if (calls >= count) resolve();
        return promise;
      };
      return { reach, calls: () => calls, [Symbol.dispose]: () => watcher[Symbol.dispose]() };
    };

    it(
      "reports a run that begins to publish, and what is announced",
      withStream(async (stream) => {
        using watched = watchFor(stream, session);
        // The first call may only report that the watch has begun.
        stream.announce(session);
        await watched.reach(1);
        const before = watched.calls();
        await stream.publish("r", [event(1)], { session });
        await watched.reach(before + 1);
      }),
    );

    it(
      "hears nothing of other sessions, and nothing once it has been left",
      withStream(async (stream) => {
        using other = watchFor(stream, { ...session, id: "t" });
        using watched = watchFor(stream, session);
        stream.announce({ ...session, id: "t" });
        await other.reach(1);
        stream.announce(session);
        await watched.reach(1);
        const settled = other.calls();
        watched[Symbol.dispose]();
        const calls = watched.calls();
        await stream.publish("r", [event(1)], { session });
        stream.announce({ ...session, id: "t" });
        await other.reach(settled + 1);
        expect(watched.calls()).toBe(calls);
      }),
    );
  });
}
