import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { formsOf } from "#test/contract/credentials/sealed-credentials.ts";
import { startRedisMonitor } from "#test/helpers/servers/redis-monitor.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PLATFORM_SERVICES, PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const AGENTS = fileURLToPath(new URL("../../fixtures/credential-agents", import.meta.url));
const SECRET = "planted-secret-of-a-tool-7f3a";
const URLS = [
  ...["/apps/keeper/users/ada/sessions/talk", "/v1/runs?userId=ada", "/v1/credentials?userId=ada"],
  ...["/debug/trace/session/talk", "/apps/keeper/users/ada/sessions"],
];

type Outputs = Map<string, string>;

/** Keeps everything that an exporter sends, as it arrives. */
async function startCollector() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, bodies, [Symbol.asyncDispose]: close };
}

function settingsWith(collector: string): Readonly<Record<string, string>> {
  return {
    AGENTS_DIR: AGENTS,
    PLANTED_SECRET: SECRET,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    TRACE_CONTENT: "true",
    LOG_LEVEL: "debug",
    LOG_FORMAT: "json",
  };
}

/** One conversation in which the agent keeps, uses, cannot keep, and drops a credential; and what can be read of it. */
async function converse(url: string): Promise<Outputs> {
  const outputs: Outputs = new Map();
  const client = new PlatformClient(url, "keeper");
  await client.createSession("talk");
  const tasks = ["keep", "use", "fail", "keep"];
  for (const task of tasks) outputs.set(`the answer to ${task}`, await (await client.run("talk", task)).text());
  for (const path of URLS) {
    const answer = await fetch(url + path);
    outputs.set(path, await answer.text());
    expect([path, answer.status]).toEqual([path, 200]);
  }
  expect(outputs.get("the answer to use")).toContain("has its credential");
  expect(outputs.get("the answer to fail")).toContain("credential has over");
  expect(outputs.get("/v1/credentials?userId=ada")).toContain('"credentialKey":"tool"');
  return outputs;
}

async function readFiles(folder: string, outputs: Outputs): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) outputs.set(path, await readFile(path, "latin1"));
  }
}

function expectNoSecret(outputs: Outputs): void {
  const found = [...outputs].filter(([, output]) => formsOf(SECRET).some((form) => output.includes(form)));
  expect(found.map(([name]) => name)).toEqual([]);
}

describe("a credential that an agent keeps", { timeout: 120_000 }, () => {
  it("is in no file, answer, log line, span or metric of the server in one process", async () => {
    verifies("platform:credentials:nowhere");
    await using collector = await startCollector();
    const folder = agentsFolder({}).path;
    const environment = { ...settingsWith(collector.url), PORT: "0", DATA_DIR: folder, DEV_UI: "false" };
    let outputs: Outputs;
    {
      await using server = new CliProcess([], { script: "services/standalone/main.ts", environment });
      const [, url = ""] = await server.until(/"url":"([^"]+)"/);
      outputs = await converse(url);
      outputs.set("metrics", await (await fetch(`${url}/metrics`)).text());
      await readFiles(folder, outputs);
      await server.end("SIGTERM");
      outputs.set("log", server.output);
    }
    await readFiles(folder, outputs);
    outputs.set("spans", collector.bodies.join("\n"));
    expect(outputs.get(join(folder, "credentials.sqlite"))).toContain("flc1.");
    expect(outputs.get("spans")).toContain("keeper");
    expect(outputs.get("log")).toContain("ready");
    expectNoSecret(outputs);
  });

  it.skipIf(whyNoRedis() !== undefined)("is in nothing of six services and their Redis", async () => {
    verifies("platform:credentials:nowhere");
    await using collector = await startCollector();
    await using world = await PlatformWorld.create({ settings: settingsWith(collector.url) });
    await using monitor = await startRedisMonitor(world.redis.url);
    world.startAll();
    await world.untilReady();
    const outputs = await converse(world.url);
    for (const service of PLATFORM_SERVICES) {
      const url = service === "gateway" ? world.url : world.adminUrl(service);
      outputs.set(`metrics of ${service}`, await (await fetch(`${url}/metrics`)).text());
    }
    const folder = join(String(world.environmentOf("session")["DATA_DIR"]), "..");
    await readFiles(folder, outputs);
    for (const service of PLATFORM_SERVICES) {
      await world.process(service).end("SIGTERM");
      outputs.set(`log of ${service}`, world.process(service).output);
    }
    await readFiles(folder, outputs);
    outputs.set("redis", monitor.commands.map((args) => args.join(" ")).join("\n"));
    outputs.set("spans", collector.bodies.join("\n"));
    expect(outputs.get(join(folder, "session", "credentials.sqlite"))).toContain("flc1.");
    expect(outputs.get("redis")).toContain("has its credential");
    expect(outputs.get("spans")).toContain("SaveCredential");
    expectNoSecret(outputs);
  });
});
