import { Client } from "../client.ts";
import { countFrames } from "../scenarios/count-frames.ts";
import type { Contender } from "./contender.ts";
import { ServerProcess } from "./server-process.ts";

/** Events that each order gives as a stream and as one answer. */
const ORDERS = [
  { words: "small=1", streamed: 1, whole: 1 },
  { words: "n=5 s=20", streamed: 6, whole: 1 },
  { words: "n=5 d=1 s=20", streamed: 6, whole: 1 },
  { words: "n=5 s=20 brief=1", streamed: 6, whole: 1 },
  { words: "fill=3", streamed: 3, whole: 3 },
] as const;

/** Throws if the server's agent does not give the same events as this server's. */
export async function checkWords({ name, command }: Contender): Promise<void> {
  await using server = await ServerProcess.start(command);
  using client = new Client(server.url, 1);
  await client.createSession("words");
  for (const { words, streamed, whole } of ORDERS) {
    let frames = 0;
    await client.runSse("words", words, (chunk) => {
      frames += countFrames(chunk);
    });
    let json = "";
    await client.run("words", words, (chunk) => {
      json += chunk;
    });
    // An array of events by the protocol.
    const events = (JSON.parse(json) as readonly unknown[]).length;
    if (frames !== streamed || events !== whole)
      throw new Error(
        `${name} gives ${frames} frames and ${events} events for "${words}", not ${streamed} and ${whole}`,
      );
  }
}
