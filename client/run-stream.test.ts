import { expect, it } from "vitest";
import { type ClientOptions, createClient } from "./create-client.ts";
import type { RunStream } from "./run-stream.ts";

/** A frame of the server; without an id it has no position. */
function frame(data: unknown, { id, name }: { readonly id?: string; readonly name?: string } = {}): string {
  return `${name === undefined ? "" : `event: ${name}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

const event = (id: string, more: object = {}) => ({
  ...{ id, author: "agent", invocationId: "i", timestamp: 1, actions: {}, content: { parts: [{ text: id }] }, ...more },
});
const end = (status: string) => frame({ status }, { name: "end" });
const failure = (type: string) => ({ error: "It failed.", error_details: { error_type: type, code: "INTERNAL" } });
const lost = (): never => {
  throw new TypeError("fetch failed");
};

type Connection = string | (() => Response);

/** Opens a stream over connections that end one after the other. */
function open(
  connections: readonly Connection[],
  { after, ...options }: Partial<ClientOptions> & { after?: string } = {},
) {
  const asked: (string | null)[] = [];
  const client = createClient({
    baseUrl: "http://127.0.0.1:1",
    retry: { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 },
    fetch: async (input, init) => {
      const connection = connections[asked.length] ?? lost;
      asked.push(new Headers(init?.headers).get("last-event-id"));
      expect(String(input)).toBe("http://127.0.0.1:1/v1/runs/r%2F1/stream");
      if (typeof connection === "function") return connection();
      return new Response(connection, { headers: { "content-type": "text/event-stream" } });
    },
    ...options,
  });
  return { asked, stream: client.runs.stream("r/1", after === undefined ? {} : { after }) };
}

/** The updates in short, with the reason of what was thrown. */
async function heard(stream: RunStream): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    for await (const update of stream.updates()) {
      if (update.kind === "event") lines.push(`${update.event.id}${update.event.partial === true ? "~" : ""}`);
      else if (update.kind === "end") lines.push(`end ${update.status}`);
      else lines.push(update.kind);
    }
  } catch (error) {
    lines.push(`thrown ${(error as { reason?: string }).reason}`);
  }
  return lines;
}

const chunk = (id: string) => event(id, { partial: true });

it("passes events on, chunks each time and complete ones once, until the end", async () => {
  const { stream, asked } = open([
    frame(chunk("a"), { id: "1.1" }) +
      frame(chunk("a"), { id: "1.2" }) +
      frame(event("b"), { id: "1.3" }) +
      frame(event("b")) +
      end("succeeded"),
  ]);
  expect(await heard(stream)).toEqual(["a~", "a~", "b", "end succeeded"]);
  expect([stream.status, stream.position, asked]).toEqual(["succeeded", "1.3", [null]]);
  // It is over: a further loop asks for nothing.
  expect([await heard(stream), asked.length]).toEqual([[], 1]);
});

it("goes on from the last position when a connection ends, and reports what concerns the chunks", async () => {
  const { stream, asked } = open(
    [
      frame(event("a"), { id: "2.1" }),
      frame({}, { name: "attempt" }) +
        frame({}, { name: "resync" }) +
        frame({}, { name: "later" }) +
        frame(event("a")) +
        frame(event("b"), { id: "2.2" }),
      end("awaiting_input"),
    ],
    { after: "1.9" },
  );
  expect(await heard(stream)).toEqual([
    "a",
    "reconnecting",
    "reset",
    "reset",
    "b",
    "reconnecting",
    "end awaiting_input",
  ]);
  expect(asked).toEqual(["1.9", "2.1", "2.2"]);
});

it("gives up after so many attempts without a new event", async () => {
  const { stream, asked } = open([frame(event("a"), { id: "1.1" }), frame(event("a")), lost]);
  expect(await heard(stream)).toEqual(["a", "reconnecting", expect.stringContaining("thrown")]);
  expect(asked).toEqual([null, "1.1"]);
});

const refusedCursor = () =>
  Response.json({ message: "No.", code: "INVALID_ARGUMENT", reason: "INVALID_CURSOR" }, { status: 400 });

it("begins anew if the server has lost its stream, and not if the caller's position was wrong", async () => {
  const { stream, asked } = open(
    [frame(event("a"), { id: "1.1" }), refusedCursor, frame(event("a")) + frame(event("b")) + end("succeeded")],
    {
      retry: { maxAttempts: 4, baseDelayMs: 1, maxDelayMs: 1 },
    },
  );
  expect(await heard(stream)).toEqual(["a", "reconnecting", "reset", "reconnecting", "b", "end succeeded"]);
  expect(asked).toEqual([null, "1.1", null]);
  const own = open([refusedCursor], { after: "9.9" });
  expect([await heard(own.stream), own.asked]).toEqual([["thrown INVALID_CURSOR"], ["9.9"]]);
});

it("throws the error of the run after its end, and that of the stream in its place", async () => {
  const ofRun = open([frame(failure("MODEL_UNAVAILABLE")) + end("failed")]);
  expect([await heard(ofRun.stream), ofRun.stream.status]).toEqual([
    ["end failed", "thrown MODEL_UNAVAILABLE"],
    "failed",
  ]);
  const ofStream = open([frame(failure("PERMISSION_DENIED")) + frame(event("a")) + end("succeeded")]);
  expect(await heard(ofStream.stream)).toEqual(["a", "end succeeded"]);
  const only = open([frame({ error: "It failed." })]);
  expect(await heard(only.stream)).toEqual(["thrown RUN_FAILED"]);
});

it("refuses an end that it does not know, and a second reader", async () => {
  const { stream } = open([end("finished")]);
  expect(await heard(stream)).toEqual(["thrown UNEXPECTED_ANSWER"]);
  const { stream: read } = open([
    frame(event("a"), { id: "1.1" }) + frame(event("b"), { id: "1.2" }) + end("succeeded"),
  ]);
  const first = read.updates();
  await first.next();
  await expect(read.updates().next()).rejects.toThrow("Another loop reads this stream");
  await first.return();
});
