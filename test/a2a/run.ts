import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "#tooling/free-ports.ts";

const BINDINGS = ["jsonrpc", "http_json", "grpc"];
const LEVEL = "--level=";
const SERVE = fileURLToPath(new URL("serve.ts", import.meta.url));

/**
 * Runs the protocol's conformance kit against the fixture agent, once for each binding, and ends with a line for each.
 * A2A_TCK_DIR names the folder of the kit and A2A_TCK_PYTHON a Python that has its packages. `--level=should` runs what
 * the protocol recommends in place of what it demands; other arguments go to the server, such as `--replicas=2`.
 */
async function main(args: readonly string[]): Promise<void> {
  const { A2A_TCK_DIR: kit = "", A2A_TCK_PYTHON: python = "python3" } = process.env;
  const script = join(kit, "run_tck.py");
  if (kit === "" || !existsSync(script) || spawnSync(python, ["-c", "import pytest, grpc, httpx"]).status !== 0) {
    print(
      "skipped: set A2A_TCK_DIR to the folder of the conformance kit, and A2A_TCK_PYTHON to a Python with its packages",
    );
    return;
  }
  const level = args.find((each) => each.startsWith(LEVEL))?.slice(LEVEL.length) ?? "must";
  const ofServer = args.filter((each) => !each.startsWith(LEVEL));
  using stack = new DisposableStack();
  // The kit writes its reports into its folder.
  const folder = mkdtempSync(join(tmpdir(), "a2a-kit-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(kit, folder, { recursive: true, mode: 0 });
  spawnSync("chmod", ["-R", "u+w", folder]);
  const port = await portWithNext();
  const server = spawn(process.execPath, [SERVE, "--port", String(port), ...ofServer], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  stack.defer(() => server.kill("SIGTERM"));
  await once(server.stdout, "data");
  for (const binding of BINDINGS) {
    const options = ["--sut-host", `http://127.0.0.1:${port}`, "--transport", binding, "--level", level];
    const { stdout, stderr, status } = spawnSync(python, ["run_tck.py", ...options], { cwd: folder, encoding: "utf8" });
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(stdout)?.[1] ?? 0);
    const [passed, failed] = [count("passed"), count("failed") + count("error")];
    for (const line of stdout.split("\n").filter((each) => /^(?:FAILED|ERROR) /.test(each))) print(line);
    if (status !== 0 || passed === 0) process.exitCode = 1;
    if (passed === 0) print(stderr.slice(-2000));
    print(`${binding}, ${level}: ${passed} of ${passed + failed} passed`);
  }
}

/** A port whose successor is free too, for gRPC. */
async function portWithNext(): Promise<number> {
  const ports = await freePorts(50);
  return ports.find((port) => ports.includes(port + 1)) ?? ports[0] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main(process.argv.slice(2));
