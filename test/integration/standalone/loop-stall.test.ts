import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const TIMEOUT_MS = 120_000;

const FREEZING = `
import { FunctionTool, LlmAgent } from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";

const freeze = new FunctionTool({
  name: "freeze",
  description: "Computes without end.",
  execute: () => {
    for (;;);
  },
});
const call = { content: { role: "model", parts: [{ functionCall: { id: "call-1", name: "freeze", args: {} } }] } };
const model = new ScriptedModel([({ contents }) => (contents.length === 1 ? call : "over")], { repeatLast: true });
export const rootAgent = new LlmAgent({ name: "desk", model, tools: [freeze] });
`;

const SESSION = "/apps/desk/users/ada/sessions/talk";

describe("LOOP_STALL_MS", () => {
  it(
    "ends a process whose event loop stands, and the next one recovers its run",
    async () => {
      verifies("platform:loop-stall");
      const folder = mkdtempSync(join(tmpdir(), "stall-"));
      const environment = {
        ...{
          AGENTS_DIR: agentsFolder({ "desk/agent.ts": FREEZING }).path,
          DATA_DIR: folder,
          PORT: "0",
          DEV_UI: "false",
        },
        ...{ LOG_FORMAT: "json" },
      };
      const start = (settings: Readonly<Record<string, string>> = {}) =>
        new CliProcess([], { environment: { ...environment, ...settings }, script: "services/standalone/main.ts" });
      const urlOf = async (server: CliProcess) => (await server.until(/"url":"([^"]+)"/))[1] ?? "";
      try {
        await using first = start({ LOOP_STALL_MS: "4000" });
        const url = await urlOf(first);
        await fetch(`${url}${SESSION}`, { method: "POST" });
        const body = {
          appName: "desk",
          userId: "ada",
          sessionId: "talk",
          newMessage: { role: "user", parts: [{ text: "go" }] },
        };
        const run = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
        await expect(fetch(`${url}/run`, run)).rejects.toThrow();
        await first.ended;
        const line = /^.*the event loop has stood.*$/m.exec(first.output)?.[0] ?? "{}";
        expect(JSON.parse(line)).toMatchObject({ level: "error", stallMs: 4000 });
        expect(first.child.signalCode).toBe("SIGKILL");

        await using second = start();
        const again = await urlOf(second);
        // The call is not run again: it would freeze this process too.
        const events = async () => JSON.stringify(await (await fetch(`${again}${SESSION}`)).json());
        await expect.poll(events, { timeout: TIMEOUT_MS }).toContain('"text":"over"');
        expect(await events()).toContain("It was not run again.");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );

  it.each([0, 60_000])("keeps no process running at %d ms", async (stallMs) => {
    const file = fileURLToPath(new URL("../../../services/shared/process/watch-loop.ts", import.meta.url));
    const program = `const { watchLoop } = await import(${JSON.stringify(file)}); watchLoop(${stallMs});`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...["--input-type=module", "-e"],
      `${program} console.log((await import("node:fs")).readdirSync("/proc/self/task").length);`,
    ]);
    threads.set(stallMs, Number(stdout));
    expect(threads.get(0)).toBeLessThan(threads.get(60_000) ?? Number.POSITIVE_INFINITY);
  });
});

/** Threads of a program that does nothing else. */
const threads = new Map<number, number>();
