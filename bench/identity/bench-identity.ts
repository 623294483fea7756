import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchOptions } from "../bench-options.ts";
import { compare, inDataDir } from "../bench-servers.ts";
import { Client, type Headers, inParallel } from "../client.ts";
import { costOf } from "../scenarios/cost-of.ts";
import { CONNECTIONS, type Figures, type MeasuredServer, type Scenario } from "../scenarios/scenario.ts";
import { shortTurns } from "../scenarios/short-turns.ts";
import { ownServer } from "../servers/own-server.ts";

const ROOT = join(import.meta.dirname, "../..");
const REQUESTS = 20_000;
const SCOPES = "runs:write,sessions:read,sessions:write";

const SCENARIOS: readonly Scenario[] = [
  { name: "a request without a run, 50 connections", measure: requests },
  {
    name: "/run, 50 connections",
    measure: async (server) => shortTurns(server, await credentialsFor(server)),
  },
];

/** What the check of callers costs: this server with API keys against the same without authentication. */
export async function benchIdentity({ rounds, only }: BenchOptions): Promise<void> {
  await inDataDir(async (dataDir) => {
    const signedIn = { name: "api-key", command: ownServer(dataDir, { AUTH: "api-key" }) };
    const open = { name: "none", command: ownServer(dataDir) };
    for (const scenario of SCENARIOS) {
      if (only !== undefined && !scenario.name.includes(only)) continue;
      process.stdout.write(`\nAUTH=api-key beside AUTH=none: ${scenario.name}\n`);
      await compare(signedIn, [open], scenario, rounds);
    }
  });
}

async function requests(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS, await credentialsFor(server));
  const ask = (count: number) => inParallel(count, CONNECTIONS, () => client.send("GET", "/list-apps", undefined));
  await ask(REQUESTS / 2);
  const { seconds, cpuMicros } = await costOf(server, () => ask(REQUESTS));
  return { "requests/s": REQUESTS / seconds, "CPU µs/request": cpuMicros / REQUESTS };
}

/** The headers with a new key of the server's folder; none for a server that asks for no credentials. */
async function credentialsFor({ url, dataFolder = "" }: MeasuredServer): Promise<Headers> {
  if ((await fetch(`${url}/list-apps`)).status !== 401) return {};
  const words = ["--name", "bench", "--user", "u", "--scopes", SCOPES, "--data-dir", dataFolder];
  const command = ["cli/fairlead.mjs", "keys", "create", ...words];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  const [key] = /fl_\w+_[\w-]+/.exec(stdout) ?? [];
  if (key === undefined) throw new Error("The command printed no key.");
  return { authorization: `Bearer ${key}` };
}
