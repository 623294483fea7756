import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { Client, inParallel, median } from "../client.ts";
import { costOf } from "../scenarios/cost-of.ts";
import { countFrames } from "../scenarios/count-frames.ts";
import type { MeasuredServer } from "../scenarios/scenario.ts";
import { ownServer } from "../servers/own-server.ts";
import { ServerProcess } from "../servers/server-process.ts";

const CONNECTIONS = 50;
const SESSIONS = 200;
/** Of each kind of turn, one after the other, so that other load of the machine affects both. */
const BLOCKS = 8;
const WARM_UP = 2;
/** A process's time is counted in steps of 10 ms, so that a block takes a second or more. */
const SHAPES = [
  { name: "100 chunks", words: "n=100 s=20", turns: 800 },
  { name: "10 chunks", words: "n=10 s=20", turns: 2500 },
];

interface Turn {
  readonly name: string;
  readonly send: (session: string, words: string, onChunk: (chunk: Buffer) => void) => Promise<number>;
}

/** The same turns of the same agent over `/run_sse` and over A2A's `message:stream`, in turn on one server. */
export async function benchA2a({ rounds }: BenchOptions): Promise<void> {
  await inDataDir(async (dataDir) => {
    const ratios = new Map<string, number[]>(SHAPES.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      await using server = await ServerProcess.start(ownServer(dataDir, { A2A_APPS: "bench" }));
      for (const shape of SHAPES) {
        const ratio = await compareTurns(server, shape);
        ratios.get(shape.name)?.push(ratio);
      }
    }
    for (const [name, values] of ratios)
      print(`${name}: message:stream takes ${median(values).toFixed(2)} times the CPU of /run_sse`);
  });
}

async function compareTurns(server: MeasuredServer, { name, words, turns }: (typeof SHAPES)[number]): Promise<number> {
  using client = new Client(server.url, CONNECTIONS, { "a2a-version": "1.0" });
  const key = name.replaceAll(" ", "-");
  const sessionOf = (index: number) => `${key}-${index % SESSIONS}`;
  let sent = 0;
  const kinds: readonly Turn[] = [
    { name: "/run_sse", send: (session, text, onChunk) => client.runSse(session, text, onChunk) },
    {
      name: "message:stream",
      send: (session, text, onChunk) => {
        sent += 1;
        const message = { messageId: `m-${key}-${sent}`, contextId: session, role: "ROLE_USER", parts: [{ text }] };
        return client.send("POST", "/a2a/bench/message:stream", { message }, onChunk);
      },
    },
  ];
  await inParallel(SESSIONS, CONNECTIONS, (index) => client.createSession(sessionOf(index)));
  const costs = new Map(kinds.map((kind) => [kind.name, { micros: [] as number[], frames: 0 }]));
  for (let block = 0; block < BLOCKS + WARM_UP; block += 1)
    for (const kind of kinds) {
      let frames = 0;
      const { cpuMicros } = await costOf(server, () =>
        inParallel(turns, CONNECTIONS, (index) =>
          kind.send(sessionOf(index), words, (chunk) => {
            frames += countFrames(chunk);
          }),
        ),
      );
      const cost = costs.get(kind.name);
      // The first blocks warm the process up.
      if (cost === undefined || block < WARM_UP) continue;
      cost.micros.push(cpuMicros / turns);
      cost.frames = frames / turns;
    }
  const [rest, a2a] = kinds.map((kind) => costs.get(kind.name));
  for (const [kind, cost] of costs) {
    const micros = median(cost.micros);
    print(`${name}, ${kind}: ${micros.toFixed(0)} µs a turn, ${(micros / cost.frames).toFixed(1)} µs an event`);
  }
  // Block by block, because other load slows both blocks of a pair.
  return median((a2a?.micros ?? []).map((micros, block) => micros / (rest?.micros[block] ?? Number.NaN)));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
