import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastify from "fastify";
import { createServer } from "#services/standalone/index.ts";
import { platformSuite } from "./suite/platform-suite.ts";
import type { Target } from "./targets/target.ts";

const SAMPLES = fileURLToPath(new URL("../../agents", import.meta.url));
const DEV_UI_DIR = fileURLToPath(new URL("../../.dev-ui", import.meta.url));

async function openMounted(): Promise<Target> {
  const app = fastify();
  const server = await createServer({ agents: SAMPLES, config: { DEV_UI: true, DEV_UI_DIR } });
  await app.register(server.plugin, { prefix: "/team/agents" });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url: `${url}/team/agents`,
    hasUi: existsSync(DEV_UI_DIR),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

platformSuite("a server that is mounted in another program's Fastify app", openMounted);
