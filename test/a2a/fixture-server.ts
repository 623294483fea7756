import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone, type Standalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { FixtureAgent } from "./fixture-agent.ts";

/** The conformance kit sends files of a type of its own, and demands that they are taken. */
export const CARDS = 'apps: { fixture: { defaultInputModes: ["*/*"] } }';

/** A server in one process that offers the fixture agent by the Agent2Agent protocol, as its default app. */
export async function startFixtureServer(settings: Readonly<Record<string, string>> = {}): Promise<Standalone> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "a2a-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cards = join(folder, "cards.yaml");
  writeFileSync(cards, CARDS);
  const config = loadConfig(standaloneConfigSchema, {
    ...{ HOST: "127.0.0.1", PORT: "0", DATA_DIR: folder, SESSION_STORE: "memory", DEV_UI: "false" },
    ...{ DEFAULT_APP_NAME: "fixture", A2A_APPS: "*", A2A_CARDS_FILE: cards },
    // The kit receives notifications on a port of its own.
    ...{ A2A_PUSH: "memory", OUTBOUND_ALLOWED_HOSTS: "127.0.0.1,localhost" },
    ...settings,
  });
  const rootAgent = new FixtureAgent({ name: "fixture", description: "Does what the ids of messages say." });
  const agentLoader = new StaticAgentLoader([createApp({ name: "fixture", rootAgent })]);
  const server = stack.use(await createStandalone({ config, agentLoader, logger: new RecordingLogger() }));
  const owned = stack.move();
  return { ...server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
