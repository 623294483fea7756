import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Event } from "#kit/events/event.ts";
import { Version } from "#kit/version.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { emptyFolder, fairlead, linkPackages } from "#test/helpers/worlds/command-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** Serves the project and sends what its README suggests, with the request that the README shows. */
async function rollTwoDice(directory: string): Promise<readonly Event[]> {
  const args = ["serve", "desk/agents", "--port", "0", "--data-dir", join(directory, "data")];
  await using server = new CliProcess(args, { directory });
  const [, url] = await server.until(/ready: (http:\/\/[^/\s]+)/);
  const readme = readFileSync(join(directory, "desk/README.md"), "utf8");
  expect(readme).toContain('type "Roll two dice"');
  const [, session] = /curl -X POST localhost:8000(\S+)/.exec(readme) ?? expect.unreachable();
  const [, body] = /-d '([^']*)'/.exec(readme) ?? expect.unreachable();
  expect((await fetch(`${url}${session}`, { method: "POST" })).status).toBe(200);
  const answer = await fetch(`${url}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body ?? null,
  });
  return (await answer.json()) as Event[];
}

function testsOf(project: string) {
  return spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], { cwd: project, encoding: "utf8" });
}

/** The output and exit code of the project's check of types. */
function typesOf(project: string) {
  // The sources of the kit, which a published package does not have, need one option more.
  const args = ["node_modules/typescript/bin/tsc", "--noUncheckedIndexedAccess"];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  return [stdout, status];
}

function packageJsonOf(project: string) {
  return JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
}

/** The packages that `npm install` would put into the project. */
function packagesOf(project: string): readonly string[] {
  const { dependencies, devDependencies } = packageJsonOf(project);
  return Object.keys({ ...dependencies, ...devDependencies });
}

/** The arguments of "fairlead" in a script of the project. */
function scriptOf(project: string, script: string): readonly string[] {
  const [command, ...args] = packageJsonOf(project).scripts[script].split(" ");
  expect(command).toBe("fairlead");
  return args;
}

/** The file of the project that does its work. */
function toolOf(project: string): string {
  const folder = join(project, "agents/desk");
  const names = readdirSync(folder).filter((name) => /^[a-z-]+\.ts$/.test(name) && name !== "agent.ts");
  return join(folder, names[0] ?? "agent.ts");
}

describe("fairlead create", () => {
  it.each([
    ["TypeScript", [], "agent.ts"],
    ["YAML", ["--yaml"], "root_agent.yaml"],
  ])("writes a project in %s that can be served", { timeout: 60_000 }, async (_, flags, file) => {
    const directory = emptyFolder();
    expect(await fairlead(directory, ["create", "desk", ...flags])).toEqual({
      exitCode: 0,
      output: expect.stringMatching(
        new RegExp(`^Created desk\\. The agent is desk/agents/desk/${file}\\. Next:\n\n  cd desk\n  npm install\n`),
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
    await fairlead(directory, ["create", "desk"]);
    const { exitCode, output } = await fairlead(directory, ["run", "desk/agents"], { input: "Roll one die\n" });
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/roll_dice\(\{"count":1\}\)[^]*The dice show \d\./)]);
  });

  it("keeps data, drafts and keys of the project out of Git", async () => {
    const directory = emptyFolder();
    await fairlead(directory, ["create", "desk"]);
    const project = join(directory, "desk");
    const dataDir = settingsOf(standaloneConfigSchema).find(({ name }) => name === "DATA_DIR")?.schema.default;
    const written = [
      `${String(dataDir)}/sessions.db`,
      "agents/desk/.draft/root_agent.yaml",
      ".env",
      "node_modules/a/b",
    ];
    for (const file of written) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), "x");
    }
    const seen = execFileSync("git", ["ls-files", "--others", "--exclude-standard"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(seen.trim().split("\n")).toEqual([
      ".env.example",
      ".gitignore",
      "README.md",
      "agents/desk/agent.test.ts",
      "agents/desk/agent.ts",
      "agents/desk/roll-dice.ts",
      "package.json",
      "tsconfig.json",
    ]);
  });

  it("writes a definition that editors can check", async () => {
    const directory = emptyFolder();
    await fairlead(directory, ["create", "desk", "--yaml"]);
    const folder = join(directory, "desk/agents/desk");
    const text = readFileSync(join(folder, "root_agent.yaml"), "utf8");
    const schema = /^# yaml-language-server: \$schema=(.*)\n/.exec(text)?.[1] ?? expect.unreachable();
    expect(JSON.parse(readFileSync(join(folder, schema), "utf8"))).toHaveProperty("definitions.LlmAgentConfig");
    expect(parse(text)).toMatchObject({ name: "desk", tools: [{ name: "roll_dice" }] });
  });

  it("fills an empty folder, and leaves one with files alone", async () => {
    const directory = emptyFolder();
    mkdirSync(join(directory, "empty"));
    expect((await fairlead(directory, ["create", "empty"])).exitCode).toBe(0);
    mkdirSync(join(directory, "mine"));
    writeFileSync(join(directory, "mine/notes.txt"), "mine");
    writeFileSync(join(directory, "file"), "mine");
    for (const name of ["mine", "file"]) {
      expect(await fairlead(directory, ["create", name])).toEqual({
        exitCode: 2,
        output: `fairlead: The folder ${name} has files already: choose another one. Nothing was written.\n`,
      });
    }
    expect(readdirSync(join(directory, "mine"))).toEqual(["notes.txt"]);
  });

  it.each(["1desk", "my desk", "user", "a/b.c", "/"])("refuses the path %s", async (path) => {
    const directory = emptyFolder();
    const { exitCode, output } = await fairlead(directory, ["create", path]);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(`"${basename(path)}" is not a name for a project`)]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("takes a path, and the current folder", async () => {
    verifies("platform:command:create:path");
    const directory = emptyFolder();
    expect((await fairlead(directory, ["create", "a/b/desk"])).output).toContain("\n  cd a/b/desk\n");
    mkdirSync(join(directory, "here/.git"), { recursive: true });
    const { output } = await fairlead(join(directory, "here"), ["create", "."]);
    expect(output).toMatch(/^Created here\. The agent is agents\/here\/agent\.ts\. Next:\n\n {2}npm install\n/);
    const other = join(directory, "a/b/absolute");
    await fairlead(directory, ["create", other]);
    expect([join(directory, "here"), other].map((folder) => existsSync(join(folder, "package.json")))).toEqual([
      true,
      true,
    ]);
  });

  it("makes a repository, but none inside another one", async () => {
    verifies("platform:command:create:git");
    const directory = emptyFolder();
    await fairlead(directory, ["create", "desk"]);
    await fairlead(directory, ["create", "desk/inner"]);
    await fairlead(directory, ["create", "bare"], { environment: { PATH: "/nowhere" } });
    const isRepository = (name: string): boolean => existsSync(join(directory, name, ".git"));
    expect(["desk", "desk/inner", "bare"].map(isRepository)).toEqual([true, false, false]);
    expect(existsSync(join(directory, "bare/package.json"))).toBe(true);
  });

  it.each([
    ["TypeScript", []],
    ["YAML", ["--yaml"]],
  ])(
    "writes a project in %s whose own checks pass, and fail for a broken agent",
    { timeout: 120_000 },
    async (_, flags) => {
      verifies("platform:command:create:works");
      const project = join(emptyFolder(), "desk");
      await fairlead(dirname(project), ["create", "desk", ...flags]);
      linkPackages(project);
      expect(typesOf(project)).toEqual(["", 0]);
      expect(testsOf(project)).toMatchObject({ status: 0, stdout: expect.stringMatching(/1 passed/) });
      const tool = join(project, "agents/desk/roll-dice.ts");
      writeFileSync(tool, readFileSync(tool, "utf8").replace('name: "roll_dice"', 'name: "roll"'));
      expect(testsOf(project)).toMatchObject({ status: 1 });
    },
  );

  it.each([
    ["approval", 3, /reimburse\(\{"amount":250,"purpose":"a train ticket"\}\) needs confirmation/],
    ["pipeline", 1, /outliner: .*Outline for “lighthouses”[^]*drafter: [^]*editor: .*# Lighthouses/],
    ["planner", 1, /economist: [^]*historian: [^]*editor: .*Report on tea/],
    ["mcp", 1, /find_book\(\{"title":"Moby Dick"\}\)[^]*Here is what I found\. “Moby Dick” is on shelf A 12\.\n/],
    ["evaluation", 2, /track_parcel\(\{"number":17\}\)[^]*Parcel 17 is on its way\.\n/],
  ] as const)(
    "writes a project of the template %s that can be checked, tested, evaluated and asked",
    { timeout: 120_000 },
    async (template, tests, answer) => {
      verifies("platform:command:create:templates");
      const directory = emptyFolder();
      const project = join(directory, "desk");
      const { output } = await fairlead(directory, ["create", "desk", "--template", template]);
      const [, message] = /^Say "(.*)"\./m.exec(output) ?? expect.unreachable();
      const readme = readFileSync(join(project, "README.md"), "utf8");
      expect(readme).toContain(`type "${message}": `);
      linkPackages(project, packagesOf(project));
      expect(await fairlead(project, ["check", "agents"])).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/ {2}desk\/agent\.ts {2}ok\n\nAll agents can be run\.\n$/),
      });
      expect(typesOf(project)).toEqual(["", 0]);
      expect(testsOf(project)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(new RegExp(`${tests} passed`)),
      });
      const evaluation = scriptOf(project, "eval");
      expect(await fairlead(project, evaluation)).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/ runs passed/),
      });
      const asked = await fairlead(project, scriptOf(project, "chat"), { input: `${message}\n` });
      expect(asked.output).toMatch(answer);
      const tool = toolOf(project);
      writeFileSync(tool, readFileSync(tool, "utf8").replaceAll('name: "', 'name: "x_'));
      expect(testsOf(project)).toMatchObject({ status: 1 });
    },
  );

  it("lists the templates for a name that does not exist, and writes nothing", async () => {
    const directory = emptyFolder();
    const names = "Templates: basic, approval, pipeline, planner, mcp, evaluation. Nothing was written.";
    expect(await fairlead(directory, ["create", "desk", "--template", "aproval"])).toEqual({
      exitCode: 2,
      output: `fairlead: There is no template "aproval": did you mean "approval"? ${names}\n`,
    });
    expect(await fairlead(directory, ["create", "desk", "--template", "__proto__"])).toEqual({
      exitCode: 2,
      output: `fairlead: There is no template "__proto__". ${names}\n`,
    });
    expect(await fairlead(directory, ["create", "desk", "--template", "mcp", "--yaml"])).toEqual({
      exitCode: 2,
      output: "fairlead: --yaml belongs to the template basic: leave out --template mcp.\n",
    });
    expect(await fairlead(directory, ["create", "editor", "--template", "planner"])).toEqual({
      exitCode: 2,
      output:
        'fairlead: The template planner has an agent "editor" already: give the folder another name. Nothing was written.\n',
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  it("says how it is used", async () => {
    const directory = emptyFolder();
    expect((await fairlead(directory, ["create"])).output).toBe(
      "fairlead: Usage: fairlead create [path] [--template <name>] [--yaml]\n",
    );
    expect((await fairlead(directory, ["run", "x", "--yaml"])).output).toBe(
      "fairlead: --yaml belongs to fairlead create.\n",
    );
  });
});

describe("npm create fairlead", () => {
  const source = join(REPOSITORY_ROOT, "cli/create-fairlead");

  it("is a package of the same version as the command that it runs", () => {
    expect(JSON.parse(readFileSync(join(source, "package.json"), "utf8"))).toMatchObject({
      version: Version.FAIRLEAD_VERSION,
      dependencies: { fairlead: Version.FAIRLEAD_VERSION },
    });
  });

  it("writes the project, as a packed package", { timeout: 60_000 }, async () => {
    verifies("platform:command:create:npm");
    const directory = emptyFolder();
    execFileSync("npm", ["pack", "--pack-destination", directory, "--silent"], { cwd: source, stdio: "pipe" });
    const installed = join(directory, "node_modules/create-fairlead");
    mkdirSync(installed, { recursive: true });
    const [archive] = readdirSync(directory).filter((name) => name.endsWith(".tgz"));
    execFileSync("tar", [
      "--extract",
      "--strip-components=1",
      "--file",
      join(directory, archive ?? ""),
      "-C",
      installed,
    ]);
    symlinkSync(REPOSITORY_ROOT, join(directory, "node_modules/fairlead"));
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(installed, "create-fairlead.mjs"), ...args], {
        cwd: directory,
        encoding: "utf8",
      });
    expect(run("pay", "--template", "approval")).toMatchObject({ status: 0 });
    expect(existsSync(join(directory, "pay/agents/pay/reimburse.ts"))).toBe(true);
    expect(run("desk", "--yaml")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Created desk\./) });
    expect(existsSync(join(directory, "desk/agents/desk/root_agent.yaml"))).toBe(true);
    expect(run("desk")).toMatchObject({ status: 2, stderr: expect.stringContaining("has files already") });
  });
});
