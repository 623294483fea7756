import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ProcessResult, runProcess } from "#kit/code-executors/run-process.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

const TIMEOUT_MS = 300;

describe("a program that is ended", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Runs the script, whose time is up when it has begun its loop. */
  const run = async (script: string, endGraceMs?: number, laterMs = 0): Promise<ProcessResult> => {
    const begun = join(agentsFolder({}).path, "begun");
    const running = runProcess({
      command: "sh",
      args: ["-c", `${script}; : >"$0"; while :; do sleep 0.01; done`, begun],
      env: { PATH: process.env["PATH"] ?? "" },
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: 100,
      ...(endGraceMs !== undefined && { endGraceMs }),
    });
    await expect.poll(() => existsSync(begun)).toBe(true);
    vi.advanceTimersByTime(TIMEOUT_MS);
    vi.advanceTimersByTime(laterMs);
    return running;
  };
  const tidy = "exec 2>/dev/null; trap 'echo tidied; exit 3' TERM";
  const stubborn = "trap '' TERM";

  it("is killed immediately unless it has a grace", async () => {
    expect(await run(tidy)).toEqual({ exitCode: undefined, stdout: "", stderr: "", timedOut: true });
  });

  it("may tidy up within its grace", async () => {
    expect(await run(tidy, 20_000)).toEqual({ exitCode: 3, stdout: "tidied\n", stderr: "", timedOut: true });
  });

  it("is killed when it does not use its grace", async () => {
    expect(await run(stubborn, 50, 50)).toEqual({ exitCode: undefined, stdout: "", stderr: "", timedOut: true });
  });
});
