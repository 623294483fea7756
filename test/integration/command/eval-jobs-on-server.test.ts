import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { emptyFolder, fairlead } from "#test/helpers/worlds/command-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** Answers "yes", or nothing until the run is cancelled; and a judge that agrees and ends conversations. */
const AGENT = `
import { LlmAgent, modelContent } from "fairlead/kit";
import { defaultModelRegistry } from "fairlead/models";

const say = (text) => ({ content: modelContent(text) });
const textOf = ({ contents }) => contents.at(-1).parts[0].text;

defaultModelRegistry.register("test/judge", {
  model: "test/judge",
  async *generateContentAsync(request) {
    const isJudging = textOf(request).includes("is_the_agent_response_valid");
    yield say(isJudging ? '{"is_the_agent_response_valid": "valid"}' : "</finished>");
  },
});

export const rootAgent = new LlmAgent({
  name: "patient",
  instruction: "Help.",
  model: {
    model: "patient",
    async *generateContentAsync(request, { signal }) {
      if (textOf(request) === "wait")
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      yield say("yes");
    },
  },
});
`;

const CONFIG = {
  criteria: {
    tool_trajectory_avg_score: 1,
    final_response_match_v2: { threshold: 1, judgeModelOptions: { numSamples: 3 } },
  },
};
const PLAYED = { criteria: { hallucinations_v1: 0 }, userSimulatorConfig: { maxAllowedInvocations: 3 } };

function turn(text: string) {
  const finalResponse = { role: "model", parts: [{ text: "Yes." }] };
  return { userContent: { role: "user", parts: [{ text }] }, finalResponse };
}

const SETS = [
  { evalSetId: "quick", evalCases: ["a", "b", "c"].map((evalId) => ({ evalId, conversation: [turn("go")] })) },
  { evalSetId: "slow", evalCases: [{ evalId: "s", conversation: [turn("wait")] }] },
  {
    evalSetId: "played",
    evalCases: [{ evalId: "p", conversationScenario: { startingPrompt: "go", conversationPlan: "Stop." } }],
  },
];

interface Answer {
  readonly runs: readonly { readonly status: string }[];
  readonly evaluations: readonly { readonly status: string; readonly counts: object }[];
}

async function startServer() {
  const folder = agentsFolder({
    "agents/patient/agent.ts": AGENT,
    "config.json": JSON.stringify(CONFIG),
    "played.json": JSON.stringify(PLAYED),
  });
  const args = ["serve", join(folder.path, "agents"), "--port", "0", "--data-dir", emptyFolder(), "--no-dev-ui"];
  const server = new CliProcess(args, { environment: { EVAL_JUDGE_MODELS: "test/judge" } });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const url = (await server.until(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
  const call = async (path: string, body?: object) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url + path, { headers: { "content-type": "application/json" }, ...sent });
    expect(response.status).toBe(200);
    // An answer of one of the routes of this test.
    return (await response.json()) as Answer;
  };
  for (const evalSet of SETS) await call("/apps/patient/eval-sets", { evalSet });
  return { url, folder: folder.path, call };
}

/** Passes everything on to the server, but ends each stream after its first event. */
async function startCuttingProxy(url: string) {
  const positions: unknown[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = "GET", headers } = incoming;
    const passed = request(url + incoming.url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (incoming.url?.endsWith("/stream") !== true) return answer.pipe(outgoing);
      positions.push(headers["last-event-id"]);
      answer.once("data", (chunk: Buffer) => outgoing.write(chunk, () => outgoing.destroy()));
    });
    outgoing.once("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => proxy.close(() => resolve())));
  // The address of a server that listens on a port is not a path.
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, positions };
}

describe("fairlead eval --url, as a job of the server", () => {
  it("judges, and plays users, with the models of the server", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder } = await startServer();
    const judged = await fairlead(folder, ["eval", "patient", "quick", "--url", url, "--config", "config.json"]);
    expect(judged).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(
        /✓ {2}quick\/a {2}1 of 1 {2}tool_trajectory_avg_score 1 {2}final_response_match_v2 1/,
      ),
    });
    const args = ["eval", "patient", "played", "--url", url, "--config", "played.json", "--json"];
    const { output } = await fairlead(folder, args);
    expect(JSON.parse(output).results[0].evalCaseResults[0].evalMetricResultPerInvocation).toMatchObject([
      { actualInvocation: { finalResponse: { parts: [{ text: "yes" }] } } },
    ]);
  });

  it("continues to follow the evaluation when its stream is cut again and again", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder, call } = await startServer();
    const proxy = await startCuttingProxy(url);
    const args = ["eval", "patient", "quick", "--url", proxy.url, "--config", "config.json", "--repeat", "2"];
    const { exitCode, output } = await fairlead(folder, args);
    expect([exitCode, output]).toEqual([0, expect.stringContaining("6 of 6 runs passed")]);
    expect(proxy.positions).toContainEqual(expect.stringMatching(/^\d+$/));
    expect((await call("/v1/runs")).runs).toHaveLength(6);
    expect((await call("/v1/evals")).evaluations).toHaveLength(2);
  });

  it("cancels the evaluation on Ctrl-C, with its runs, and exits with 2", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder, call } = await startServer();
    const args = ["eval", "patient", "slow", "--url", url, "--repeat", "3"];
    await using command = new CliProcess(args, { directory: folder });
    const running = async () => (await call("/v1/runs")).runs.map(({ status }) => status);
    await expect.poll(running, { timeout: 20_000 }).toEqual(["running"]);
    command.child.kill("SIGINT");
    await command.ended;
    expect([command.child.exitCode, command.output]).toEqual([2, "fairlead: The evaluation was cancelled.\n"]);
    expect((await call("/v1/evals")).evaluations).toMatchObject([{ status: "cancelled", counts: { done: 0 } }]);
    await expect.poll(running, { timeout: 20_000 }).toEqual(["cancelled"]);
  });

  it("draws a bar and colours in a terminal only", async () => {
    verifies("platform:evaluation:command-url");
    const { url, folder } = await startServer();
    const args = ["eval", "patient", "quick", "--url", url, "--config", "config.json"];
    await using command = new CliProcess(args, { directory: folder, isTerminal: true, environment: { TERM: "xterm" } });
    await command.ended;
    expect(command.output).toContain("█".repeat(30));
    expect(command.output).toContain("\u001B[32m✓");
    const { output } = await fairlead(folder, args);
    expect([output.includes("█"), output.includes("\u001B")]).toEqual([false, false]);
  });
});
