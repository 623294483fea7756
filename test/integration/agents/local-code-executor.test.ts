import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  UnsafeLocalCodeExecutor,
  type UnsafeLocalCodeExecutorOptions,
} from "#kit/code-executors/unsafe-local-code-executor.ts";
import type { ExecutionScope, File } from "#kit/core/code-executor.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) process.stderr.write("Tests of the local code executor are skipped: there is no python3.\n");

function recorder(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, logger: { ...silentLogger, warn: (_fields, message) => void lines.push(message) } };
}

const scopeOf = (signal = new AbortController().signal, logger = silentLogger): ExecutionScope => ({
  jobId: "job-1",
  signal,
  logger,
});

function executorOf(options: Partial<UnsafeLocalCodeExecutorOptions> = {}): UnsafeLocalCodeExecutor {
  return new UnsafeLocalCodeExecutor({ allowUnsafeLocalExecution: true, logger: silentLogger, ...options });
}

const run = (code: string, inputFiles: readonly File[] = [], executor = executorOf()) =>
  executor.executeCode({ code, inputFiles }, scopeOf());

describe.runIf(hasPython)("Python on this machine", () => {
  it("runs code and gives what it printed", async () => {
    verifies("records:code-execution-result");
    expect(await run("print(6*7)\nprint('ü')")).toEqual({
      stdout: "42\nü\n",
      stderr: "",
      outputFiles: [],
      outcome: "ok",
    });
  });

  it.each([
    [false, 1],
    [true, 2],
  ])("warns in the runner's log: each time %s", async (warnOnEachRun, warnings) => {
    const { logger, lines } = recorder();
    const executor = executorOf({ warnOnEachRun });
    for (const code of ["1", "2"]) await executor.executeCode({ code, inputFiles: [] }, scopeOf(undefined, logger));
    expect(lines.length).toBe(warnings);
  });

  it("detects a failure by its exit status and not by what is on stderr", async () => {
    expect(await run("import sys; print('old', file=sys.stderr)")).toMatchObject({ stderr: "old\n", outcome: "ok" });
    expect(await run("raise ValueError('no')")).toMatchObject({
      stderr: expect.stringMatching(/ValueError: no\n$/),
      outcome: "failed",
    });
    expect(await run("import sys; sys.exit(3)")).toMatchObject({
      stderr: "The code ended with exit status 3.",
      outcome: "failed",
    });
  });

  it("reads the input files and gives back what is new, links and folders left out", async () => {
    verifies(
      "records:code-execution-input:input-files",
      "records:code-execution-file:name",
      "records:code-execution-file:content",
    );
    const content = Buffer.from("a,b\n1,2\n").toString("base64");
    const code = [
      "import os",
      "print(open('data.csv').read().splitlines()[1])",
      "open('sum.json', 'w').write('3')",
      "os.symlink('/etc/passwd', 'stolen.txt')",
      "os.mkdir('folder')",
      "open('.hidden', 'w').write('x')",
    ].join("\n");
    expect(await run(code, [{ name: "data.csv", content }])).toEqual({
      stdout: "1,2\n",
      stderr: "",
      outputFiles: [{ name: "sum.json", content: Buffer.from("3").toString("base64"), mimeType: "application/json" }],
      outcome: "ok",
    });
  });

  it("gives the code none of this process's variables, and a folder that is removed afterwards", async () => {
    vi.stubEnv("SOME_API_KEY", "secret");
    const { stdout } = await run("import os; print('SOME_API_KEY' in os.environ); print(os.getcwd())");
    vi.unstubAllEnvs();
    const [hasKey, folder] = stdout.trim().split("\n");
    expect(hasKey).toBe("False");
    expect((await run(`import os; print(os.path.exists(${JSON.stringify(folder)}))`)).stdout).toBe("False\n");
  });

  it("is stopped at its time limit, with what it has started", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const begun = join(agentsFolder({}).path, "begun");
    const code = [
      "import subprocess, time",
      "print('began', flush=True)",
      "subprocess.Popen(['sleep', '60'])",
      `open(${JSON.stringify(begun)}, 'w')`,
      "time.sleep(60)",
    ].join("\n");
    const stopped = run(code, [], executorOf({ timeoutMs: 700 }));
    await expect.poll(() => existsSync(begun)).toBe(true);
    vi.advanceTimersByTime(700);
    expect(await stopped).toEqual({
      stdout: "began\n",
      stderr: "\nThe code was stopped after 700 ms.",
      outputFiles: [],
      outcome: "timed-out",
    });
  });

  it("is stopped when the run is cancelled", async () => {
    const cancel = new AbortController();
    const running = executorOf().executeCode(
      { code: "import time; time.sleep(60)", inputFiles: [] },
      scopeOf(cancel.signal),
    );
    cancel.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow("cancelled");
  });

  it("keeps the beginning of an endless output", async () => {
    const { stdout } = await run("print('x' * 1000000)");
    expect([stdout.length > 262_144, stdout.endsWith("[737857 more bytes were left out]")]).toEqual([true, true]);
  });
});
