import { describe, expect, it } from "vitest";
import { runProcess } from "#kit/code-executors/run-process.ts";

describe("a program that is ended", () => {
  const run = (script: string, endGraceMs?: number) =>
    runProcess({
      command: "sh",
      args: ["-c", script],
      env: { PATH: process.env["PATH"] ?? "" },
      timeoutMs: 300,
      maxOutputBytes: 100,
      ...(endGraceMs !== undefined && { endGraceMs }),
    });
  const tidy = "exec 2>/dev/null; trap 'echo tidied; exit 3' TERM; while :; do sleep 0.01; done";
  const stubborn = "trap '' TERM; while :; do sleep 0.01; done";

  it("is killed immediately unless it has a grace", async () => {
    expect(await run(tidy)).toEqual({ exitCode: undefined, stdout: "", stderr: "", timedOut: true });
  });

  it("may tidy up within its grace", async () => {
    expect(await run(tidy, 20_000)).toEqual({ exitCode: 3, stdout: "tidied\n", stderr: "", timedOut: true });
  });

  it("is killed when it does not use its grace", async () => {
    expect(await run(stubborn, 50)).toEqual({ exitCode: undefined, stdout: "", stderr: "", timedOut: true });
  });
});
