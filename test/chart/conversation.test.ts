import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { at, CHART, find, listAt, render, tools } from "./render.ts";

const AGENTS = fileURLToPath(new URL("../../agents", import.meta.url));
const SCRIPT = join(CHART, "files/conversation.mjs");

async function talk(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...args]);
    return { code: 0, output: stdout };
  } catch (error) {
    // Errors of execFile carry the exit code and the output.
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return { code, output: stdout };
  }
}

describe("the conversation of helm test", () => {
  it("runs, streams, resumes, and keeps files on a real server, and leaves nothing behind", async () => {
    const data = await mkdtemp(join(tmpdir(), "conversation-"));
    onTestFinished(() => rm(data, { recursive: true }));
    await using server = new CliProcess(["serve", AGENTS, "--port", "0", "--data-dir", data]);
    const [, url = ""] = await server.until(/is ready: (http:\/\/[^/]+)/);
    const { code, output } = await talk(`--url=${url}`, "--app=bench", "--message=n=20 d=5 s=5");
    expect(output.split("\n")).toEqual([
      "talks to bench",
      expect.stringMatching(/^run answered \d+ events$/),
      expect.stringMatching(/^stream cut at \d+\.1$/),
      expect.stringMatching(/^stream resumed, \d\d events in all$/),
      "artifact saved, listed, loaded and deleted",
      "session deleted",
      "",
    ]);
    expect(code).toBe(0);
    const left = await fetch(`${url}/apps/bench/users/helm-test/sessions`);
    expect(await left.json()).toEqual([]);
  });

  it("needs a key of a user where callers identify themselves, and is refused without one", async () => {
    const data = await mkdtemp(join(tmpdir(), "conversation-"));
    onTestFinished(() => rm(data, { recursive: true }));
    const environment = { AUTH: "api-key" };
    const scopes = "runs:write,sessions:read,sessions:write,artifacts";
    const create = ["keys", "create", "--name", "test", "--user", "grace", "--scopes", scopes];
    await using creation = new CliProcess([...create, "--data-dir", data, "--json"], { environment });
    await creation.ended;
    const tokenFile = join(data, "token");
    await writeFile(tokenFile, `${/fl_[^"]+/.exec(creation.output)?.[0]}\n`);
    await using server = new CliProcess(["serve", AGENTS, "--port", "0", "--data-dir", data], { environment });
    const [, url = ""] = await server.until(/is ready: (http:\/\/[^/]+)/);

    expect(await talk(`--url=${url}`, "--authenticated")).toEqual({
      code: 0,
      output: "refuses requests without credentials\nthe conversation needs a token: set test.tokenSecret\n",
    });
    const options = [`--url=${url}`, "--app=bench", "--message=n=2 d=1 s=5", "--authenticated"];
    const { code, output } = await talk(...options, `--token-file=${tokenFile}`);
    expect(output).toMatch(
      /^refuses requests without credentials\ntalks to bench\nrun answered [^]*session deleted\n$/,
    );
    expect(code).toBe(0);
  });

  it("fails on a gateway that accepts everybody though its values demand credentials", async () => {
    await using world = await startGateway();
    const url = await world.listen();
    expect(await talk(`--url=${url}`, "--authenticated")).toEqual({
      code: 1,
      output: expect.stringMatching(/^failed: the gateway accepts requests without credentials/),
    });
  });

  it("describes in one sentence what is wrong", async () => {
    await using world = await startGateway({
      script: async () => ({
        status: "failed",
        error: { code: "INTERNAL", reason: "MODEL_FAILED", message: "no model" },
      }),
    });
    const url = await world.listen();
    expect(await talk(`--url=${url}`, "--app=nobody")).toEqual({
      code: 1,
      output: 'failed: There is no app "nobody"; there are: echo\n',
    });
    const failed = await talk(`--url=${url}`, "--app=echo");
    expect(failed.code).toBe(1);
    expect(failed.output).toMatch(/^talks to echo\nfailed: POST \/run answered 500: .*no model/);
    expect(await talk("--url=http://127.0.0.1:1")).toEqual({
      code: 1,
      output: expect.stringMatching(/^failed: http:\/\/127\.0\.0\.1:1 cannot be reached: .+\n$/),
    });
  });

  it.skipIf(tools.helm === undefined)("is a pod that reaches the gateway's Service", async () => {
    const objects = await render({ test: { appName: "bench" }, gateway: { service: { port: 8080 } } });
    const pod = find(objects, "Pod", "agents-fairlead-test");
    expect(pod.metadata.annotations).toMatchObject({ "helm.sh/hook": "test" });
    expect(at(pod, "spec.containers.0.args")).toEqual([
      "--url=http://agents-fairlead-gateway.team.svc.cluster.local.:8080",
      "--app=bench",
      "--message=Hello",
      "--timeout-seconds=60",
    ]);
    expect(at(find(objects, "ConfigMap", "agents-fairlead-test"), "data")).toEqual({
      "conversation.mjs": expect.stringContaining("helm test"),
    });
    expect(listAt(find(objects, "NetworkPolicy", "agents-fairlead-test"), "spec.egress")).toHaveLength(2);
  });
});
