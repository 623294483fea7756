import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readBody } from "./read-body.ts";

/** Sends the chunks with these headers; `take` is the budget's answer to each. */
async function read(
  chunks: readonly string[],
  {
    headers = {},
    maxBytes = 10,
    take,
    ends = true,
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly maxBytes?: number;
    readonly take?: (bytes: number) => boolean;
    readonly ends?: boolean;
  } = {},
) {
  const payload = new PassThrough();
  const share = take === undefined ? undefined : { take, release: () => undefined };
  const calls: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    readBody(payload, headers, { maxBytes, setting: "MAX_BODY_BYTES", share: share as never }, (error, bytes) => {
      calls.push(error?.reason ?? bytes?.toString());
      resolve();
    });
  });
  for (const chunk of chunks) payload.write(chunk);
  if (ends) payload.end();
  else payload.destroy();
  await done;
  // Nothing that follows is read or reported. Requests of Node report their end only to those who listen.
  payload.destroy(payload.listenerCount("error") > 0 ? new Error("reset") : undefined);
  await new Promise(setImmediate);
  return calls;
}

it.each<[string, readonly string[], Parameters<typeof read>[1], string]>([
  ["one chunk", ["hello"], {}, "hello"],
  ["several chunks", ["he", "l", "lo"], {}, "hello"],
  ["no chunk", [], {}, ""],
  ["as many bytes as are allowed", ["12345", "67890"], {}, "1234567890"],
  ["a byte more", ["12345", "678901"], {}, "BODY_TOO_LARGE"],
  ["as many bytes by its header", ["1234567890"], { headers: { "content-length": "10" } }, "1234567890"],
  ["a byte more by its header", [], { headers: { "content-length": "11" } }, "BODY_TOO_LARGE"],
  ["bytes of two units each", ["üüüüü"], {}, "üüüüü"],
  ["an encoding", ["x"], { headers: { "content-encoding": "gzip" } }, "UNSUPPORTED_MEDIA_TYPE"],
  ["the encoding that is none", ["x"], { headers: { "content-encoding": "Identity" } }, "x"],
  ["room in the budget", ["12", "34"], { take: (bytes) => bytes === 2 }, "1234"],
  ["no room in the budget", ["12", "345"], { take: (bytes) => bytes === 2 }, "TOO_MANY_BODIES"],
  ["no end", ["12"], { ends: false }, "BODY_INCOMPLETE"],
])("a body with %s ends once", async (_title, chunks, options, outcome) => {
  expect(await read(chunks, options)).toEqual([outcome]);
});
