import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { containerArguments } from "./container-arguments.ts";
import { ContainerCodeExecutor } from "./container-code-executor.ts";
import { findContainerEngine } from "./container-engine.ts";
import { SANDBOX_PROGRAM } from "./sandbox-program.ts";
import { readReport } from "./sandbox-report.ts";

const IMAGE = "docker.io/library/python:3.13-slim";

describe("the command line of a container", () => {
  it("removes all rights that the code does not need", () => {
    expect(containerArguments("podman", "fairlead-code-1", {})).toEqual([
      "run",
      "--read-only-tmpfs=false",
      "--image-volume=ignore",
      "--no-hosts",
      "--http-proxy=false",
      "--timeout=80",
      "--rm",
      "--sig-proxy=false",
      "--interactive",
      "--name=fairlead-code-1",
      "--pull=never",
      "--log-driver=none",
      "--no-healthcheck",
      "--network=none",
      "--read-only",
      "--cap-drop=ALL",
      "--security-opt=no-new-privileges",
      "--user=65534:65534",
      "--ipc=none",
      "--cgroupns=private",
      "--pids-limit=128",
      "--memory=536870912",
      "--memory-swap=536870912",
      "--cpus=1",
      "--ulimit=nofile=1024:1024",
      "--ulimit=nproc=16384:16384",
      "--ulimit=fsize=33554432:33554432",
      "--ulimit=core=0:0",
      "--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=64m,mode=1777",
      "--tmpfs=/work:rw,noexec,nosuid,nodev,size=64m,mode=1777",
      "--workdir=/work",
      "--env=HOME=/work",
      "--entrypoint=python3",
      IMAGE,
      "-I",
      "-c",
      SANDBOX_PROGRAM,
    ]);
  });

  it.each([
    ["podman", ["--runtime", "runsc", "--runtime-flag=network=none", "run"]],
    ["docker", ["run", "--runtime", "runsc", "--rm"]],
  ] as const)("names another runtime in the place that %s requires", (name, start) => {
    const options = { ociRuntime: "runsc", ociRuntimeFlags: ["network=none"] };
    expect(containerArguments(name, "c", options).slice(0, 4)).toEqual(start);
  });

  it("turns off podman's defaults that docker does not have, and lets podman end an abandoned container", () => {
    const podman = containerArguments("podman", "c", { timeoutMs: 1500 });
    const docker = containerArguments("docker", "c", { timeoutMs: 1500 });
    expect(podman.filter((argument) => !docker.includes(argument))).toEqual([
      "--read-only-tmpfs=false",
      "--image-volume=ignore",
      "--no-hosts",
      "--http-proxy=false",
      "--timeout=22",
    ]);
  });

  it("contains the given limits and image", () => {
    const options = { image: "own:1", memoryBytes: 1024, maxProcesses: 7, cpus: 0.5 };
    expect(containerArguments("docker", "c", options)).toEqual(
      expect.arrayContaining(["--pids-limit=7", "--memory=1024", "--memory-swap=1024", "--cpus=0.5", "own:1"]),
    );
    expect(() => new ContainerCodeExecutor({ image: "--privileged" })).toThrowError(
      expect.objectContaining({ reason: "INVALID_FIELD" }),
    );
  });
});

describe("an engine", () => {
  it("runs in a folder of its own, where it leaves what it writes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "engine-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // As podman's monitor does when the code runs out of memory.
    const writing = `#!/bin/sh\necho "$1 $PWD" >>${folder}/calls\n[ "$1" != run ] || echo >oom\n`;
    writeFileSync(join(folder, "podman"), writing, { mode: 0o755 });
    vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const scope = { jobId: "1", signal: new AbortController().signal, logger: silentLogger };
    await new ContainerCodeExecutor({ engine: "podman" }).executeCode({ code: "1", inputFiles: [] }, scope);
    const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
    const [, place = ""] = calls.find((call) => call.startsWith("run "))?.split(" ") ?? [];
    expect(place).toContain("fairlead-container-");
    expect(existsSync(place)).toBe(false);
  });
});

describe("an engine that is not there", () => {
  it("is an error with its name and the runtime that is needed", async () => {
    await expect(findContainerEngine([], "runsc")).rejects.toMatchObject({ reason: "CODE_EXECUTOR_UNAVAILABLE" });
    await expect(findContainerEngine(["podman", "docker"], "no-such-runtime")).rejects.toMatchObject({
      reason: "CODE_EXECUTOR_UNAVAILABLE",
      message: expect.stringContaining("podman or docker with the runtime no-such-runtime"),
    });
  });
});

describe("the report of a sandbox", () => {
  it.each(["", "x", "[]", "{}", '{"exitCode":0}', '{"exitCode":"0","stdout":"","stderr":""}'])(
    "is refused if it is malformed: %j",
    (text) => {
      expect(readReport(text)).toBeUndefined();
    },
  );

  it("is cut to the limits of a report", () => {
    const content = Buffer.alloc(16 * 1024 * 1024 + 1).toString("base64");
    const long = "x".repeat(1_000_000);
    const text = JSON.stringify({ exitCode: 0, stdout: long, stderr: long, files: [{ name: "a", content }] });
    const cut = "x".repeat(256 * 1024 + 100);
    expect(readReport(text)).toEqual({ exitCode: 0, timedOut: false, stdout: cut, stderr: cut, outputFiles: [] });
  });

  it("excludes files whose names lead out of a folder, and has all content as base64", () => {
    const files = [{ name: "../a", content: "" }, { name: "a.txt", content: "aGk" }, { name: 5, content: "" }, null];
    expect(readReport(JSON.stringify({ exitCode: 0, stdout: "o", stderr: "e", files }))).toEqual({
      exitCode: 0,
      timedOut: false,
      stdout: "o",
      stderr: "e",
      outputFiles: [{ name: "a.txt", content: "aGk=", mimeType: "text/plain" }],
    });
  });
});
