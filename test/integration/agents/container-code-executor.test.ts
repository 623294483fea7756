import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ContainerCodeExecutor,
  type ContainerCodeExecutorOptions,
} from "#kit/code-executors/container-code-executor.ts";
import { GVisorCodeExecutor } from "#kit/code-executors/gvisor-code-executor.ts";
import { runProcess } from "#kit/code-executors/run-process.ts";
import { SANDBOX_PROGRAM } from "#kit/code-executors/sandbox-program.ts";
import { readReport } from "#kit/code-executors/sandbox-report.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { findCodeImage, hasGVisor } from "#test/helpers/servers/code-image.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython)
  process.stderr.write("Tests of the sandbox's program are skipped: there is no python3 (apt-get install python3).\n");
const found = await findCodeImage();
const hasRunsc = found !== undefined && (await hasGVisor(found));

describe.runIf(hasPython)("the program inside the sandbox", () => {
  async function inside(job: object) {
    const cwd = await mkdtemp(join(tmpdir(), "fairlead-sandbox-"));
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

/** Code that reports which resources it can reach in a container. */
const LOOK_AROUND = `
import os, socket
def refused(action):
    try:
        action()
        return False
    except OSError:
        return True
status = dict(line.rstrip().split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
print(os.getuid(), os.getgid(), int(status["CapEff"], 16), int(status["CapBnd"], 16))
print("interfaces:", *os.listdir("/sys/class/net"))
print("network:", refused(lambda: socket.create_connection(("192.0.2.1", 80), 2)))
print("names:", refused(lambda: socket.getaddrinfo("localhost.example", 80)))
print("system:", all(refused(lambda: open(folder + "/x", "w")) for folder in ("", "/usr", "/etc", "/run", "/var", "/dev")))
print("devices:", refused(lambda: (os.mknod("/work/disk", 0o60666, os.makedev(254, 0)), open("/work/disk", "rb"))))
print("programs:", refused(lambda: (open("/work/p", "w").write("#!/bin/sh"), os.chmod("/work/p", 0o755), os.execv("/work/p", ["p"]))))
print("host's files:", any(name in open("/proc/mounts").read() for name in (" /home", " /root", " /work/main")))
print("environment:", *sorted(set(os.environ) - {"PATH", "HOME", "TERM", "HOSTNAME", "container", "LC_CTYPE", "LANG", "GPG_KEY", "PYTHON_VERSION", "PYTHON_SHA256"}))
`;

/** Command lines of processes of this machine; those of processes that have ended are empty. */
function processesNaming(name: string): readonly string[] {
  const lines = readdirSync("/proc").map((id) => {
    try {
      return readFileSync(`/proc/${Number(id)}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      // No process, or one that has ended in the meantime.
      return "";
    }
  });
  return lines.filter((line) => line.includes(name));
}

const SANDBOXES: readonly [string, boolean, (options: ContainerCodeExecutorOptions) => ContainerCodeExecutor][] = [
  ["a container", found !== undefined, (options) => new ContainerCodeExecutor(options)],
  ["a container under gVisor", hasRunsc, (options) => new GVisorCodeExecutor(options)],
];

describe.each(SANDBOXES)("%s", (name, isThere, create) => {
  const prefix = `test-${process.pid}-${name.length}`;
  let jobs = 0;
  const nextScope = (signal = new AbortController().signal) => {
    jobs += 1;
    return { jobId: `${prefix}-${jobs}`, signal, logger: silentLogger };
  };
  const executor = (options: ContainerCodeExecutorOptions = {}) => create({ ...found, ...options });
  const run = (code: string, options: ContainerCodeExecutorOptions = {}) =>
    executor(options).executeCode({ code, inputFiles: [] }, nextScope());
  /** Names of containers of these tests, in any state. */
  const containers = () => {
    const args = ["ps", "--all", "--format", "{{.Names}}", "--filter", `name=fairlead-code-${prefix}`];
    return spawnSync(found?.engine ?? "", args, { encoding: "utf8" }).stdout;
  };

  it.runIf(isThere)(
    "isolates code: no user, no network, no way to write or to run programs, nothing of the host",
    async () => {
      expect(await run(LOOK_AROUND)).toEqual({
        stdout: [
          "65534 65534 0 0",
          "interfaces: lo",
          "network: True",
          "names: True",
          "system: True",
          "devices: True",
          "programs: True",
          "host's files: False",
          "environment:\n",
        ].join("\n"),
        stderr: "",
        outputFiles: [{ name: "p", content: expect.any(String), mimeType: "application/octet-stream" }],
        outcome: "ok",
      });
    },
  );

  it.runIf(isThere)("hands files in and out, and keeps nothing for the next execution", async () => {
    const input = {
      code: "open('b.txt', 'w').write(open('a.csv').read() * 2); open('/tmp/c', 'w').write('c'); x = 1",
      inputFiles: [{ name: "a.csv", content: Buffer.from("1,2").toString("base64") }],
      executionId: "the-same",
    };
    const one = executor();
    expect(await one.executeCode(input, nextScope())).toEqual({
      stdout: "",
      stderr: "",
      outputFiles: [{ name: "b.txt", content: Buffer.from("1,21,2").toString("base64"), mimeType: "text/plain" }],
      outcome: "ok",
    });
    const code = "import os; print(os.listdir('.'), os.path.exists('/tmp/c'), 'x' in globals())";
    expect(await one.executeCode({ ...input, code, inputFiles: [] }, nextScope())).toMatchObject({
      stdout: "[] False False\n",
    });
  });

  it.runIf(isThere)("ends code that takes too long, too much memory or too many processes", async () => {
    expect(await run("while True: pass", { timeoutMs: 500 })).toEqual({
      stdout: "",
      stderr: "The code was stopped after 500 ms.",
      outputFiles: [],
      outcome: "timed-out",
    });
    rmSync("oom", { force: true });
    const filling = "held = []\nwhile True: held.append(bytearray(10**7))";
    expect(await run(filling, { memoryBytes: 128 * 1024 * 1024 })).toMatchObject({
      stderr: expect.stringContaining("more memory"),
      outcome: "failed",
    });
    // Podman's monitor leaves this file where it runs.
    expect(existsSync("oom")).toBe(false);
    const forking = "import os, time\nwhile os.fork() >= 0: pass";
    expect(await run(forking, { timeoutMs: 10_000 })).toMatchObject({ outcome: "failed" });
    expect(containers()).toBe("");
  });

  it.runIf(isThere)("keeps the beginning of an endless output and says why it has ended", async () => {
    const { stdout, stderr, outcome } = await run("while True: print('x' * 1000)");
    expect(stdout).toMatch(/^x{1000}\n[^]*\n\[\d+ more bytes were left out\]$/);
    expect(stdout.length).toBeLessThan(300_000);
    expect({ stderr, outcome }).toEqual({ stderr: expect.stringContaining("File too large"), outcome: "failed" });
  });

  it.runIf(isThere)("believes no report that the code has forged further than any other", async () => {
    const report = {
      exitCode: 0,
      timedOut: false,
      stdout: "forged",
      stderr: "",
      files: [{ name: "../x", content: "" }],
    };
    const forging = `import os, time; open('/proc/1/fd/1', 'w').write(${JSON.stringify(JSON.stringify(report))})`;
    expect(await run(`${forging}; os.kill(1, 2); time.sleep(9)`)).toEqual({
      stdout: "forged",
      stderr: "",
      outputFiles: [],
      outcome: "ok",
    });
    // The true report follows the forged one, so neither is accepted.
    expect(await run(forging)).toMatchObject({ stdout: "", outcome: "failed" });
  });

  it.runIf(isThere)(
    "leaves nothing behind when it is aborted, however far it has come",
    async () => {
      // Making a container takes time, and the moments in which it is incomplete are short.
      const delaysMs = [0, ...Array.from({ length: 12 }, (_, step) => 160 + 20 * step), 1500];
      for (const delayMs of delaysMs) {
        const code = "import time; time.sleep(60)";
        const aborted = executor().executeCode({ code, inputFiles: [] }, nextScope(AbortSignal.timeout(delayMs)));
        await expect(aborted).rejects.toMatchObject({ name: "TimeoutError" });
        expect(containers()).toBe("");
      }
      // An engine that was killed forgets containers whose processes continue.
      await expect.poll(() => processesNaming(`fairlead-code-${prefix}`)).toEqual([]);
    },
    90_000,
  );

  it.runIf(isThere)("runs several executions beside each other, each in its own", async () => {
    const codes = [1, 2, 3].map(
      (number) => `import os, time; time.sleep(1); open('n', 'w'); print(${number}, os.listdir('.'))`,
    );
    const results = await Promise.all(codes.map((code) => run(code)));
    expect(results.map(({ stdout }) => stdout)).toEqual(["1 ['n']\n", "2 ['n']\n", "3 ['n']\n"]);
    expect(containers()).toBe("");
  });

  it.runIf(isThere)("names what is missing when it cannot start", async () => {
    await expect(run("1", { image: "localhost/no-such-image:1" })).rejects.toMatchObject({
      reason: "CODE_EXECUTOR_UNAVAILABLE",
      message: "The image localhost/no-such-image:1 is not on the machine: pull it, or name another one with python3.",
    });
    expect(containers()).toBe("");
  });
});

it.runIf(found !== undefined)(
  "a container ends by itself when the process that started it is killed",
  async () => {
    const prefix = `fairlead-code-orphan-${process.pid}`;
    const module = new URL("../../../kit/code-executors/container-code-executor.ts", import.meta.url).href;
    const program = `
    import { ContainerCodeExecutor } from ${JSON.stringify(module)};
    const scope = { jobId: "orphan-${process.pid}", signal: new AbortController().signal };
    const code = "import time; time.sleep(60)";
    await new ContainerCodeExecutor(${JSON.stringify({ ...found, timeoutMs: 4000 })}).executeCode({ code, inputFiles: [] }, scope);
  `;
    const engine = found?.engine ?? "";
    const names = (...args: readonly string[]) =>
      spawnSync(engine, ["ps", ...args, "--format", "{{.Names}}", "--filter", `name=${prefix}`], { encoding: "utf8" })
        .stdout;
    const owner = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "ignore" });
    await expect.poll(() => names()).toBe(`${prefix}\n`);
    const ended = once(owner, "exit");
    owner.kill("SIGKILL");
    await ended;
    await expect.poll(() => names("--all"), { timeout: 25_000 }).toBe("");
  },
  60_000,
);

it("the gVisor executor is a container under runsc, and says when there is none", async () => {
  const executor = new GVisorCodeExecutor({ engine: "docker" });
  expect(executor).toBeInstanceOf(ContainerCodeExecutor);
  const { status, stdout } = spawnSync("docker", ["info", "--format", "{{json .Runtimes}}"], { encoding: "utf8" });
  if (status === 0 && stdout.includes("runsc")) return;
  const scope = { jobId: "job-1", signal: new AbortController().signal, logger: silentLogger };
  await expect(executor.executeCode({ code: "1", inputFiles: [] }, scope)).rejects.toMatchObject({
    reason: "CODE_EXECUTOR_UNAVAILABLE",
    message: "Code cannot be run: no docker with the runtime runsc answers on this machine. Install and start one.",
  });
});
