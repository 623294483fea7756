import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { bytesOfChunk, type WireAnswer, type WireLine } from "#kit/models/record/wire-record.ts";
import { startWireServer, type WireServer } from "./wire-server.ts";

/** A file of `fairlead run --record-wire`. The last line of a program that was killed may be incomplete. */
export function readWireFile(path: string): readonly WireLine[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line): WireLine => JSON.parse(line));
}

/** A provider on loopback that answers as the recorded one did, in the order of the record. */
export async function startRecordedServer(path: string): Promise<WireServer> {
  const answers = readWireFile(path).flatMap((line) => ("answer" in line ? [line] : []));
  const [first, ...rest] = answers
    .toSorted((one, other) => one.exchange - other.exchange)
    .map(
      ({ answer }) =>
        (response: ServerResponse) =>
          play(answer, response),
    );
  if (first === undefined) throw new Error(`${path} has no answer`);
  return startWireServer(first, ...rest);
}

async function play({ status, headers, chunks, end }: WireAnswer, response: ServerResponse): Promise<void> {
  if (status === undefined) return void response.destroy();
  const { "content-type": contentType, "retry-after": retryAfter, "retry-after-ms": retryAfterMs } = headers ?? {};
  // The length and the encoding were those of another body.
  const kept = { "content-type": contentType, "retry-after": retryAfter, "retry-after-ms": retryAfterMs };
  response.writeHead(status, Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)));
  for (const chunk of chunks) {
    response.write(bytesOfChunk(chunk));
    await nextTurn();
  }
  if (end === "failed") response.destroy();
  else response.end();
}
