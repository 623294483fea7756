import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { DirectoryAgentFiles } from "./directory-agent-files.ts";

const HEAD = "name: a\ninstruction: x\n";

async function problemOf(
  text: string,
  stored: Readonly<Record<string, string>> = {},
  path = "root_agent.yaml",
): Promise<string> {
  const folder = agentsFolder(stored);
  const editor = new DirectoryAgentFiles(folder.path);
  const refused: string[] = [];
  for (const temporary of [true, false]) {
    const outcome: unknown = await editor
      .save("shop", new Map([[path, text]]), { temporary })
      .catch((error: unknown) => error);
    if (outcome instanceof Error) refused.push(outcome.message);
  }
  expect(new Set(refused).size).toBeLessThan(2);
  return refused.length === 0 ? "saved" : (refused[0] ?? "");
}

const FIX = "write it into the file itself, where the app is deployed from.";

describe("the permitted fields of a definition that is saved over HTTP", () => {
  it.each([
    ["modelCode: {name: m}", `3:1 The field "modelCode" cannot be saved over HTTP: ${FIX}`],
    ["model_code: {name: m}", `3:1 The field "model_code" cannot be saved over HTTP: ${FIX}`],
    ["codeExecutor: {name: unsafe}", `3:1 The field "codeExecutor" cannot be saved over HTTP: ${FIX}`],
    ["planner: {name: p}", `3:1 The field "planner" cannot be saved over HTTP: ${FIX}`],
    ["executor: {name: e}", `3:1 The field "executor" cannot be saved over HTTP: ${FIX}`],
    ["plugins: [{name: p}]", `3:1 The field "plugins" cannot be saved over HTTP: ${FIX}`],
    ["httpOptions: {baseUrl: 'http://x'}", `3:1 The field "httpOptions" cannot be saved over HTTP: ${FIX}`],
    ["labels: {a: b}", `3:1 The field "labels" cannot be saved over HTTP: ${FIX}`],
    [
      "generate_content_config: {http_options: {base_url: 'http://x'}}",
      `3:1 "generate_content_config" cannot have "httpOptions" over HTTP: ${FIX}`,
    ],
    [
      "generateContentConfig: {modelTools: [{mcpServers: []}]}",
      `3:1 "generateContentConfig" cannot have "modelTools" over HTTP: ${FIX}`,
    ],
    [
      "agentClass: MyAgent",
      `3:1 "agentClass" cannot be "MyAgent" over HTTP: use LlmAgent, SequentialAgent, ParallelAgent or LoopAgent, or ${FIX}`,
    ],
    [
      "model: gemini-x/../../files",
      '3:1 "model" is not a name of a model: use letters, digits and . _ : @ - with single slashes between them.',
    ],
    [
      "model: openai/http://x",
      '3:1 "model" is not a name of a model: use letters, digits and . _ : @ - with single slashes between them.',
    ],
    [
      "subAgents: [{code: maker}]",
      `3:1 "subAgents" cannot have "code" over HTTP: name a file of the app with "config_path", or ${FIX}`,
    ],
    [
      "tools: [{name: t, args: {command: rm}}]",
      `3:19 The argument "command" of the tool "t" cannot be saved over HTTP: ${FIX}`,
    ],
    ["tools: [{name: t, url: x}]", `3:9 The field "url" of a tool cannot be saved over HTTP: ${FIX}`],
    [
      "tools: [{name: google.adk.tools.AgentTool, args: {agent: {code: m}}}]",
      `3:44 The "agent" of the tool "google.adk.tools.AgentTool" cannot have "code" over HTTP: name a file of the app with "config_path", or ${FIX}`,
    ],
  ])("refuses %s", async (line, problem) => {
    expect(await problemOf(`${HEAD}${line}\n`)).toBe(`root_agent.yaml:${problem}`);
  });

  it("refuses the file of the app's settings", async () => {
    expect(await problemOf("plugins: []", {}, "app.yaml")).toBe(
      `"app.yaml" holds the app's settings, which cannot be saved over HTTP: change the file itself.`,
    );
  });

  it("accepts data, in both spellings", async () => {
    const data = `model: openai/gpt-5
output_key: answer
disallowTransferToPeers: true
generateContentConfig: {temperature: 0.5, tool_config: {function_calling_config: {mode: ANY}}}
tools: [{name: google_search}, {name: LongRunningFunctionTool, args: {func: ask}}]
before_model_callbacks: [{name: check}]
`;
    expect(await problemOf(HEAD + data)).toBe("saved");
  });

  it("accepts values that the stored definition has already, and no others", async () => {
    const own = `${HEAD}modelCode: {name: m}\ntools: [{name: t, args: {url: ours}}]\nsubAgents: [{code: maker}]\n`;
    const stored = { "shop/root_agent.yaml": own };
    expect(await problemOf(own, stored)).toBe("saved");
    expect(await problemOf(own.replace("instruction: x", "instruction: y"), stored)).toBe("saved");
    expect(await problemOf(own.replace("ours", "theirs"), stored)).toContain('The argument "url" of the tool "t"');
    expect(await problemOf(own.replace("{name: m}", "{name: other}"), stored)).toContain('The field "modelCode"');
  });
});
