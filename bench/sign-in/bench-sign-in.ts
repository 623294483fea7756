import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { inParallel } from "../client.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import { costOf } from "../scenarios/cost-of.ts";
import { CONNECTIONS, type Figures } from "../scenarios/scenario.ts";
import { type SignedInServer, startSignedInServers } from "./signed-in-servers.ts";

const SESSIONS = 200;
const NONE = "none";
const COST = "CPU µs/request";
/** Until the hot code is compiled. */
const WARM_UP_ROUNDS = 3;
/** Rounds are short, so that other load of the machine affects all servers alike. */
const SHORT_ROUNDS_PER_ROUND = 5;

interface SignInScenario {
  readonly name: string;
  readonly requests: number;
  readonly send: (server: SignedInServer, index: number) => Promise<unknown>;
}

const SCENARIOS: readonly SignInScenario[] = [
  {
    name: "GET session, 50 connections",
    requests: 15_000,
    send: ({ client }, index) => client.send("GET", `/apps/bench/users/u/sessions/read-${index % SESSIONS}`, undefined),
  },
  {
    name: "/run, 50 connections",
    requests: 2500,
    send: ({ client }, index) => client.run(`turn-${index % SESSIONS}`, "small=1"),
  },
];

/**
 * What it costs to know who calls: this server without authentication, with API keys and with tokens, all running at
 * once and measured in turn.
 */
export async function benchSignIn({ rounds, only }: BenchOptions): Promise<void> {
  await inDataDir(async (dataDir) => {
    await using stack = new AsyncDisposableStack();
    const servers = await startSignedInServers(dataDir, stack);
    for (const { client } of servers)
      for (const kind of ["read", "turn"])
        await inParallel(SESSIONS, CONNECTIONS, (index) => client.createSession(`${kind}-${index}`));
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
      const figures = await measure(server, scenario);
      if (round >= 0) measured.get(server.name)?.push(figures);
    }
  }
  return new Map([...measured].map(([name, figures]) => [name, mediansOf(figures)]));
}

async function measure(server: SignedInServer, { requests, send }: SignInScenario): Promise<Figures> {
  const { seconds, cpuMicros } = await costOf(server.server, () =>
    inParallel(requests, CONNECTIONS, (index) => send(server, index)),
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
