import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { TURNS_PER_SESSION } from "../scenarios/scenario.ts";
import { measureInShortRounds, printCosts, SHORT_ROUNDS_PER_ROUND, type ShortScenario } from "../short-rounds.ts";
import { startSignedInServers } from "./signed-in-servers.ts";

const SCENARIOS: readonly ShortScenario[] = [
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
