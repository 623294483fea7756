import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { fairlead } from "#test/helpers/worlds/command-world.ts";

const AGENT = "name: echo\nmodel: demo/chat\ninstruction: Help.\n";
const QUESTION = { role: "user", parts: [{ text: "Hello" }] };

/** Sends its own process the signal of Ctrl-C in the second run, which then waits for its end. */
const SLOW_AGENT = `import { createEvent } from "fairlead/adk";
import { BaseAgent } from "fairlead/kit";
let runs = 0;
class Slow extends BaseAgent {
  async *runAsyncImpl(context) {
    runs += 1;
    if (runs === 1) return;
    process.kill(process.pid, "SIGINT");
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  }
  async close() {
    console.log("The agent is closed.");
  }
}
export const rootAgent = new Slow({ name: "slow" });
`;

/** A set of one case that expects an answer. */
function setOf(text: string): string {
  const finalResponse = { role: "model", parts: [{ text }] };
  return JSON.stringify({
    eval_set_id: "greet",
    eval_cases: [{ evalId: "hi", conversation: [{ userContent: QUESTION, finalResponse }] }],
  });
}

describe("fairlead eval", () => {
  it.each(["weather", "writer_pipeline"])("passes with the sets of the sample agent %s", async (name) => {
    verifies("platform:evaluation:samples");
    const { exitCode, output } = await fairlead(resolve("."), ["eval", `agents/${name}`]);
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/(\d) of \1 runs passed\./)]);
  });

  it("exits with 1 and names the scores if a case fails", async () => {
    verifies("platform:evaluation:command");
    const folder = agentsFolder({ "echo/root_agent.yaml": AGENT, "echo/greet.evalset.json": setOf("Something else") });
    const { exitCode, output } = await fairlead(folder.path, ["eval", "echo", "--junit", "out/report.xml"]);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/✗ {2}greet\/hi {2}0 of 1 {2}tool_trajectory_avg_score 1 {2}response_match_score 0/);
    expect(readFileSync(join(folder.path, "out/report.xml"), "utf8")).toContain('<failure message="passed 0 of 1">');
  });

  it("compares with a baseline, which fails only on a significant drop", async () => {
    verifies("platform:evaluation:command");
    const folder = agentsFolder({ "echo/root_agent.yaml": AGENT, "echo/greet.evalset.json": setOf("Something else") });
    const run = (...more: readonly string[]) =>
      fairlead(folder.path, ["eval", "echo", "greet:hi", "--repeat", "3", ...more]);
    const { output } = await run("--json", "--results", "kept/results");
    const report = JSON.parse(output);
    expect(report).toMatchObject({ app: "echo", repeat: 3, cases: [{ evalId: "hi", passed: 0, runs: 3 }] });
    const kept = readdirSync(join(folder.path, "kept/results")).map((name) =>
      readFileSync(join(folder.path, "kept/results", name), "utf8"),
    );
    expect(
      kept.map((text) => JSON.parse(text)).sort((one, other) => one.creationTimestamp - other.creationTimestamp),
    ).toEqual(report.results);
    expect(report.results.map(parseEvalSetResult)).toHaveLength(3);
    writeFileSync(join(folder.path, "same.json"), output);
    writeFileSync(
      join(folder.path, "better.json"),
      JSON.stringify({ cases: [{ ...report.cases[0], passed: 9, runs: 9 }] }),
    );
    expect(await run("--baseline", "same.json")).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("No significant drop"),
    });
    expect(await run("--baseline", "better.json")).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("greet/hi: 9 of 9 before, 0 of 3 now"),
    });
  });

  it("uses a function of the config's folder as a metric", async () => {
    const folder = agentsFolder({
      "echo/root_agent.yaml": AGENT,
      "echo/greet.evalset.json": setOf("Something else"),
      "echo/metrics.ts": "export const polite = (_metric: object, actual: readonly object[]) => actual.length / 2;\n",
      "echo/test_config.json": JSON.stringify({
        criteria: { polite: 0.5 },
        custom_metrics: { polite: { code_config: { name: "metrics.polite" } } },
      }),
    });
    const { exitCode, output } = await fairlead(folder.path, ["eval", "echo"]);
    expect([exitCode, output]).toEqual([0, expect.stringContaining("polite 0.5")]);
  });

  it("finds a set by its id in a file of either name, and says that nothing decides without metrics", async () => {
    const folder = agentsFolder({
      "echo/root_agent.yaml": AGENT,
      "echo/older.test.json": setOf("a"),
      "none.json": '{"criteria":{}}',
    });
    const { exitCode, output } = await fairlead(folder.path, ["eval", "echo", "older:hi", "--config", "none.json"]);
    expect([exitCode, output]).toEqual([
      1,
      expect.stringContaining("greet/hi: The config names no metric by which the case could pass."),
    ]);
  });

  it("is ended by Ctrl-C with the number of runs that are done, and closes the agent", async () => {
    const folder = agentsFolder({ "slow/agent.ts": SLOW_AGENT, "slow/greet.evalset.json": setOf("a") });
    const { exitCode, output } = await fairlead(folder.path, ["eval", "slow", "--repeat", "2"]);
    expect([exitCode, output]).toEqual([
      2,
      expect.stringContaining("The evaluation was cancelled after 1 of 2 runs, of which 0 passed."),
    ]);
    expect(output).toContain("The agent is closed.");
  });

  it.each([
    [["eval", "echo", "none"], "There is no file echo/none.evalset.json."],
    [["eval", "echo", "greet:hi,other"], "The set greet has no case other."],
    [["eval", "nowhere", "echo/greet.evalset.json"], "nowhere"],
    [["eval", "nowhere"], "There is no folder nowhere. Apps: echo, empty, throws."],
    [["eval", "ecko"], 'There is no folder ecko: did you mean "echo"? Apps: echo, empty, throws.'],
    [["eval", "no/where"], "There is no folder no/where: name the folder of an app."],
    [["eval", "echo", "--junit", "wrong.json/report.xml"], "--junit: nothing can be written to the folder wrong.json"],
    [["eval", "empty"], "has no evaluation sets"],
    [["eval", "echo", "--config", "none.json"], "There is no file none.json."],
    [["eval", "echo", "--config", "wrong.json"], "config.criteria.a must be a number"],
    [["eval", "throws"], "the disk of the author is missing"],
    [["eval", "echo", "--repeat", "0"], "give a whole number from 1 to 1000"],
    [["eval", "echo", "--baseline", "wrong.json"], "baseline.cases is missing"],
    [["eval", "echo", "other/broken.evalset.json"], "other/broken.evalset.json: broken.evalset.json is not valid JSON"],
  ])("exits with 2 if it cannot run: %j", async (args, message) => {
    verifies("platform:evaluation:command");
    const folder = agentsFolder({
      "echo/root_agent.yaml": AGENT,
      "echo/greet.evalset.json": setOf("a"),
      "empty/root_agent.yaml": AGENT,
      "throws/agent.ts": 'throw new Error("the disk of the author is missing");\n',
      "throws/greet.evalset.json": setOf("a"),
      "wrong.json": '{"criteria":{"a":"high"}}',
      "other/broken.evalset.json": "{",
    });
    const { exitCode, output } = await fairlead(folder.path, args);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(message)]);
  });
});
