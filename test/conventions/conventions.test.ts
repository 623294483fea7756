import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT, readSourceFiles, type SourceFile } from "#test/helpers/source-files.ts";
import { boundaryFaults } from "./boundaries.ts";
import { folderFaults, rootFaults } from "./folders.ts";
import { globalFaults } from "./globals.ts";
import { LAYERS, layerFaults, typeCycles } from "./layers.ts";
import { formerNameFaults } from "./names.ts";
import { patternOriginFaults } from "./pattern-origins.ts";
import { shapeFaults, strippingFaults } from "./shape.ts";

const FILES = readSourceFiles();
const trackedPaths = async (): Promise<readonly string[]> => {
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], { cwd: REPOSITORY_ROOT });
  return stdout.split("\0").filter((path) => path !== "");
};
const at = (path: string, text: string): SourceFile => ({ path, text });

describe("the repository", () => {
  it("keeps the direction of its dependencies", () => {
    expect(FILES.flatMap(boundaryFaults)).toEqual([]);
  });

  it("reaches time, chance, console and environment only where they belong", () => {
    expect(FILES.flatMap(globalFaults)).toEqual([]);
  });

  it("matches patterns of others in linear time", () => {
    expect(FILES.flatMap(patternOriginFaults)).toEqual([]);
  });

  it("has no file over 400 lines and none with another name than kebab-case", () => {
    expect(FILES.flatMap(shapeFaults)).toEqual([]);
  });

  it("runs on Node as it is", () => {
    expect(FILES.flatMap(strippingFaults)).toEqual([]);
  });

  it("has no import cycle, types included", () => {
    expect(typeCycles(FILES)).toEqual([]);
  });

  it("imports within a part from lower layers only", () => {
    expect(FILES.flatMap(layerFaults)).toEqual([]);
  });

  it("has layers for folders that exist", () => {
    const gone = Object.entries(LAYERS).flatMap(([part, layers]) =>
      layers.filter((layer) => !FILES.some(({ path }) => path.startsWith(layer === "." ? part : `${part}/${layer}`))),
    );
    expect(gone).toEqual([]);
  });

  it("has no folder too full to read, and nothing unexpected at its root", async () => {
    const paths = await trackedPaths();
    expect([...folderFaults(paths), ...rootFaults(paths)]).toEqual([]);
  });

  it("has the product's former name nowhere", async () => {
    const files = (await trackedPaths()).map(async (path) =>
      at(path, await readFile(join(REPOSITORY_ROOT, path), "latin1")),
    );
    expect((await Promise.all(files)).flatMap(formerNameFaults)).toEqual([]);
  });
});

describe("formerNameFaults", () => {
  it.each(["", "-", "_", " "])("catches the name written with %j between its words", (separator) => {
    const name = ["Agent", "plane"].join(separator);
    expect(formerNameFaults(at(`docs/${name}.md`, `\nAbout ${name}.\n`))).toHaveLength(2);
  });
});

describe("boundaryFaults", () => {
  it.each([
    ["kit/events/event.ts", 'import { x } from "#services/gateway/app.ts";'],
    ["kit/events/event.ts", 'import { x } from "#shared/config.ts";'],
    ["kit/events/event.ts", 'import { x } from "../../services/shared/config.ts";'],
    ["kit/events/event.ts", 'import type { X } from "#adapters/sqlite/database.ts";'],
    ["kit/events/event.ts", 'export * from "#adapters/sqlite/database.ts";'],
    ["kit/events/event.ts", 'const x = await import("#adapters/sqlite/database.ts");'],
    ["kit/events/event.ts", "const x = await import(`#adapters/sqlite/database.ts`);"],
    ["kit/events/event.ts", 'type X = import("../../services/shared/config.ts").X;'],
    ["kit/events/event.ts", 'const name = "#adapters/x.ts"; await import(name);'],
    ["kit/events/event.ts", 'const x = require("../../services/shared/config.ts");'],
    ["kit/events/event.ts", 'const x = import.meta.resolve("#adapters/x.ts");'],
    ["kit/events/event.ts", 'import x from "file:///srv/adapters/x.ts";'],
    ["kit/agents/deep/x.ts", 'import { x } from "../../events/event.ts";'],
    ["kit/events/event.ts", 'import fastify from "fastify";'],
    ["kit/events/event.ts", 'import { DatabaseSync } from "node:sqlite";'],
    ["kit/events/event.ts", 'const x = await import("openai");'],
    ["kit/models/openai.ts", 'import OpenAI from "openai";'],
    ["client/run-stream.ts", 'import { textOf } from "#kit/events/content.ts";'],
    ["client/run-stream.ts", 'import { type Event } from "#kit/events/event.ts";'],
    ["client/run-stream.ts", 'export { textOf } from "#kit/events/content.ts";'],
    ["client/run-stream.ts", 'const x = await import("#kit/events/content.ts");'],
    ["client/run-stream.ts", 'import { readFile } from "node:fs/promises";'],
    ["client/run-stream.ts", 'import { createParser } from "eventsource-parser";'],
    ["client/run-stream.ts", 'import type { X } from "#services/gateway/runs/wire-run.ts";'],
    ["kit/events/event.ts", 'import type { RunData } from "fairlead/client";'],
    ["adapters/sqlite/database.ts", 'import { x } from "#adapters/redis/client.ts";'],
    ["adapters/sqlite/database.ts", 'import { x } from "../redis/client.ts";'],
    ["adapters/sqlite/database.ts", 'import { x } from "#shared/config.ts";'],
    ["adapters/index.ts", 'import { x } from "#shared/config.ts";'],
    ["adapters/other.ts", 'const x = await import("#adapters/sqlite/database.ts");'],
    ["services/gateway/app.ts", 'import { x } from "#services/session/store.ts";'],
    ["services/gateway/app.ts", 'import { x } from "../session/store.ts";'],
    ["services/gateway/app.ts", 'type X = import("../session/store.ts").X;'],
    ["services/gateway/routes/runs.ts", 'const x = await import("../../session/store.ts");'],
    ["services/shared/config.ts", 'import { x } from "#services/gateway/config.ts";'],
    ["services/gateway/app.ts", 'import { x } from "#test/helpers/verifies.ts";'],
    ["agents/weather/agent.ts", 'import { x } from "#services/gateway/app.ts";'],
    ["deploy/platform/plan.ts", 'import { x } from "#test/helpers/verifies.ts";'],
    ["bench/run.ts", 'import { x } from "../test/helpers/free-ports.ts";'],
    ["docs/generator/pages.ts", 'import { x } from "#test/helpers/verifies.ts";'],
    ["tooling/free-ports.ts", 'import { x } from "#test/helpers/verifies.ts";'],
    ["kit/x.test.ts", 'import fc from "fast-check";'],
  ])("catches in %s: %s", (path, text) => {
    expect(boundaryFaults(at(path, text))).toHaveLength(1);
  });

  it.each([
    ["kit/events/event.ts", 'import { x } from "../platform/json.ts";'],
    ["kit/models/openai.ts", 'import type OpenAI from "openai"; const x = await import("openai");'],
    ["kit/events/event.test.ts", 'import { verifies } from "#test/helpers/verifies.ts"; import { it } from "vitest";'],
    ["adapters/sqlite/database.ts", 'import { x } from "#kit/events/event.ts"; import { y } from "node:sqlite";'],
    ["adapters/index.ts", 'const x = await import("#adapters/sqlite/database.ts");'],
    ["services/gateway/routes/runs.ts", 'import { x } from "../app.ts"; import { y } from "#shared/config.ts";'],
    ["services/standalone/main.ts", 'import { x } from "#services/gateway/app.ts";'],
    ["agents/weather/agent.ts", 'import { LlmAgent } from "fairlead/kit";'],
    ["client/run-stream.ts", 'import type { Event } from "#kit/events/event.ts"; import { x } from "./api-path.ts";'],
    ["client/run-stream.ts", 'export type { Event } from "#kit/events/event.ts";'],
    [
      "client/x.test.ts",
      'import { fc } from "#test/helpers/random/seeded-check.ts"; import { x } from "#kit/errors/codes.ts";',
    ],
    ["bench/run.ts", 'import { x } from "#tooling/free-ports.ts";'],
    ["docs/generator/pages.ts", 'import { x } from "#test/requirements/sections.ts";'],
  ])("allows in %s: %s", (path, text) => {
    expect(boundaryFaults(at(path, text))).toEqual([]);
  });
});

describe("layerFaults", () => {
  it.each([
    ["kit/events/event.ts", 'import { x } from "#kit/sessions/session.ts";'],
    ["kit/events/event.ts", 'import type { X } from "#kit/sessions/session.ts";'],
    ["kit/events/event.ts", 'const x = await import("#kit/runs/runner.ts");'],
    ["kit/core/context/x.ts", 'import type { X } from "../base-agent.ts";'],
    ["kit/llm-agent/request/x.ts", 'import { x } from "../run-llm-flow.ts";'],
    ["services/gateway/http/x.ts", 'import { x } from "../app.ts";'],
    ["kit/misc/x.ts", "export const x = 1;"],
  ])("catches in %s: %s", (path, text) => {
    expect(layerFaults(at(path, text))).toHaveLength(1);
  });

  it.each([
    ["kit/sessions/session.ts", 'import { x } from "#kit/events/event.ts";'],
    ["kit/events/event.test.ts", 'import { x } from "#kit/runs/runner.ts";'],
    ["services/gateway/http/x.ts", 'import { x } from "../config.ts";'],
    ["services/artifact/server.ts", 'import { x } from "./handlers.ts";'],
  ])("allows in %s: %s", (path, text) => {
    expect(layerFaults(at(path, text))).toEqual([]);
  });
});

describe("folderFaults", () => {
  it("catches a folder of 26 files, and a file at the root that is not on the list", () => {
    const full = Array.from({ length: 26 }, (_, index) => `kit/x/f${index}.ts`);
    expect(folderFaults(full)).toEqual(["kit/x has 26 files; the most is 25: give them folders."]);
    expect(rootFaults(["oom", "README.md"])).toEqual(["oom: nothing of that name belongs at the root."]);
  });

  it("accepts 25 files", () => {
    expect(folderFaults(Array.from({ length: 25 }, (_, index) => `kit/x/f${index}.ts`))).toEqual([]);
  });
});

describe("typeCycles", () => {
  it("catches a cycle of types, and ignores import()", () => {
    const a = at("kit/a/a.ts", 'import type { B } from "#kit/b/b.ts";');
    const back = (text: string): readonly string[] => typeCycles([a, at("kit/b/b.ts", text)]);
    expect(back('import type { A } from "#kit/a/a.ts";')).toEqual(["kit/a/a.ts → kit/b/b.ts → kit/a/a.ts"]);
    expect(back('await import("#kit/a/a.ts");')).toEqual([]);
  });
});

describe("patternOriginFaults", () => {
  it.each([
    ["kit/tools/mcp/a.ts", "toSchema(schema, { isOwn: true });"],
    ["kit/tools/a.ts", 'import { Compile } from "typebox/schema";'],
    ["services/gateway/a.ts", 'const { Ajv } = await import("ajv");'],
    ["kit/tools/a.ts", "z.fromJSONSchema(schema);"],
  ])("catches in %s: %s", (path, text) => {
    expect(patternOriginFaults(at(path, text))).toHaveLength(1);
  });

  it.each([
    ["kit/tools/function-tool.ts", "toSchema(schema, { isOwn: true });"],
    ["kit/tools/mcp/a.ts", "toSchema(schema);"],
    ["kit/schema/schema.ts", 'await import("typebox/schema");'],
  ])("allows in %s: %s", (path, text) => {
    expect(patternOriginFaults(at(path, text))).toEqual([]);
  });
});

describe("globalFaults", () => {
  it.each([
    "const x = Date.now();",
    "const x = new Date();",
    "const x = globalThis.Date.now();",
    'const x = globalThis["Date"].now();',
    "const { Date: Clock } = globalThis;",
    "const g = globalThis;",
    'const D = Reflect.get(globalThis, "Date");',
    "const x = globalThis[name];",
    "const x = process[name];",
    "const x = { Date };",
    "const x = performance.now();",
    'import { performance as p } from "node:perf_hooks";',
    'import { randomUUID } from "node:crypto";',
    'import { randomUUID as id } from "crypto";',
    'import * as crypto from "node:crypto";',
    "const x = crypto.randomUUID();",
    "const x = globalThis.crypto.randomUUID();",
    "const x = process.env.HOME;",
    'const x = process["env"];',
    "const { env } = process;",
    "const { env: settings } = globalThis.process;",
    'import { env } from "node:process";',
    'import { env as settings } from "process";',
    'import proc from "node:process";',
    "const p = process;",
    'console.log("x");',
    'globalThis.console.log("x");',
    "const { log } = console;",
    'import { log } from "node:console"; import c from "node:console";',
  ])("catches: %s", (text) => {
    expect(globalFaults(at("kit/events/event.ts", text))).toHaveLength(1);
  });

  it.each([
    [
      "kit/events/event.ts",
      "const x = { Date: 1, env: 2, console: 3 }; x.env; x.Date; function f(env: string) { return env; }",
    ],
    ["kit/events/event.ts", 'import { createHash } from "node:crypto"; process.exitCode = 1; type T = Date;'],
    ["kit/events/event.ts", "for (const process of steps) run(process, await process(x));"],
    ["kit/platform/clock.ts", "const x = Date.now();"],
    ["services/gateway/main.ts", "const x = process.env;"],
    ["cli/main.ts", 'console.log("x");'],
    ["kit/events/event.test.ts", "const x = new Date(0);"],
  ])("allows in %s: %s", (path, text) => {
    expect(globalFaults(at(path, text))).toEqual([]);
  });
});

describe("shapeFaults", () => {
  it("catches a file of 401 lines and names in other cases", () => {
    expect(shapeFaults(at("kit/a.ts", "\n".repeat(401)))).toEqual(["kit/a.ts has 401 lines; the most is 400."]);
    expect(shapeFaults(at("kit/runState.ts", ""))).toEqual(["kit/runState.ts is not named in kebab-case."]);
    expect(shapeFaults(at("kit/run_state.ts", ""))).toEqual(["kit/run_state.ts is not named in kebab-case."]);
  });

  it("accepts 400 lines and test names", () => {
    expect(shapeFaults(at("kit/run-state.test.ts", "\n".repeat(400)))).toEqual([]);
  });
});

describe("strippingFaults", () => {
  it.each([
    "export enum Mode {\n  A,\n}",
    "class A {\n  constructor(readonly b: number) {}\n}",
    "namespace A {\n  export const b = 1;\n}",
  ])("catches: %s", (text) => {
    expect(strippingFaults(at("kit/a.ts", text))).toHaveLength(1);
  });

  it("accepts types", () => {
    expect(strippingFaults(at("kit/a.ts", "type A = 1; export const a: A = 1 as A;"))).toEqual([]);
  });
});
