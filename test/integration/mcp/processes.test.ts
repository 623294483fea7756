import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { isRunning } from "#test/helpers/is-running.ts";
import { verifies } from "#test/helpers/verifies.ts";

/** A server that answers nothing and ignores the end of its input and SIGTERM, with a child that does the same. */
const STUBBORN = `
  const { spawn } = require("node:child_process");
  const { appendFileSync } = require("node:fs");
  process.on("SIGTERM", () => {});
  process.stdin.resume();
  setInterval(() => {}, 1000);
  if (process.argv[2] === undefined) spawn(process.execPath, ["-e", process.execArgv[1], "x", "inner"], { stdio: "inherit" });
  appendFileSync(process.env.PIDS, process.pid + "\\n");
`;

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

it.each(["SIGKILL", "SIGTERM"] as const)(
  "ends a server's processes when the runner's process gets %s",
  async (signal) => {
    verifies("tools:mcp:processes-end");
    const pidFile = join(mkdtempSync(join(tmpdir(), "mcp-")), "pids");
    const transport = fileURLToPath(new URL("../../../kit/tools/mcp/transport/stdio-transport.ts", import.meta.url));
    const program = `
    const { StdioTransport } = await import(${JSON.stringify(transport)});
    const env = { PATH: process.env.PATH, PIDS: ${JSON.stringify(pidFile)} };
    await new StdioTransport({ command: process.execPath, args: ["-e", ${JSON.stringify(STUBBORN)}], env }).start();
  `;
    const runner = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
    // The file is there when the first process has started.
    await expect.poll(() => pidsIn(pidFile)).toHaveLength(2);
    const pids = pidsIn(pidFile);
    started.push(...pids);
    expect(pids.map(isRunning)).toEqual([true, true]);
    runner.kill(signal);
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  },
  60_000,
);

function pidsIn(path: string): readonly number[] {
  return readFileSync(path, "utf8").trim().split("\n").map(Number);
}
