import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { agentRevisionOf } from "./agent-revision.ts";
import { readModuleSources } from "./module-sources.ts";

const ROOT = "name: root\nmodel: demo/chat\ninstruction: x\n";
const FILES = {
  "shop/root_agent.yaml": `${ROOT}subAgents: [{configPath: sub.yaml}]`,
  "shop/sub.yaml": "name: sub\ninstruction: y\n",
};

async function revisionOf(files: Readonly<Record<string, string>>, revisionSalt?: string): Promise<string | undefined> {
  await using loader = disposable(new ConfigAgentLoader(agentsFolder(files).path, false, { revisionSalt }));
  return (await loader.loadAgent("shop")).agentRevision;
}

function disposable(loader: ConfigAgentLoader) {
  return {
    loadAgent: (name: string) => loader.loadAgent(name),
    [Symbol.asyncDispose]: () => loader.close(),
  };
}

describe("the agent revision of definitions", () => {
  it("is that of their content, in whatever folder they are", async () => {
    const first = await revisionOf(FILES);
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    expect(await revisionOf(FILES)).toBe(first);
  });

  it.each([
    ["the root", { "shop/root_agent.yaml": `${ROOT}description: new\nsubAgents: [{configPath: sub.yaml}]` }],
    ["a file that it refers to", { "shop/sub.yaml": "name: other\ninstruction: y\n" }],
    ["the app's settings, which it did not have", { "shop/app.yaml": "on_disconnect: cancel\n" }],
  ])("changes with %s", async (_, change) => {
    expect(await revisionOf({ ...FILES, ...change })).not.toBe(await revisionOf(FILES));
  });

  it("stays with files that decide nothing: the readme, sets for evaluations, files of other apps", async () => {
    const more = { "shop/README.md": "# Shop", "shop/cases.evalset.json": "{}", "other/root_agent.yaml": ROOT };
    expect(await revisionOf({ ...FILES, ...more })).toBe(await revisionOf(FILES));
  });

  it("changes with what the process adds", async () => {
    const revisions = [
      await revisionOf(FILES),
      await revisionOf(FILES, "image one"),
      await revisionOf(FILES, "image two"),
    ];
    expect(new Set(revisions).size).toBe(3);
  });

  it("does not depend on the order of the sources, and tells names from digests", () => {
    const one = agentRevisionOf({
      sources: [
        ["a", "1"],
        ["b", "2"],
      ],
    });
    expect(
      agentRevisionOf({
        sources: [
          ["b", "2"],
          ["a", "1"],
        ],
      }),
    ).toBe(one);
    expect(
      agentRevisionOf({
        sources: [
          ["a", "2"],
          ["b", "1"],
        ],
      }),
    ).not.toBe(one);
  });
});

describe("versions of one app beside each other", () => {
  it("are the newest and those that it has replaced, up to a number, until the app is gone", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": ROOT });
    const loader = new DirectoryAgentLoader({ directory: folder.path, watch: { notices: false, pollMs: 3_600_000 } });
    const loaded = [await loader.loadAgent("shop")];
    for (let version = 2; version <= 7; version += 1) {
      folder.write("shop/root_agent.yaml", `${ROOT}description: version ${version}\n`);
      await loader.refresh();
      loaded.push(await loader.loadAgent("shop"));
    }
    const found = await Promise.all(loaded.map(({ agentRevision = "" }) => loader.findRevision("shop", agentRevision)));
    expect(found.map((app) => app?.version)).toEqual([undefined, undefined, 3, 4, 5, 6, 7]);
    expect(loaded.map(({ app }) => loader.keeps(app))).toEqual([false, false, true, true, true, true, true]);
    expect(found.at(2)?.app).toBe(loaded[2]?.app);
    await loader.close();
  });

  it("are not multiplied by changes back and forth, nor by a changed readme", async () => {
    const folder = agentsFolder({ "shop/root_agent.yaml": ROOT });
    const loader = new DirectoryAgentLoader({ directory: folder.path, watch: { notices: false, pollMs: 3_600_000 } });
    const first = await loader.loadAgent("shop");
    for (const text of [`${ROOT}description: other\n`, ROOT]) {
      folder.write("shop/root_agent.yaml", text);
      await loader.refresh();
      await loader.loadAgent("shop");
    }
    folder.write("shop/README.md", "# Shop");
    await loader.refresh();
    const newest = await loader.loadAgent("shop");
    expect([newest.version, newest.agentRevision]).toEqual([4, first.agentRevision]);
    expect([loader.keeps(first.app), loader.keeps(newest.app)]).toEqual([false, true]);
    await loader.close();
  });
});

describe("the sources of a module", () => {
  const MODULE = [
    'import { z } from "zod";',
    'import { units } from "../shared/units.ts";',
    'export * from "./tools/index.ts";',
    'const prompt = readFileSync(new URL("./prompt.md", import.meta.url));',
    'const later = () => import("./later.ts");',
    'const old = require("./old");',
    'import fs from "node:fs"; import path from "path"; import { LlmAgent } from "fairlead/kit";',
  ].join("\n");
  const files = {
    "agents/shop/agent.ts": MODULE,
    "agents/shop/tools/index.ts": 'export { a } from "./a.ts"; export { b } from "../missing.ts";',
    "agents/shop/tools/a.ts": 'import "../agent.ts"; export const a = 1;',
    "agents/shop/prompt.md": "You are a shop.",
    "agents/shop/later.ts": "",
    "agents/shop/old.js": "",
    "agents/shop/notes.txt": "not read by any module",
    "agents/shared/units.ts": "export const units = 1;",
    "node_modules/zod/package.json": '{"name": "zod", "version": "4.1.2"}',
    "node_modules/zod/index.js": "",
  };

  it("are its files, what they import and read, and the versions of packages", async () => {
    const folder = agentsFolder(files);
    const sources = await readModuleSources(join(folder.path, "agents/shop/agent.ts"));
    const names = ["../shared/units.ts", "agent.ts", "later.ts", "old.js", "package:zod", "prompt.md"];
    expect([...sources.keys()].sort()).toEqual([...names, "tools/a.ts", "tools/index.ts"]);
    expect(sources.get("package:zod")).toBe("4.1.2");
  });

  it.each([
    ["agents/shared/units.ts", "export const units = 2;"],
    ["agents/shop/prompt.md", "You are a shop of books."],
    ["node_modules/zod/package.json", '{"name": "zod", "version": "4.1.3"}'],
  ])("change with %s", async (name, text) => {
    const revision = async (given: Readonly<Record<string, string>>) =>
      agentRevisionOf({ sources: await readModuleSources(join(agentsFolder(given).path, "agents/shop/agent.ts")) });
    expect(await revision({ ...files, [name]: text })).not.toBe(await revision(files));
    expect(await revision({ ...files, "agents/shop/notes.txt": "more" })).toBe(await revision(files));
  });

  it("are bounded in number and size, and survive links in a circle, folders and broken packages", async () => {
    const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, index) => [`a/m${index}.ts`, ""]));
    const all = Object.keys(many).map((name) => `import "./${name.slice(2)}";`);
    const broken = { "a/node_modules/x/package.json": "{", "a/big.ts": "x".repeat(17 * 1024 * 1024) };
    const imports = [...all, 'import "x"; import "./big.ts"; import "./folder"; import "./loop.ts"'].join("\n");
    const folder = agentsFolder({ ...many, ...broken, "a/agent.ts": imports });
    mkdirSync(join(folder.path, "a/folder"));
    symlinkSync("loop.ts", join(folder.path, "a/loop.ts"));
    const sources = await readModuleSources(join(folder.path, "a/agent.ts"));
    expect(sources.size).toBe(2_000);
    expect([sources.has("big.ts"), sources.has("loop.ts"), sources.has("folder")]).toEqual([false, false, false]);
  });
});
