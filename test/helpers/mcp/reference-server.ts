import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { McpConnectionParams } from "#kit/tools/mcp/connection-params.ts";
import { freePort } from "#tooling/free-ports.ts";

const PROGRAM = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

/** The protocol's reference server as a child of the toolset. It speaks 2025-11-25. */
export const REFERENCE_STDIO: McpConnectionParams = {
  ...{ kind: "stdio", command: process.execPath, args: [PROGRAM, "stdio"], timeoutMs: 20_000 },
};

/** The reference server on HTTP, and how to connect to it. */
export async function startReferenceServer(kind: "sse" | "streamable-http") {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, kind === "sse" ? "sse" : "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve) => {
    child.stderr?.on("data", (line) => {
      if (/running|listening/i.test(String(line))) resolve();
    });
  });
  const url = `http://127.0.0.1:${port}/${kind === "sse" ? "sse" : "mcp"}`;
  const params: McpConnectionParams = { kind, url, headers: { "x-app": "shop" }, timeoutMs: 20_000 };
  return {
    params,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
