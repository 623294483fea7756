import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";
import { Client, type Headers } from "../client.ts";
import { CONNECTIONS } from "../scenarios/scenario.ts";
import { ownServer } from "../servers/own-server.ts";
import { ServerProcess } from "../servers/server-process.ts";
import type { StandingServer } from "../short-rounds.ts";

const ROOT = join(import.meta.dirname, "../..");
const SCOPES = ["runs:write", "sessions:read", "sessions:write"];
const AUDIENCE = "bench";

/** This server three times: without authentication, with an API key, and with tokens of an identity provider. */
export async function startSignedInServers(
  dataDir: string,
  stack: AsyncDisposableStack,
): Promise<readonly [StandingServer, ...StandingServer[]]> {
  const start = async (
    name: string,
    settings: Readonly<Record<string, string>>,
    credentials: (server: ServerProcess) => Promise<Headers>,
  ): Promise<StandingServer> => {
    const server = stack.use(await ServerProcess.start(ownServer(dataDir, settings)));
    const client = stack.use(new Client(server.url, CONNECTIONS, await credentials(server)));
    return { name, server, client };
  };
  const issuer = stack.use(await TestIssuer.start({ audience: AUDIENCE }));
  const oidc = { AUTH: "oidc", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE };
  return [
    await start("none", {}, async () => ({})),
    await start("api-key", { AUTH: "api-key" }, async ({ dataFolder = "" }) => bearer(await createKey(dataFolder))),
    await start("token", oidc, async () =>
      bearer(await issuer.token({ claims: { sub: "u", scope: SCOPES.join(" ") } })),
    ),
  ];
}

function bearer(text: string): Headers {
  return { authorization: `Bearer ${text}` };
}

async function createKey(dataFolder: string): Promise<string> {
  const words = ["--name", "bench", "--user", "u", "--scopes", SCOPES.join(","), "--data-dir", dataFolder];
  const command = ["cli/fairlead.mjs", "keys", "create", ...words];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  const [key] = /fl_\w+_[\w-]+/.exec(stdout) ?? [];
  if (key === undefined) throw new Error("The command printed no key.");
  return key;
}
