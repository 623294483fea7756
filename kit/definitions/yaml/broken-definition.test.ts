import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { LLM, problemsOf } from "#test/helpers/worlds/definitions.ts";

describe("a broken definition", () => {
  it("is reported with all names that are not registered", async () => {
    const problems = await problemsOf({
      "root_agent.yaml": `name: root
modle: x
model: lama-3
planner: {name: PlanReactPlanner}
codeExecutor: {name: number}
outputSchema: {name: citi}
tools: [{name: ad}]`,
    });
    expect(problems).toEqual([
      'shop/root_agent.yaml:1:1 "instruction" is missing.',
      'shop/root_agent.yaml:2:1 Unknown field "modle": did you mean "model"?',
      expect.stringMatching(/^shop\/root_agent.yaml:3:1 No model is registered for "lama-3"\./),
      'shop/root_agent.yaml:4:1 No planner "PlanReactPlanner" is registered: did you mean "PlanReActPlanner"?',
      'shop/root_agent.yaml:5:1 "number" is registered, and is not a code executor.',
      'shop/root_agent.yaml:6:1 No schema "citi" is registered: did you mean "city"?',
      'shop/root_agent.yaml:7:10 No tool "ad" is registered: did you mean "add"?',
    ]);
  });

  it("is reported with all its problems, each with its place", async () => {
    verifies("definitions:broken-file");
    const problems = await problemsOf({
      "root_agent.yaml": `name: root
modle: demo/chat
instruction: [1]
includeContents: SOME
disallowTransferToPeers: yes please
generateContentConfig: {temprature: 1, topK: high}
tools: [{name: subtract}, {args: {}}, add]
beforeModelCallbacks: [{name: chekc}]
subAgents:
  - {configPath: missing.yaml}
  - {configPath: other.yaml}
`,
      "other.yaml": "instruction: x\noutputKey:\nmaxSteps: 0\n",
    });
    expect(problems).toEqual([
      'shop/root_agent.yaml:2:1 Unknown field "modle": did you mean "model"?',
      "shop/root_agent.yaml:3:14 Expected text, found a list.",
      'shop/root_agent.yaml:4:18 Expected DEFAULT or NONE, found the text "SOME".',
      'shop/root_agent.yaml:5:26 Expected true or false, found the text "yes please".',
      'shop/root_agent.yaml:6:25 Unknown field "temprature": did you mean "temperature"?',
      'shop/root_agent.yaml:6:46 Expected a number, found the text "high".',
      'shop/root_agent.yaml:7:10 No tool "subtract" is registered.',
      'shop/root_agent.yaml:7:27 "name" is missing.',
      'shop/root_agent.yaml:7:39 Expected a map of fields, found the text "add".',
      'shop/root_agent.yaml:8:25 No callback "chekc" is registered: did you mean "check"?',
      "shop/root_agent.yaml:10:5 missing.yaml does not exist.",
      'shop/other.yaml:1:1 "name" is missing.',
      "shop/other.yaml:3:11 Expected an integer of 1 or more, found 0.",
    ]);
  });

  it.each([
    [
      "an unknown class",
      "agentClass: LmlAgent\nname: a",
      '1:13 No agent class "LmlAgent" is registered: did you mean "LlmAgent"?',
    ],
    ["a class of JavaScript", "agentClass: Function\nname: a", '1:13 No agent class "Function" is registered.'],
    [
      "a prototype's key as class",
      "agentClass: constructor\nname: a",
      '1:13 No agent class "constructor" is registered.',
    ],
    [
      "a limit of passes on what is not a loop",
      "name: a\nagent_class: google.adk.agents.ParallelAgent\nmaxIterations: 2",
      '3:1 Unknown field "maxIterations".',
    ],
    ["fewer passes than none", "name: a\nagentClass: LoopAgent\nmaxIterations: -1", "3:16 Expected an integer of 0 or"],
    ["two models", `${LLM}modelCode: {name: fake}`, '4:1 Give either "model" or "modelCode", not both.'],
    [
      "a model that is not registered",
      "name: a\ninstruction: x\nmodelCode: {name: number}",
      '3:1 "number" is registered, and is not a model.',
    ],
    ["a schema that is not registered", `${LLM}outputSchema: {name: nope}`, '4:1 No schema "nope" is registered.'],
    [
      "a model that nobody serves",
      "name: a\ninstruction: x\nmodel: lama-3",
      '3:1 No model is registered for "lama-3".',
    ],
    [
      "a name that is not an identifier",
      "name: my agent\ninstruction: x",
      '1:1 Agent name "my agent" is not an identifier',
    ],
    ["an empty name", "name:\ninstruction: x", '1:1 "name" is empty.'],
    ["no map", "- name: a", "1:1 Expected a map of fields, found a list."],
    ["fields of another class", "agentClass: SequentialAgent\nname: a\nmodel: demo/chat", '3:1 Unknown field "model"'],
    [
      "one field in two spellings",
      "name: a\ninstruction: x\noutputKey: b\noutput_key: c",
      '4:1 "outputKey" is given in two spellings: keep one.',
    ],
    [
      "one field in two spellings, of which one is empty",
      "name: a\ninstruction: x\noutput_key: c\noutputKey:",
      '4:1 "outputKey" is given in two spellings: keep one.',
    ],
    ["a label without a value", `${LLM}generateContentConfig: {labels: {team: }}`, '4:34 "team" is empty.'],
    ["a reference to nothing", `${LLM}subAgents: [{}]`, '4:13 Give "configPath" or "code".'],
    [
      "a reference to two things",
      `${LLM}subAgents: [{code: a, configPath: b.yaml}]`,
      '4:13 Give either "configPath" or "code", not both.',
    ],
    [
      "a path above the folder",
      `${LLM}subAgents: [{configPath: ../x.yaml}]`,
      `4:13 "../x.yaml" leaves the app's folder`,
    ],
    ["an absolute path", `${LLM}subAgents: [{configPath: /etc/x.yaml}]`, `4:13 "/etc/x.yaml" leaves the app's folder`],
    [
      "a path of Windows",
      `${LLM}subAgents: [{configPath: 'C:\\x.yaml'}]`,
      `4:13 "C:\\x.yaml" has backslashes: write / between folders`,
    ],

    [
      "a file that is not a definition",
      `${LLM}subAgents: [{configPath: agent.ts}]`,
      '4:13 "agent.ts" is not a definition',
    ],
    ["code that is not registered", `${LLM}subAgents: [{code: ./evil.ts}]`, '4:13 No agent "./evil.ts" is registered.'],
    ["code that is not an agent", `${LLM}subAgents: [{code: number}]`, '4:13 No agent "number" is registered'],
    [
      "itself",
      `${LLM}subAgents: [{configPath: root_agent.yaml}]`,
      "4:13 The agents refer to each other in a circle: root_agent.yaml → root_agent.yaml.",
    ],
    [
      "args of a tool that takes none",
      `${LLM}tools: [{name: add, args: {a: 1}}]`,
      '4:21 The tool "add" takes no args here.',
    ],
    [
      "args that a tool refuses",
      `${LLM}tools: [{name: LongRunningFunctionTool, args: {func: nope}}]`,
      '4:41 The tool "LongRunningFunctionTool" cannot be built: "func" should name a tool',
    ],
  ])("with %s is refused", async (_, text, problem) => {
    verifies("definitions:data-only");
    expect(await problemsOf({ "root_agent.yaml": text })).toEqual([
      expect.stringContaining(`shop/root_agent.yaml:${problem}`),
    ]);
  });

  it("that writes an agent in the list, or has fields of an unknown class, is refused with the fix alone", async () => {
    verifies("definitions:registry:module-names");
    const inline = await problemsOf({ "root_agent.yaml": `${LLM}subAgents: [{name: b, model: m}]` });
    expect(inline[0]).toBe(
      "shop/root_agent.yaml:4:13 An agent is named by config_path or code here: write this one in a file of its own, and give its config_path.",
    );
    expect(inline.join()).not.toContain("undefined");
    const unknown = "agent_class: google.adk.agents.llm_agent.LlmAgnt\nname: a\nmodel: m\ninstruction: x\ntools: []";
    expect(await problemsOf({ "root_agent.yaml": unknown })).toEqual([
      expect.stringContaining('1:14 No agent class "google.adk.agents.llm_agent.LlmAgnt" is registered'),
    ]);
  });

  it("whose files refer to each other in a circle is refused", async () => {
    const problems = await problemsOf({
      "root_agent.yaml": `${LLM}subAgents: [{configPath: a.yaml}]`,
      "a.yaml": "name: a\ninstruction: x\nsubAgents:\n  - configPath: sub/../b.yaml",
      "b.yaml": "name: b\ninstruction: x\nsubAgents: [{configPath: a.yaml}]",
    });
    expect(problems).toEqual([
      "shop/b.yaml:3:13 The agents refer to each other in a circle: root_agent.yaml → a.yaml → b.yaml → a.yaml.",
    ]);
  });

  it("that uses a file or a name twice is refused", async () => {
    const problems = await problemsOf({
      "root_agent.yaml": `${LLM}subAgents: [{configPath: a.yaml}, {configPath: a.yaml}, {configPath: b.yaml}]`,
      "a.yaml": "name: a\ninstruction: x",
      "b.yaml": "instruction: x\nname: a",
    });
    expect(problems).toEqual([
      "shop/root_agent.yaml:4:35 a.yaml is in the tree already: an agent has one place in it.",
      'shop/b.yaml:2:1 "a" is the name of a.yaml too: rename one, because names are unique within a tree.',
    ]);
  });

  it("that leaves its folder through a link is refused", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": `${LLM}subAgents: [{configPath: link.yaml}, {configPath: d/x.yaml}]`,
      "secret/x.yaml": LLM,
    });
    symlinkSync(join(folder.path, "secret/x.yaml"), join(folder.path, "shop/link.yaml"));
    symlinkSync(join(folder.path, "secret"), join(folder.path, "shop/d"));
    await expect(new ConfigAgentLoader(folder.path, false).loadAgent("shop")).rejects.toMatchObject({
      problems: [
        {
          file: "shop/root_agent.yaml",
          line: 4,
          column: 13,
          message: "link.yaml leaves the app's folder through a link.",
        },
        {
          file: "shop/root_agent.yaml",
          line: 4,
          column: 38,
          message: "d/x.yaml leaves the app's folder through a link.",
        },
      ],
    });
  });

  it("that is too large, no text or no file is refused", async () => {
    const folder = agentsFolder({
      "shop/root_agent.yaml": `${LLM}subAgents: [{configPath: a.yaml}, {configPath: b.yaml}, {configPath: c.yaml}]`,
      "shop/a.yaml": "#".repeat(300_000),
      "shop/b.yaml": "",
    });
    mkdirSync(join(folder.path, "shop/c.yaml"));
    writeFileSync(join(folder.path, "shop/b.yaml"), Buffer.from([0xff, 0xfe, 0x80]));
    await expect(new ConfigAgentLoader(folder.path, false).loadAgent("shop")).rejects.toMatchObject({
      problems: [
        { message: "a.yaml is over 256 KiB." },
        { message: "b.yaml is not UTF-8 text." },
        { message: "c.yaml is a folder." },
      ],
    });
  });

  it("names no path of the server", async () => {
    const problems = await problemsOf({ "root_agent.yaml": `${LLM}subAgents: [{configPath: missing.yaml}]` });
    expect(problems.join("\n")).not.toContain("/tmp");
  });
});
