import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { emptyFolder, fairlead } from "#test/helpers/worlds/command-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const AGENT = "name: echo\nmodel: demo/chat\ninstruction: Help.\n";

/** A set of one case that expects an answer. */
function setOf(evalSetId: string, text: string): object {
  const userContent = { role: "user", parts: [{ text: "Hello" }] };
  const finalResponse = { role: "model", parts: [{ text }] };
  return { evalSet: { evalSetId, evalCases: [{ evalId: "hi", conversation: [{ userContent, finalResponse }] }] } };
}

/** A server process with the set `greet`, whose case passes with `tool_trajectory_avg_score` alone. */
async function startServer({ withKey = false } = {}) {
  const folder = agentsFolder({
    "agents/echo/root_agent.yaml": AGENT,
    "trajectory.json": TRAJECTORY,
    "custom.json": CUSTOM,
  });
  const dataDir = emptyFolder();
  const create = [
    "keys",
    "create",
    "--name",
    "ci",
    "--scopes",
    "evals,runs:write",
    "--user",
    "ci",
    "--data-dir",
    dataDir,
  ];
  const key = withKey ? (/fl_\S+/.exec((await fairlead(folder.path, create)).output)?.[0] ?? "") : "";
  const args = ["serve", join(folder.path, "agents"), "--port", "0", "--data-dir", dataDir, "--no-dev-ui"];
  const server = new CliProcess(args, { environment: { AUTH: withKey ? "api-key" : "none" } });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const url = (await server.until(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
  const call = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json", ...(withKey && { authorization: `Bearer ${key}` }) };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url + path, { headers, ...sent });
    expect(response.status).toBe(200);
    // An answer of one of the routes of this test.
    return (await response.json()) as { readonly runs: readonly object[]; readonly evalResultIds: readonly string[] };
  };
  await call("/apps/echo/eval-sets", setOf("greet", "Something else"));
  return { url, folder: folder.path, key, call };
}

const TRAJECTORY = JSON.stringify({ criteria: { tool_trajectory_avg_score: 1 } });
const CUSTOM = JSON.stringify({
  criteria: { polite: 1 },
  customMetrics: { polite: { codeConfig: { name: "a.polite" } } },
});

/** Passes everything on to the server, but loses its first answer to an evaluation. */
async function startLossyProxy(url: string): Promise<string> {
  let hasLost = false;
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const passed = request(url + incoming.url, { ...(method !== undefined && { method }), headers }, (answer) => {
      if (hasLost || method !== "POST") {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        return answer.pipe(outgoing);
      }
      hasLost = true;
      answer.resume().once("end", () => outgoing.destroy());
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => proxy.close(() => resolve())));
  // The address of a server that listens on a port is not a path.
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe("fairlead eval --url", () => {
  it("evaluates the server's sets, prints the table and the reports, and exits with the outcome", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder, call } = await startServer();
    const run = (...more: readonly string[]) => fairlead(folder, ["eval", "echo", "--url", url, ...more]);
    const failed = await run("greet:hi", "--junit", "report.xml");
    expect(failed).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(
        /✗ {2}greet\/hi {2}0 of 1 {2}tool_trajectory_avg_score 1 {2}response_match_score 0/,
      ),
    });
    const passed = await run("--config", "trajectory.json", "--repeat", "2", "--json");
    expect(passed.exitCode).toBe(0);
    expect(JSON.parse(passed.output)).toMatchObject({
      app: "echo",
      repeat: 2,
      cases: [{ evalSetId: "greet", evalId: "hi", passed: 2, runs: 2 }],
    });
    expect((await call("/apps/echo/eval-results")).evalResultIds).toHaveLength(3);
  });

  it("repeats a request whose answer was lost, and runs no turn twice", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder, call } = await startServer();
    const args = ["eval", "echo", "greet", "--url", await startLossyProxy(url), "--config", "trajectory.json"];
    const { exitCode, output } = await fairlead(folder, args);
    expect([exitCode, output]).toEqual([0, expect.stringContaining("1 of 1 runs passed.")]);
    expect((await call("/v1/runs")).runs).toHaveLength(1);
    expect((await call("/apps/echo/eval-results")).evalResultIds).toHaveLength(1);
  });

  it("sends the key of FAIRLEAD_API_KEY", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder, key } = await startServer({ withKey: true });
    const run = (given: string) =>
      fairlead(folder, ["eval", "echo", "--url", url, "--config", "trajectory.json"], {
        environment: { FAIRLEAD_API_KEY: given },
      });
    expect(await run(key)).toMatchObject({ exitCode: 0 });
    expect(await run("")).toMatchObject({ exitCode: 2 });
  });

  it.each([
    [["echo", "--url", "http://127.0.0.1:9"], "No answer from http://127.0.0.1:9"],
    [["echo", "--url", "nowhere"], "--url needs an address"],
    [["echo", "other"], "The app echo has no set other"],
    [["echo", "greet:nobody"], "Evaluation case not found in set greet: nobody"],
    [["nothing"], "The app nothing has no evaluation sets"],
    [["echo", "--results", "kept"], "--results is not for --url"],
    [["echo", "--config", "custom.json"], "the custom metric polite"],
    [["echo", "--config", "none.json"], "There is no file none.json."],
  ])("exits with 2 if it cannot run: %j", async (args, message) => {
    verifies("platform:evaluation:command-url");
    const { url, folder } = await startServer();
    const address = args.includes("--url") ? [] : ["--url", url];
    const { exitCode, output } = await fairlead(folder, ["eval", ...args, ...address]);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(message)]);
  });
});
