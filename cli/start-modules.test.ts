import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

interface Imports {
  /** Imports that were resolved without Node, and to what Node does not resolve them. */
  readonly short: number;
  readonly wrong: readonly unknown[];
  /** Up to the answer to the first request, which is for the list of apps. */
  readonly modules: readonly string[];
  readonly builtins: readonly string[];
  readonly apps: readonly string[];
}

/** Starts `fairlead serve` in a process that compares every resolution with Node's own, until the server has answered a request. */
async function importsOfStart(): Promise<Imports> {
  const folder = mkdtempSync(join(tmpdir(), "start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = pathToFileURL(join(import.meta.dirname, "fairlead.mjs")).href;
  const script = `
    import nodeModule from "node:module";
    import timers from "node:timers/promises";
    const imports = { short: 0, wrong: [], modules: [] };
    const { registerHooks } = nodeModule;
    nodeModule.registerHooks = ({ resolve, ...hooks }) => registerHooks({
      ...hooks,
      resolve: resolve && ((name, context, next) => {
        let isShort = true;
        const ours = resolve(name, context, (...args) => {
          isShort = false;
          return next(...args);
        });
        if (isShort) {
          const { url, format } = next(name, context);
          imports.short += 1;
          if (ours.url !== url || ours.format !== format) imports.wrong.push({ name, ours, url, format });
        }
        imports.modules.push(ours.url);
        return ours;
      }),
    });
    // Whatever starts later than the server waits for the answer, so that the order does not depend on the machine.
    const answer = Promise.withResolvers();
    const { setTimeout } = timers;
    timers.setTimeout = (...args) => answer.promise.then(() => setTimeout(...args));
    nodeModule.syncBuiltinESMExports();
    console.log = async (line) => {
      const [, url] = /is ready: (http:\\/\\/[^/]+)/.exec(line) ?? [];
      if (url === undefined) return;
      const builtins = [...process.moduleLoadList];
      const apps = await (await fetch(url + "/list-apps")).json();
      process.stdout.write(JSON.stringify({ ...imports, builtins, apps }), () => {
        answer.resolve();
        process.kill(process.pid, "SIGTERM");
      });
    };
    process.argv = [process.execPath, "fairlead", ...${JSON.stringify(["serve", "agents", "--port", "0", "--data-dir", folder])}];
    await import(${JSON.stringify(command)});`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: join(import.meta.dirname, ".."),
    env: { ...process.env, LOG_LEVEL: "silent" },
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

describe("the start of a server", () => {
  it("resolves the imports of our own modules as Node does, and loads nothing that only requests need", async () => {
    const { short, wrong, modules, builtins, apps } = await importsOfStart();
    expect(wrong).toEqual([]);
    expect(apps).toContain("travel_desk_yaml");
    expect(short).toBeGreaterThan(1000);
    const late =
      /\/(?:llm-agent|core-components|openapi-document|check-agents|directory-agent-files|open-oidc|known-keys|agent|root_agent|sign-in\/sign-in|answer-message|start-evaluation|guard-ports|limit-requests|quotas|audit-recorder|describe-app)\.ts$|\/kit\/evaluation\/(?:judges\/rubrics|metrics\/rouge|simulation)\/|\/node_modules\/(?:zod|typebox|yaml|@fastify\/swagger-ui|@grpc|ioredis|@google-cloud|@google|openai|@anthropic-ai)\//;
    expect([...new Set(modules)].filter((url) => late.test(url))).toEqual([]);
    // Node's fetch client, which an import of node:http by an ES module loads.
    expect(builtins.filter((name) => name.includes("undici"))).toEqual([]);
  });
});
