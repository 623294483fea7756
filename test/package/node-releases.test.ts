import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { skipFor } from "#tooling/missing-tool.ts";
import { environmentOf, npmInstall, run } from "./commands.ts";
import { commandOf, outside } from "./outside.ts";

const world = outside();
const { app, folder, nodes, tarball } = world;
const PROJECTS = { typescript: join(folder, "desk"), yaml: join(folder, "desky") };
const READY = /is ready: (http:\/\/[\d.:]+)/;
/** What the kit may load with itself. */
const KIT_PACKAGES = new Set(["fairlead", "zod", "typebox", "yaml", "ipaddr.js", "@opentelemetry/api"]);

beforeAll(async () => {
  await run(process.execPath, [commandOf(world), "create", "desk"], { directory: folder });
  await run(process.execPath, [commandOf(world), "create", "desky", "--yaml"], { directory: folder });
  const path = join(PROJECTS.typescript, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  manifest.dependencies.fairlead = `file:${tarball}`;
  writeFileSync(path, JSON.stringify(manifest));
  await npmInstall(PROJECTS.typescript, ["--omit=dev"]);
  // The second project has the same dependencies.
  symlinkSync(join(PROJECTS.typescript, "node_modules"), join(PROJECTS.yaml, "node_modules"));
}, 120_000);

/** Starts a server, sends a message to its only app, and returns the answer and all output of the server. */
async function converse([program = "", ...args]: readonly string[], directory: string, node: string) {
  const environment = { PORT: "0", DEV_UI: "false", DATA_DIR: mkdtempSync(join(folder, "data-")) };
  const server = spawn(program, args, {
    cwd: directory,
    env: environmentOf({ directory, node, environment }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(server, "close");
  // npm and the server are one group of processes.
  const kill = (signal: NodeJS.Signals) => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, signal);
  };
  onTestFinished(() => kill("SIGKILL"));
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const found = READY.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    server.once("exit", () => reject(new Error(`The server has ended:\n${output}`)));
  });
  // The route's schema is a list of names.
  const [appName = ""] = (await (await fetch(`${url}/list-apps`)).json()) as readonly string[];
  await fetch(`${url}/apps/${appName}/users/me/sessions/first`, { method: "POST" });
  const newMessage = { role: "user", parts: [{ text: "Please roll two dice" }] };
  const response = await fetch(`${url}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appName, userId: "me", sessionId: "first", newMessage }),
  });
  const events = await response.text();
  kill("SIGTERM");
  await closed;
  return { status: response.status, events, output };
}

describe.each(nodes)("Node $version", ({ version, program, reason }) => {
  if (program === undefined) {
    skipFor(`The package on Node ${version}`, reason ?? "it is not installed");
    it.skip("is not installed", () => undefined);
    return;
  }

  it.each(["typescript", "yaml"] as const)("npm start serves the project that create wrote, in %s", async (form) => {
    const { status, events, output } = await converse(["npm", "start"], PROJECTS[form], program);
    expect([status, events]).toEqual([200, expect.stringContaining('"functionResponse"')]);
    expect(output).not.toMatch(/ExperimentalWarning|TypeError|"level":"(?:warn|error)"/);
  });

  it("serves a folder that has no node_modules, from another one", async () => {
    const agents = mkdtempSync(join(folder, "loose-"));
    cpSync(join(PROJECTS.typescript, "agents"), agents, { recursive: true });
    const directory = mkdtempSync(join(folder, "cwd-"));
    const { status, events } = await converse([program, commandOf(world), "serve", agents], directory, program);
    expect([status, events]).toEqual([200, expect.stringContaining('"functionResponse"')]);
  });

  it("imports the kit without the packages of servers, stores and models", async () => {
    const script = `
      import { registerHooks } from "node:module";
      const loaded = new Set();
      registerHooks({ load(url, context, next) {
        loaded.add(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? url);
        return next(url, context);
      } });
      const kit = await import("fairlead/kit");
      console.log(JSON.stringify([typeof kit.LlmAgent, ...loaded].filter((name) => !name.startsWith("node:"))));`;
    const output = await run(program, ["--input-type=module", "-e", script], { directory: app, node: program });
    const [kind, ...loaded]: readonly string[] = JSON.parse(output);
    expect([kind, loaded.includes("fairlead")]).toEqual(["function", true]);
    expect(loaded.filter((name) => !KIT_PACKAGES.has(name))).toEqual([]);
  });

  it("prints no warning of Node in a program whose stores are in memory", async () => {
    const script = 'await import("fairlead/server"); await import("fairlead/stores"); console.log("loaded");';
    const output = await run(program, ["--input-type=module", "-e", script], { directory: app, node: program });
    expect(output).toBe("loaded\n");
  });

  it("names the package that a store needs", async () => {
    const environment = { SESSION_STORE: "firestore", FIRESTORE_PROJECT_ID: "p", DEV_UI: "false", PORT: "0" };
    const directory = mkdtempSync(join(folder, "cwd-"));
    const serve = [commandOf(world), "serve", join(PROJECTS.typescript, "agents")];
    const failure = run(program, serve, { directory, node: program, environment });
    await expect(failure).rejects.toThrow("npm install @google-cloud/firestore@9");
  });
});

it("an old Node gets one sentence", async () => {
  const script = `Object.defineProperty(process.versions, "node", { value: "20.20.2" }); await import(${JSON.stringify(commandOf(world))});`;
  const failure = await run(process.execPath, ["--input-type=module", "-e", script], { directory: folder }).catch(
    String,
  );
  expect(failure.trimEnd().split("\n").at(-1)).toBe(
    "Fairlead needs Node 22.16 or newer, and this is Node 20.20.2: install a newer one.",
  );
});
