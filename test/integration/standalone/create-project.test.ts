import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import type { Event } from "#kit/events/event.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

function emptyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "create-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function agentplane(directory: string, args: readonly string[], input = "") {
  await using command = new CliProcess(args, { directory });
  command.child.stdin?.end(input);
  await command.ended;
  return { exitCode: command.child.exitCode, output: command.output };
}

async function rollTwoDice(directory: string): Promise<readonly Event[]> {
  const args = ["serve", "desk/agents", "--port", "0", "--data-dir", join(directory, "data")];
  await using server = new CliProcess(args, { directory });
  const [, url] = await server.until(/ready: (http:\/\/[^/\s]+)/);
  const session = "/apps/desk/users/ada/sessions/talk";
  expect((await fetch(`${url}${session}`, { method: "POST" })).status).toBe(200);
  const newMessage = { role: "user", parts: [{ text: "Roll 2 dice" }] };
  const answer = await fetch(`${url}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appName: "desk", userId: "ada", sessionId: "talk", newMessage }),
  });
  return (await answer.json()) as Event[];
}

describe("agentplane create", () => {
  it.each([
    ["TypeScript", [], "agent.ts"],
    ["YAML", ["--yaml"], "root_agent.yaml"],
  ])("writes a project in %s that can be served", { timeout: 30_000 }, async (_, flags, file) => {
    const directory = emptyFolder();
    expect(await agentplane(directory, ["create", "desk", ...flags])).toEqual({
      exitCode: 0,
      output: expect.stringMatching(
        new RegExp(
          `^Created desk\\. The agent is desk/agents/desk/${file}\\. Next:\n\n  agentplane serve desk/agents `,
        ),
      ),
    });
    const events = await rollTwoDice(directory);
    expect(events.map(brief)).toEqual([
      'desk: roll_dice({"count":2})',
      expect.stringMatching(/^desk: roll_dice -> \{"rolls":\[\d,\d\],"report":"The dice show \d, \d\."\}$/),
      expect.stringMatching(/^desk: \(demo model\) Here is what I found\. The dice show \d, \d\.$/),
    ]);
  });

  it("writes a project that can be talked to", async () => {
    const directory = emptyFolder();
    await agentplane(directory, ["create", "desk"]);
    const { exitCode, output } = await agentplane(directory, ["run", "desk/agents"], "Roll 1 dice\n");
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/roll_dice\(\{"count":1\}\)[^]*The dice show \d\./)]);
  });

  it("keeps data, drafts and keys of the project out of Git", async () => {
    const directory = emptyFolder();
    await agentplane(directory, ["create", "desk"]);
    const project = join(directory, "desk");
    const dataDir = settingsOf(standaloneConfigSchema).find(({ name }) => name === "DATA_DIR")?.schema.default;
    const written = [`${String(dataDir)}/sessions.db`, "agents/desk/.draft/root_agent.yaml", ".env"];
    for (const file of written) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), "x");
    }
    execFileSync("git", ["init", "--quiet"], { cwd: project });
    const seen = execFileSync("git", ["ls-files", "--others", "--exclude-standard"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(seen.trim().split("\n")).toEqual([
      ".gitignore",
      "README.md",
      "agents/desk/agent.ts",
      "agents/desk/roll-dice.ts",
      "package.json",
      "tsconfig.json",
    ]);
  });

  it("writes a definition that editors can check", async () => {
    const directory = emptyFolder();
    await agentplane(directory, ["create", "desk", "--yaml"]);
    const folder = join(directory, "desk/agents/desk");
    const text = readFileSync(join(folder, "root_agent.yaml"), "utf8");
    const schema = /^# yaml-language-server: \$schema=(.*)\n/.exec(text)?.[1] ?? expect.unreachable();
    expect(JSON.parse(readFileSync(join(folder, schema), "utf8"))).toHaveProperty("definitions.LlmAgentConfig");
    expect(parse(text)).toMatchObject({ name: "desk", tools: [{ name: "roll_dice" }] });
  });

  it("fills an empty folder, and leaves one with files alone", async () => {
    const directory = emptyFolder();
    mkdirSync(join(directory, "empty"));
    expect((await agentplane(directory, ["create", "empty"])).exitCode).toBe(0);
    mkdirSync(join(directory, "mine"));
    writeFileSync(join(directory, "mine/notes.txt"), "mine");
    writeFileSync(join(directory, "file"), "mine");
    for (const name of ["mine", "file"]) {
      expect(await agentplane(directory, ["create", name])).toEqual({
        exitCode: 2,
        output: `agentplane: The folder ${name} has files already: choose another name. Nothing was written.\n`,
      });
    }
    expect(readdirSync(join(directory, "mine"))).toEqual(["notes.txt"]);
  });

  it.each(["../desk", "1desk", "my desk", "user", ".", "a/b"])("refuses the name %s", async (name) => {
    const directory = emptyFolder();
    const { exitCode, output } = await agentplane(directory, ["create", name]);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(`"${name}" is no name for a project`)]);
    expect([readdirSync(directory), existsSync(join(directory, "../desk"))]).toEqual([[], false]);
  });

  it("says how it is used", async () => {
    const directory = emptyFolder();
    expect((await agentplane(directory, ["create"])).output).toBe(
      "agentplane: Usage: agentplane create <name> [--yaml]\n",
    );
    expect((await agentplane(directory, ["run", "x", "--yaml"])).output).toBe(
      "agentplane: --yaml belongs to agentplane create.\n",
    );
  });
});
