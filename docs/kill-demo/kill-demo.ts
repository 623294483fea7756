import { createClient } from "fairlead/client";
import type { Part } from "#kit/events/content.ts";
import { functionCalls } from "#kit/events/event.ts";
import { type DemoServers, OneServer, SixServices } from "./demo-servers.ts";

const APP = "bookbinder";
const USER = "you";
/** So many words of the answer are read before the kill. */
const WORDS_BEFORE_KILL = 5;
/** A client that waits through the restart. */
const RETRY = { maxAttempts: 100, maxDelayMs: 500 };

export interface KillDemo {
  /** The server in one process, or six services with two runners. */
  readonly on: "one" | "six";
  readonly print: (line: string) => void;
}

export interface KillDemoOutcome {
  /** The complete answer, as the reader got it. */
  readonly answer: string;
  readonly printed: readonly number[];
  /** The ids of complete events, as the reader got them and as the session has them. */
  readonly read: readonly string[];
  readonly stored: readonly string[];
  readonly attempts: number;
}

/**
 * Starts a run whose agent prints six pages and then answers, kills its process in mid-answer, and follows the same
 * stream to the end.
 */
export async function runKillDemo({ on, print }: KillDemo): Promise<KillDemoOutcome> {
  await using servers = await (on === "one" ? OneServer.start() : SixServices.start());
  const client = createClient({ baseUrl: servers.url, retry: RETRY });
  const session = await client.sessions.create({ appName: APP, userId: USER });
  const run = await client.runs.start({ session, newMessage: "Print the book." }, { streaming: true });
  print(`you     Print the book.   (POST /v1/runs, then GET /v1/runs/${run.runId}/stream)`);
  const { answer, read } = await follow(servers, client.runs.stream(run.runId), print);
  const { attempts } = await client.runs.get(run.runId);
  const { events = [] } = await client.sessions.get(session);
  const stored = events.filter(({ author }) => author !== "user").map(({ id }) => id);
  const printed = servers.printed();
  print(
    `check   pages printed: ${printed.join(" ")}; complete events read: ${read.length}, stored: ${stored.length}, twice: ${read.length - new Set(read).size}`,
  );
  print(`check   one stream, one run, ${attempts} processes executed it`);
  return { answer, printed, read, stored, attempts };
}

type Stream = ReturnType<ReturnType<typeof createClient>["runs"]["stream"]>;

async function follow(servers: DemoServers, stream: Stream, print: KillDemo["print"]) {
  const read: string[] = [];
  let answer = "";
  let words = 0;
  let isKilled = false;
  let isAway = false;
  for await (const update of stream.updates()) {
    if (update.kind === "reconnecting" && !isAway) {
      isAway = true;
      print("reader  the connection is lost; the client asks for what follows the last position");
    } else if (update.kind === "reset") {
      print("reader  another process continues the run; the words above are void");
      answer = "";
    } else if (update.kind === "event") {
      const { event } = update;
      isAway = false;
      if (event.partial !== true) read.push(event.id);
      for (const { name, args } of functionCalls(event)) print(`agent   ${name}(${JSON.stringify(args)})`);
      const text = textOf(event.content?.parts);
      if (text === "") continue;
      answer = event.partial === true ? answer + text : text;
      words += 1;
      if (event.partial !== true) print(`agent   ${answer}`);
      else if (words >= WORDS_BEFORE_KILL && !isKilled) {
        isKilled = true;
        print(`agent   ${answer}…`);
        print(`kill -9 ${await servers.kill()}`);
      }
    }
  }
  return { answer, read };
}

function textOf(parts: readonly Part[] = []): string {
  return parts.map(({ text = "" }) => text).join("");
}
