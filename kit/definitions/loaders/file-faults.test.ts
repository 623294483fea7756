import { promises } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, describe, expect, it } from "vitest";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { DirectoryAgentLoader } from "./directory-agent-loader.ts";

const CALLS = ["readdir", "stat", "access", "realpath", "readFile"] as const;
const CODES = ["EMFILE", "EACCES", "EIO"] as const;

const FILES = {
  "shop/root_agent.yaml": "name: shop\nmodel: demo/echo\ninstruction: x\nsub_agents: [{config_path: sub.yaml}]\n",
  "shop/sub.yaml": "name: sub\ninstruction: x\n",
  "shop/app.yaml": "plugins: [{name: LoggingPlugin}]\n",
  "shop/README.md": "About.",
  "shop/components.mjs": "export const registerComponents = () => {};\n",
};

const originals = new Map(CALLS.map((call) => [call, promises[call]]));

/** Makes the n-th call from now on fail once; returns true when that has happened. */
function failOnce(call: (typeof CALLS)[number], code: string, at: number): () => boolean {
  const original = originals.get(call) as (...args: readonly unknown[]) => Promise<unknown>;
  let uses = 0;
  const faulty = (...args: readonly unknown[]): Promise<unknown> => {
    uses += 1;
    if (uses === at) return Promise.reject(Object.assign(new Error(`${code}: ${call}`), { code }));
    return original(...args);
  };
  Object.assign(promises, { [call]: faulty });
  syncBuiltinESMExports();
  return () => uses >= at;
}

afterEach(() => {
  Object.assign(promises, Object.fromEntries(originals));
  syncBuiltinESMExports();
});

async function loaded(loader: DirectoryAgentLoader): Promise<unknown> {
  const { app, readme } = await loader.loadAgent("shop");
  return { plugins: app.plugins.length, subAgents: app.rootAgent.subAgents.length, readme };
}

const WHOLE = { plugins: 1, subAgents: 1, readme: "About." };
const cases = CALLS.flatMap((call) => CODES.map((code) => [call, code] as const));

/** A loader that checks for changes only on request. */
function open(hotReload: boolean) {
  const folder = agentsFolder(FILES);
  const logger = new RecordingLogger();
  const watch = { notices: false, pollMs: 2 ** 30 };
  const options = { directory: folder.path, hotReload, logger, watch, lookPauseMs: 0 };
  return { folder, logger, loader: new DirectoryAgentLoader(options) };
}

describe.each(cases)("one failure of %s by %s", (call, code) => {
  it.each([true, false])("while apps load leaves nothing broken (hot reload: %s)", async (hotReload) => {
    let hasFailed = true;
    for (let at = 1; hasFailed; at += 1) {
      const { loader } = open(hotReload);
      const failed = failOnce(call, code, at);
      // The failure itself may lead to an error, but never to an app that lacks a part.
      const first: unknown = await loaded(loader).catch((error: unknown) => error);
      if (!(first instanceof Error)) expect(first).toEqual(WHOLE);
      expect(await loaded(loader)).toEqual(WHOLE);
      expect(await loader.listAgents()).toEqual(["shop"]);
      hasFailed = failed();
      await loader.close();
    }
  });

  it("while the folder is looked through keeps what is known, and is reported", async () => {
    const { folder, loader, logger } = open(true);
    await loaded(loader);
    let hasFailed = true;
    for (let at = 1; hasFailed; at += 1) {
      folder.write("shop/sub.yaml", `name: sub\ninstruction: ${"x".repeat(at)}\n`);
      const failed = failOnce(call, code, at);
      await loader.refresh();
      expect([await loader.listAgents(), await loaded(loader)]).toEqual([["shop"], WHOLE]);
      hasFailed = failed();
      await loader.refresh();
      expect(await loaded(loader)).toEqual(WHOLE);
    }
    expect(logger.lines.filter(({ message }) => message.includes("no longer served"))).toEqual([]);
    await loader.close();
  });
});
