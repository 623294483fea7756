import { Client, inParallel } from "../client.ts";
import { costOf } from "./cost-of.ts";
import { countFrames } from "./count-frames.ts";
import { CONNECTIONS, type Figures, type MeasuredServer } from "./scenario.ts";

/** Streams of 100 chunks as fast as possible: the cost of an event. */
export async function streams(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const runs = 1000;
  await inParallel(runs, CONNECTIONS, (index) => client.createSession(`stream-${index}`));
  await inParallel(200, CONNECTIONS, (index) => client.runSse(`stream-${index}`, "n=100 s=20"));
  let frames = 0;
  const { seconds, cpuMicros, clientCore } = await costOf(server, () =>
    inParallel(runs, CONNECTIONS, (index) =>
      client.runSse(`stream-${index}`, "n=100 s=20", (chunk) => {
        frames += countFrames(chunk);
      }),
    ),
  );
  return { "events/s": frames / seconds, "CPU µs/event": cpuMicros / frames, "client core %": clientCore };
}
