import { describe, expect, it } from "vitest";
import type { ExecutionScope, File } from "#kit/core/code-executor.ts";
import { type Logger, silentLogger } from "../platform/logger.ts";
import { UnsafeLocalCodeExecutor, type UnsafeLocalCodeExecutorOptions } from "./unsafe-local-code-executor.ts";

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

describe("UnsafeLocalCodeExecutor", () => {
  it("is not created without allowUnsafeLocalExecution", () => {
    for (const options of [{}, { allowUnsafeLocalExecution: false }, { allowUnsafeLocalExecution: "true" }]) {
      // The type does not protect plain JavaScript and settings that were read from elsewhere.
      expect(() => new UnsafeLocalCodeExecutor(options as UnsafeLocalCodeExecutorOptions)).toThrowError(
        expect.objectContaining({
          reason: "CONFIGURATION",
          message: expect.stringContaining("set allowUnsafeLocalExecution to true"),
        }),
      );
    }
  });

  it("logs a warning when it is created, or emits a warning of the process without a logger", async () => {
    const { logger, lines } = recorder();
    executorOf({ logger });
    expect(lines).toEqual([expect.stringContaining("without any isolation")]);
    const warned = new Promise<Error>((resolve) => void process.once("warning", resolve));
    new UnsafeLocalCodeExecutor({ allowUnsafeLocalExecution: true });
    expect(await warned).toMatchObject({ code: "FAIRLEAD_UNSAFE_CODE_EXECUTOR", message: lines[0] });
  });

  it("refuses file names that lead out of its folder", async () => {
    for (const name of ["../a", "/etc/passwd", "a/b", ".hidden", "", "a\0b", "-x"]) {
      await expect(run("", [{ name, content: "" }])).rejects.toMatchObject({ reason: "INVALID_FIELD" });
    }
  });

  it("names what is missing if there is no Python", async () => {
    await expect(run("", [], executorOf({ command: "no-such-python" }))).rejects.toMatchObject({
      reason: "CODE_EXECUTOR_UNAVAILABLE",
    });
  });
});
