import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

/** Node 22 prints a warning when a program loads its SQLite. */
it("does not load SQLite in a program that serves agents from stores in memory", async () => {
  const script = `
    import { LlmAgent } from "fairlead/kit";
    import { createServer } from "fairlead/server";
    await import("fairlead/stores");
    const agents = [new LlmAgent({ name: "a", model: "demo/chat", instruction: "Help." })];
    await using server = await createServer({ agents });
    await server.listen({ port: 0 });
    console.log(process.moduleLoadList.filter((name) => name.endsWith(" sqlite")).length);`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: REPOSITORY_ROOT });
  expect([stdout, stderr]).toEqual(["0\n", ""]);
});
