import { describe, expect, it } from "vitest";
import { gatewayProcess } from "#services/gateway/gateway-process.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const FILES = { "shop/root_agent.yaml": "name: shop\nmodel: demo/echo\ninstruction: x\n" };

interface Server {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

function start({ args = [], environment = {} }: Server): CliProcess {
  const [agents, data] = [agentsFolder(FILES).path, agentsFolder({}).path];
  const settings = { PORT: "0", DATA_DIR: data, AGENTS_DIR: agents, ...environment };
  return new CliProcess(args, { environment: settings });
}

/** The status of saving a draft, and whether a file can be read. */
async function editorOf(server: CliProcess): Promise<readonly [number, boolean]> {
  const port = (await server.until(/http:\/\/[^/\s"]+?:(\d+)/))[1];
  const url = `http://127.0.0.1:${port}`;
  const body = new FormData();
  body.append("files", new File([FILES["shop/root_agent.yaml"]], "shop/root_agent.yaml"));
  const saved = await fetch(`${url}/dev/apps/shop/builder/save?tmp=true`, { method: "POST", body });
  return [saved.status, (await (await fetch(`${url}/dev/apps/shop/builder`)).text()) !== ""];
}

const OFF = [403, false];
const ON = [200, true];

describe("AGENT_EDITOR", { timeout: 60_000 }, () => {
  it.each<[string, Server, readonly unknown[]]>([
    ["is on for fairlead serve", { args: ["serve"] }, ON],
    ["is on when the variable is empty", { args: ["serve"], environment: { AGENT_EDITOR: " " } }, ON],
    ["is off where the flag says so", { args: ["serve", "--no-agent-editor"] }, OFF],
    ["is off where the variable says so", { args: ["serve"], environment: { AGENT_EDITOR: "false" } }, OFF],
    [
      "is off for fairlead serve on all addresses",
      { args: ["serve", "--host", "0.0.0.0", "--allow-unauthenticated"] },
      OFF,
    ],
    ["is off for the process that containers run", { args: ["standalone"] }, OFF],
    ["is on for that process by a setting", { args: ["standalone"], environment: { AGENT_EDITOR: "true" } }, ON],
  ])("%s", async (_, options, expected) => {
    await using server = start(options);
    expect(await editorOf(server)).toEqual(expected);
  });

  it.each([
    ["serve", "0.0.0.0"],
    ["standalone", "::"],
  ])("keeps fairlead %s from starting on %s", async (command, host) => {
    await using server = start({ args: [command], environment: { AGENT_EDITOR: "true", HOST: host } });
    await server.ended;
    expect([server.child.exitCode, server.output]).toEqual([
      1,
      expect.stringContaining(
        `AGENT_EDITOR is on and HOST is ${host}, where other machines could change the agents. Set AGENT_EDITOR=false, or HOST=127.0.0.1.`,
      ),
    ]);
  });

  it("needs the folder of agents in a gateway", () => {
    expect(() => loadConfig(gatewayProcess.schema, { AGENT_EDITOR: "true" })).toThrow(
      "AGENTS_DIR is not set, and AGENT_EDITOR=true needs it.",
    );
  });
});
