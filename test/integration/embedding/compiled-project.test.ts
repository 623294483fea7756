import { execFile } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { CompiledAgentLoader } from "#kit/definitions/loaders/compiled-agent-loader.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentsFolder, agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

/** What Node itself cannot run: only the compiled form is served. */
const agent = (name: string): string => `
import { LlmAgent } from "fairlead/kit";
import { model } from "../shared.js";

enum Name { Own = "${name}" }
export const rootAgent = new LlmAgent({ name: Name.Own, model });
`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ module: "nodenext", target: "es2023", outDir: "dist", rootDir: "src", noCheck: true, types: [] },
  },
  include: ["src"],
});

/** A project with its agents below `src`, compiled by its own tool. */
async function compiledProject(folder = ""): Promise<AgentsFolder> {
  const at = (path: string): string => join(folder, path);
  const project = agentsFolder({
    [at("package.json")]: '{ "type": "module" }',
    [at("tsconfig.json")]: TSCONFIG,
    [at("src/shared.ts")]: 'export const model: string = "demo/chat";\n',
    [at("src/weather/agent.ts")]: agent("forecaster"),
    [at("src/desk/index.ts")]: agent("receptionist"),
  });
  await promisify(execFile)(process.execPath, [TSC, "-p", join(project.path, folder)]);
  return project;
}

describe("a project that was compiled by its own tool", () => {
  it("is served from its output by the settings of the command", async () => {
    verifies("what-the-service-does:loader-setting", "what-the-service-does:compiled-loader-output");
    const project = await compiledProject();
    await using server = new CliProcess([
      ...["serve", project.path, "--agents-loader", "compiled", "--port", "0", "--no-dev-ui"],
      ...["--data-dir", join(project.path, ".data")],
    ]);
    const [, url = ""] = await server.until(/is ready: (\S+)/);
    expect(await (await fetch(`${url}/list-apps`)).json()).toEqual(["desk", "weather"]);
    expect(await (await fetch(`${url}/apps/weather/app-info`)).json()).toMatchObject({ rootAgentName: "forecaster" });
  });

  it("is found where the settings say that its tool writes", async () => {
    verifies("what-the-service-does:loader-setting", "configuration:agent-loading:build-output-dirs");
    const project = await compiledProject();
    renameSync(join(project.path, "dist"), join(project.path, "lib"));
    const flags = ["--source-dir", project.path, "--build-output-dirs", "out,lib", "--agents-loader=compiled"];
    await using server = new CliProcess([
      ...["serve", "--port", "0", "--no-dev-ui", ...flags],
      ...["--data-dir", join(project.path, ".data")],
    ]);
    const [, url = ""] = await server.until(/is ready: (\S+)/);
    expect(await (await fetch(`${url}/list-apps`)).json()).toEqual(["desk", "weather"]);
  });

  it("may be one of several below the folder", async () => {
    verifies("what-the-service-does:compiled-loader-output");
    const folder = await compiledProject("shop");
    folder.write(
      "shop/src/plain/agent.js",
      'import { LlmAgent } from "fairlead/kit";\nexport const rootAgent = new LlmAgent({ name: "plain" });\n',
    );
    folder.write(
      "single/build/agent.js",
      'import { LlmAgent } from "fairlead/kit";\nexport const rootAgent = new LlmAgent({ name: "single" });\n',
    );
    folder.write("single/src/agent.ts", "The source of the output.");
    const loader = new CompiledAgentLoader({ sourceDir: folder.path, buildOutputDirs: ["dist", "build"] });
    onTestFinished(() => loader.close());
    expect(await loader.listAgents()).toEqual(["shop.desk", "shop.src.plain", "shop.weather", "single"]);
    expect((await loader.loadAgent("single")).app.rootAgent.name).toBe("single");
  });

  it("has the name of its folder if its output is one agent", async () => {
    verifies("what-the-service-does:compiled-loader-output");
    const folder = agentsFolder({
      "desk/dist/index.mjs":
        'import { LlmAgent } from "fairlead/kit";\nexport const rootAgent = new LlmAgent({ name: "one" });\n',
      "desk/src/index.ts": "The source of the output.",
    });
    const loader = new CompiledAgentLoader({ sourceDir: join(folder.path, "desk"), buildOutputDirs: ["dist"] });
    onTestFinished(() => loader.close());
    expect(await loader.listAgents()).toEqual(["desk"]);
  });

  it("must be below a folder that exists", async () => {
    verifies("what-the-service-does:loader-setting");
    await using server = new CliProcess([
      "serve",
      "--agents-loader",
      "compiled",
      "--source-dir",
      `${REPOSITORY_ROOT}/nowhere`,
    ]);
    await server.ended;
    expect(server.child.exitCode).toBe(1);
    expect(server.output).toContain('nowhere". Name the folder of your agents with --source-dir (SOURCE_DIR).');
  });
});
