import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ContainerCodeExecutor, readReport } from "#kit/code-executors/container-code-executor.ts";
import { type ContainerEngine, findContainerEngine } from "#kit/code-executors/container-engine.ts";
import { GVisorCodeExecutor } from "#kit/code-executors/g-visor-code-executor.ts";
import { runProcess } from "#kit/code-executors/run-process.ts";
import { SANDBOX_PROGRAM } from "#kit/code-executors/sandbox-program.ts";
import { silentLogger } from "#kit/platform/logger.ts";

const IMAGE = "docker.io/library/python:3.13-slim";
const scope = { jobId: "job-1", signal: new AbortController().signal, logger: silentLogger };
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const engine = await findContainerEngine().catch(() => undefined);
const hasImage = engine !== undefined && spawnSync(engine, ["image", "inspect", IMAGE]).status === 0;
if (!hasPython) process.stderr.write("Tests of the sandbox's program are skipped: there is no python3.\n");
if (!hasImage) process.stderr.write(`Tests of containers are skipped: ${whyNoContainers(engine)}.\n`);

function whyNoContainers(found: ContainerEngine | undefined): string {
  return found === undefined ? "no podman or docker answers" : `${found} has no image ${IMAGE}`;
}

describe.runIf(hasPython)("the program inside the sandbox", () => {
  async function inside(job: object) {
    const cwd = await mkdtemp(join(tmpdir(), "agentplane-sandbox-"));
    const limits = { timeoutSeconds: 30, maxOutputBytes: 1000, maxFiles: 2, maxFileBytes: 100 };
    try {
      const { stdout } = await runProcess({
        command: "python3",
        args: ["-I", "-c", SANDBOX_PROGRAM],
        stdin: JSON.stringify({ files: [], ...limits, ...job }),
        cwd,
        // The program's own folder is removed with it.
        env: { PATH: process.env["PATH"] ?? "", TMPDIR: cwd },
        timeoutMs: 60_000,
        maxOutputBytes: 1_000_000,
      });
      return readReport(stdout);
    } finally {
      await rm(cwd, { recursive: true });
    }
  }

  it("runs the code with its files and reports what came of it", async () => {
    const content = Buffer.from("1,2").toString("base64");
    const code =
      "print(open('a.csv').read())\nfor n in 'bcd': open(n + '.txt', 'w').write(n)\nopen('0.bin', 'wb').write(bytes(101))";
    expect(await inside({ code, files: [{ name: "a.csv", content }] })).toEqual({
      exitCode: 0,
      timedOut: false,
      stdout: "1,2\n",
      stderr: "",
      outputFiles: ["b", "c"].map((name) => ({
        name: `${name}.txt`,
        content: Buffer.from(name).toString("base64"),
        mimeType: "text/plain",
      })),
    });
  });

  it("reports failures, time that is up, and the beginning of an endless output", async () => {
    expect(await inside({ code: "import sys; sys.exit('no')" })).toMatchObject({ exitCode: 1, stderr: "no\n" });
    expect(await inside({ code: "import time; time.sleep(60)", timeoutSeconds: 0.3 })).toMatchObject({
      timedOut: true,
    });
    expect((await inside({ code: "print('x' * 5000, end='')" }))?.stdout).toBe(
      `${"x".repeat(1000)}\n[4000 more bytes were left out]`,
    );
  });

  it("gives the code nothing to read, so that it cannot take the job's place", async () => {
    expect(await inside({ code: "import sys; print(repr(sys.stdin.read()))" })).toMatchObject({ stdout: "''\n" });
  });
});

describe.runIf(hasImage)("a container", () => {
  const run = (code: string, options = {}) =>
    new ContainerCodeExecutor(options).executeCode({ code, inputFiles: [] }, scope);

  it("runs code, without a network, on a read-only system, as nobody", async () => {
    expect(await run("print(6*7)")).toEqual({ stdout: "42\n", stderr: "", outputFiles: [], outcome: "ok" });
    expect(await run("import urllib.request as r; r.urlopen('http://1.1.1.1', timeout=5)")).toMatchObject({
      outcome: "failed",
    });
    expect(await run("open('/usr/x', 'w')")).toMatchObject({
      stderr: expect.stringContaining("Read-only"),
      outcome: "failed",
    });
    expect((await run("import os; print(os.getuid())")).stdout).toBe("65534\n");
  });

  it("ends code that takes too long or too much", async () => {
    expect(await run("while True: pass", { timeoutMs: 1000 })).toMatchObject({ outcome: "timed-out" });
    expect(await run("x = bytearray(10**10)")).toMatchObject({ outcome: "failed" });
  });
});

it("the gVisor executor is a container under runsc, and says when there is none", async () => {
  const runsc = await findContainerEngine(undefined, "runsc").catch(() => undefined);
  const executor = new GVisorCodeExecutor();
  expect(executor).toBeInstanceOf(ContainerCodeExecutor);
  if (runsc !== undefined) return;
  await expect(executor.executeCode({ code: "1", inputFiles: [] }, scope)).rejects.toMatchObject({
    reason: "CODE_EXECUTOR_UNAVAILABLE",
    message:
      "Code cannot be run: no podman or docker with the runtime runsc answers on this machine. Install and start one.",
  });
});
