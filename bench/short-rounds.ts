import { type Client, inParallel } from "./client.ts";
import { mediansOf } from "./medians-of.ts";
import { printFigures } from "./print-figures.ts";
import { costOf } from "./scenarios/cost-of.ts";
import { CONNECTIONS, type Figures } from "./scenarios/scenario.ts";
import type { ServerProcess } from "./servers/server-process.ts";

/** The name of the server that the others are compared with. */
const NONE = "none";
const COST = "CPU µs/request";
/** Rounds that are not measured, until the hot code is compiled. */
const WARM_UP_ROUNDS = 3;
/** Rounds are short, so that other load of the machine affects all servers alike. */
export const SHORT_ROUNDS_PER_ROUND = 5;

/** A server that stays for all rounds, with a client for it. */
export interface StandingServer {
  readonly name: string;
  readonly server: ServerProcess;
  readonly client: Client;
}

export interface ShortScenario {
  readonly name: string;
  readonly requests: number;
  /** New sessions for each short round, so that they stay short and are all in the server's cache. */
  readonly sessions: number;
  readonly send: (server: StandingServer, session: string) => Promise<unknown>;
}

/** Medians of the short rounds, by server. All servers run at the same time, and are measured in turn. */
export async function measureInShortRounds(
  servers: readonly StandingServer[],
  scenario: ShortScenario,
  rounds: number,
): Promise<ReadonlyMap<string, Figures>> {
  const measured = new Map(servers.map(({ name }): [string, Figures[]] => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const server of servers) {
      const figures = await measure(server, scenario, round);
      if (round >= 0) measured.get(server.name)?.push(figures);
    }
  }
  return new Map([...measured].map(([name, figures]) => [name, mediansOf(figures)]));
}

async function measure(server: StandingServer, scenario: ShortScenario, round: number): Promise<Figures> {
  const { requests, sessions, send } = scenario;
  const sessionOf = (index: number): string => `${requests}-${round}-${index % sessions}`;
  await inParallel(sessions, CONNECTIONS, (index) => server.client.createSession(sessionOf(index)));
  const { seconds, cpuMicros } = await costOf(server.server, () =>
    inParallel(requests, CONNECTIONS, (index) => send(server, sessionOf(index))),
  );
  return { "requests/s": requests / seconds, [COST]: cpuMicros / requests };
}

/** Prints the figures beside the server named `none`. */
export function printCosts(figures: ReadonlyMap<string, Figures>): void {
  const none = new Map([[NONE, figures.get(NONE) ?? {}]]);
  const costOfNone = none.get(NONE)?.[COST] ?? Number.NaN;
  for (const [name, own] of figures) {
    if (name === NONE) continue;
    process.stdout.write(`${name}\n`);
    printFigures(own, none);
    printFigures({ "CPU µs/request more": (own[COST] ?? Number.NaN) - costOfNone });
  }
}
