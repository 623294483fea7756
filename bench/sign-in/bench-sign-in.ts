import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { inParallel } from "../client.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import { costOf } from "../scenarios/cost-of.ts";
import { CONNECTIONS, type Figures, TURNS_PER_SESSION } from "../scenarios/scenario.ts";
import { type SignedInServer, startSignedInServers } from "./signed-in-servers.ts";

const NONE = "none";
const COST = "CPU µs/request";
/** Rounds that are not measured, until the hot code is compiled. */
const WARM_UP_ROUNDS = 3;
/** Rounds are short, so that other load of the machine affects all servers alike. */
const SHORT_ROUNDS_PER_ROUND = 5;

interface SignInScenario {
  readonly name: string;
  readonly requests: number;
  /** New sessions for each short round, so that they stay short and are all in the server's cache. */
  readonly sessions: number;
  readonly send: (server: SignedInServer, session: string) => Promise<unknown>;
}

const SCENARIOS: readonly SignInScenario[] = [
  {
    name: "GET session, 50 connections",
    requests: 15_000,
    sessions: 200,
    send: ({ client }, session) => client.send("GET", `/apps/bench/users/u/sessions/${session}`, undefined),
  },
  {
    name: "/run, 50 connections",
    requests: 2500,
    sessions: 2500 / TURNS_PER_SESSION,
    send: ({ client }, session) => client.run(session, "small=1"),
  },
];

/**
 * What the authentication of callers costs: this server without authentication, with API keys and with tokens, all
 * running at the same time and measured in turn.
 */
export async function benchSignIn({ rounds, only }: BenchOptions): Promise<void> {
  await inDataDir(async (dataDir) => {
    await using stack = new AsyncDisposableStack();
    const servers = await startSignedInServers(dataDir, stack);
    for (const scenario of SCENARIOS) {
      if (only !== undefined && !scenario.name.includes(only)) continue;
      process.stdout.write(`\n${scenario.name}\n`);
      printCosts(await measureInShortRounds(servers, scenario, rounds * SHORT_ROUNDS_PER_ROUND));
    }
  });
}

/** Medians of the short rounds, by server. */
async function measureInShortRounds(
  servers: readonly SignedInServer[],
  scenario: SignInScenario,
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

async function measure(server: SignedInServer, scenario: SignInScenario, round: number): Promise<Figures> {
  const { requests, sessions, send } = scenario;
  const sessionOf = (index: number): string => `${requests}-${round}-${index % sessions}`;
  await inParallel(sessions, CONNECTIONS, (index) => server.client.createSession(sessionOf(index)));
  const { seconds, cpuMicros } = await costOf(server.server, () =>
    inParallel(requests, CONNECTIONS, (index) => send(server, sessionOf(index))),
  );
  return { "requests/s": requests / seconds, [COST]: cpuMicros / requests };
}

function printCosts(figures: ReadonlyMap<string, Figures>): void {
  const none = new Map([[NONE, figures.get(NONE) ?? {}]]);
  const costOfNone = none.get(NONE)?.[COST] ?? Number.NaN;
  for (const [name, own] of figures) {
    if (name === NONE) continue;
    process.stdout.write(`${name}\n`);
    printFigures(own, none);
    printFigures({ "CPU µs/request more": (own[COST] ?? Number.NaN) - costOfNone });
  }
}
