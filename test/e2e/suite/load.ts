import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { eventOf, GatewayClient, type RunRecord, type Talk, textOf } from "./gateway-client.ts";

// node load.ts URL [--loops=4] [--chunks=40] [--pause-ms=25]: conversations with the bench agent, one after the other
// in each loop, until standard input ends; then prints their outcome as one line of JSON. Needs nothing but Node and
// the client beside it.

export interface LoadReport {
  readonly runs: number;
  /** Requests that were repeated, because there was no answer or it reported an unavailable service. */
  readonly retries: number;
  /** Streams that broke and continued from the last position. */
  readonly reconnects: number;
  /** Each fault, in a sentence. */
  readonly faults: readonly string[];
}

const RUN_DEADLINE_MS = 90_000;
const RETRY_MS = 250;
const MAX_RETRIES = 120;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    loops: { type: "string", default: "4" },
    chunks: { type: "string", default: "40" },
    "pause-ms": { type: "string", default: "25" },
  },
});
const client = new GatewayClient(positionals[0] ?? "http://127.0.0.1:8000");
const chunks = Number(values.chunks);
const text = `n=${chunks} d=${values["pause-ms"]} s=5`;
const answer = "x".repeat(chunks * 5);

let isEnding = false;
let runs = 0;
let retries = 0;
let reconnects = 0;
const faults: string[] = [];
process.stdin.on("end", () => {
  isEnding = true;
});
process.stdin.resume();

await Promise.all(Array.from({ length: Number(values.loops) }, loop));
const report: LoadReport = { runs, retries, reconnects, faults };
process.stdout.write(`${JSON.stringify(report)}\n`);
// Kept-alive connections would keep the process alive.
process.exit(0);

async function loop(): Promise<void> {
  do {
    runs += 1;
    try {
      await converse();
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  } while (!isEnding);
}

async function converse(): Promise<void> {
  const userId = `load-${randomUUID()}`;
  const talk = await again(() => client.newTalk("bench", userId));
  // A request whose answer was lost is sent with the same key, so nothing starts twice.
  const headers = { "idempotency-key": randomUUID() };
  const { runId } = await again(() => client.startRun(talk, text, {}, { headers }));
  const followed = await client.follow(runId, RUN_DEADLINE_MS);
  reconnects += followed.reconnects;
  const frames = followed.frames.filter(({ event }) => event === undefined);
  const ids = frames.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push(`${runId}: the stream repeated an event.`);
  // A runner that is lost without notice is followed by another attempt, which voids what was streamed of the answer.
  const attempt = followed.frames.findLastIndex(({ event }) => event === "attempt");
  const valid = followed.frames.slice(attempt + 1).filter(({ event }) => event === undefined);
  const streamed = valid.map(eventOf).filter(({ partial }) => partial === true);
  // What carries streams was lost: chunks of that time are missing, and the complete event has all of the text.
  const isIncomplete = followed.frames.some(({ event }) => event === "resync");
  if (!isIncomplete && streamed.map(textOf).join("") !== answer)
    faults.push(`${runId}: ${streamed.length} chunks of ${chunks} arrived.`);
  const end = followed.frames.slice(-2).map(({ data }) => data);
  await check(runId, talk, end.join(" and "));
}

async function check(runId: string, talk: Talk, end: string): Promise<void> {
  const { status } = await again<RunRecord>(() => client.run(runId));
  if (status !== "succeeded") faults.push(`${runId}: ${status}; its stream ended with ${end}`);
  const events = await again(() => client.events(talk));
  const texts = events.map(textOf);
  if (texts.length !== 2 || texts[0] !== text || texts[1] !== answer) {
    faults.push(`${runId}: the session has ${texts.length} events of ${texts.map(({ length }) => length)} characters.`);
  }
}

/** A client's retry if there is no answer, or the gateway reports an unavailable service (503). */
async function again<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isPassing = error instanceof TypeError || (error instanceof Error && / answered 503/.test(error.message));
      if (!isPassing || attempt === MAX_RETRIES) throw error;
      retries += 1;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
