import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const DOCS = join(import.meta.dirname, "..");
const RECIPES = join(DOCS, "examples/recipes");
const SERVED = ["servers/schedule.ts", "servers/webhook.ts"];
const SETTINGS = { SCHEDULES: "memory", WEBHOOKS: "memory", OUTBOUND_ALLOWED_HOSTS: "127.0.0.1", DEV_UI: "false" };

const shown = globSync("cookbook/*.md", { cwd: DOCS }).flatMap((page) => {
  const text = readFileSync(join(DOCS, page), "utf8");
  const recipes = text.matchAll(/^<!-- recipe: (\S+) -->\n```ts\n[^]*?^```\n\n```text\n([^]*?)^```$/gm);
  return [...recipes].map(([, file = "", output = ""]) => ({ file, output }));
});

async function outputOf(file: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, [join(RECIPES, file)], { env });
  return stdout.replaceAll(/ +$/gm, "");
}

describe("the cookbook", () => {
  it("shows each recipe once, twenty of them", () => {
    const files = globSync("*/*.ts", { cwd: RECIPES });
    expect(shown.map(({ file }) => file).sort()).toEqual(files.sort());
    expect(files).toHaveLength(20);
  });

  it.concurrent.each(shown.filter(({ file }) => !SERVED.includes(file)))(
    "has the output of $file",
    async ({ file, output }) => {
      expect(await outputOf(file)).toBe(output);
    },
  );

  it("has the output of the recipes that need a server", async () => {
    const folder = agentsFolder({ "weather/root_agent.yaml": "name: weather\nmodel: demo/chat\ninstruction: Help.\n" });
    const args = ["serve", folder.path, "--port", "0", "--session-store", "memory"];
    await using server = new CliProcess(args, { directory: folder.path, environment: SETTINGS });
    const [, url = ""] = await server.until(/ready: (http:\S+?)(?:\/dev-ui)?\s/);
    for (const { file, output } of shown.filter((recipe) => SERVED.includes(recipe.file)))
      expect(await outputOf(file, { FAIRLEAD_URL: url })).toBe(output);
  });
});
