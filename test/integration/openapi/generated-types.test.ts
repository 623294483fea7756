import { spawnSync } from "node:child_process";
import { join } from "node:path";
import generateTypes, { type OpenAPI3 } from "openapi-typescript";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

/** Uses types of bodies, parameters and answers, in both spellings of a route. */
const PROGRAM = `import type { components, operations, paths } from "./api.d.ts";

type Run = components["schemas"]["Run"];
type Body = operations["runAgent"]["requestBody"]["content"]["application/json"];
type Events = paths["/run"]["post"]["responses"][200]["content"]["application/json"];
type Streamed = operations["runAgentStreamed_2"]["responses"][200]["content"]["text/event-stream"];
type Place = operations["readSession"]["parameters"]["path"];

export const body: Body = { userId: "me", sessionId: "first", newMessage: { parts: [{ text: "Hello" }] } };
export const place: Place = { appName: "weather", userId: "me", sessionId: "first" };
export const isOver = ({ status }: Run): boolean => status === "succeeded";
export const texts = (events: Events): readonly (string | undefined)[] =>
  events.flatMap(({ content }) => content?.parts?.map(({ text }) => text) ?? []);
export const frames = (text: Streamed): readonly string[] => text.split("\\n\\n");
`;

async function compile(program: string): Promise<string> {
  await using world = await startGateway();
  // The document's form is what the generator reads.
  const document = (await world.gateway.inject("/openapi.json")).json<OpenAPI3>();
  const folder = agentsFolder({ "api.d.ts": await generateTypes(document), "program.ts": program });
  const tsc = join(REPOSITORY_ROOT, "node_modules/typescript/bin/tsc");
  const flags = [
    "--noEmit",
    "--strict",
    "--ignoreConfig",
    "--allowImportingTsExtensions",
    "--module",
    "nodenext",
    "--types",
    "",
  ];
  const files = ["api.d.ts", "program.ts"].map((name) => join(folder.path, name));
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...flags, ...files], { encoding: "utf8" });
  return stdout + stderr;
}

describe("types that are generated from the API's description", () => {
  it("compile, and fit a program that uses them", async () => {
    verifies("wire:openapi");
    expect(await compile(PROGRAM)).toBe("");
  });

  it("refuse a program that does not fit", async () => {
    expect(await compile(PROGRAM.replace('userId: "me", ', ""))).toMatch(/program\.ts.*error TS/);
    expect(await compile(PROGRAM.replace('=== "succeeded"', '=== "done"'))).toMatch(/program\.ts.*error TS2367/);
  });
});
