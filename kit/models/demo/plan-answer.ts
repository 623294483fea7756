import { type Content, type FunctionResponse, type Part, textOf } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { FunctionDeclaration, LlmRequest } from "../llm-request.ts";
import { deriveArgumentSets, deriveArguments, topicOf } from "./arguments.ts";
import { decideNext, isDecision } from "./decide-next.ts";
import type { DemoAnswer, DemoScript } from "./scripts.ts";
import { best, shared } from "./shared-words.ts";

const MARK = "(demo model)";
const TRANSFER = "transfer_to_agent";
const AGENT_NAME = "Agent name: ";
const AGENT_DESCRIPTION = "Agent description: ";

/** The members of a request that the script looks at. */
export type PlannedRequest = Pick<LlmRequest, "contents" | "config" | "systemInstruction" | "functionDeclarations">;

/** The demo model's answer: always the same for the same request. */
export function planAnswer(request: PlannedRequest, script: DemoScript): readonly Part[] {
  const text = userText(request.contents);
  const schema = request.config.responseSchema;
  if (schema !== undefined && isDecision(schema)) return [{ text: JSON.stringify(decideNext(schema, text)) }];
  const responses = newResponses(request.contents);
  if (responses.length > 0 && schema === undefined)
    return say(script.report.replace("${facts}", () => responses.map(factsOf).join(" ")));
  const calls = responses.length > 0 ? [] : chooseCalls(request, script, text);
  if (calls.length > 0) return calls;
  if (schema !== undefined) return [{ text: JSON.stringify(deriveArguments(schema, text) ?? {}) }];
  const { call, text: words = "" } = answerOf(script, request.systemInstruction) ?? {};
  if (call !== undefined && request.functionDeclarations.some(({ name }) => name === call))
    return [{ functionCall: { name: call, args: {} } }];
  return say(fill(words, text, request.functionDeclarations));
}

function say(text: string): readonly Part[] {
  return [{ text: `${MARK} ${text}` }];
}

/** What agents relay, also in a message of the user: another server's message has both. */
const RELAYED = /^(?:For context:|\[\w+\] (?:said|called|tool)\b)/;

/** The newest text of the user that no agent relayed. */
function userText(contents: readonly Content[]): string {
  for (const { role, parts = [] } of contents.toReversed()) {
    const own = parts.filter(({ text = "" }) => !RELAYED.test(text));
    const text = role === "user" ? textOf({ role, parts: own }) : "";
    if (text !== "") return text;
  }
  return "";
}

function newResponses(contents: readonly Content[]): readonly FunctionResponse[] {
  return (contents.at(-1)?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []);
}

function chooseCalls(request: PlannedRequest, script: DemoScript, text: string): readonly Part[] {
  const tool = bestTool(request.functionDeclarations, script, text);
  if (tool !== undefined) {
    const sets = deriveArgumentSets(tool.parameters ?? {}, text);
    if (sets.length > 0) return sets.map((args) => ({ functionCall: { name: tool.name, args } }));
  }
  const agent = bestAgent(request, text);
  return agent === undefined ? [] : [{ functionCall: { name: TRANSFER, args: { agent_name: agent } } }];
}

function bestTool(
  tools: readonly FunctionDeclaration[],
  { triggers }: DemoScript,
  text: string,
): FunctionDeclaration | undefined {
  const score = ({ name, description = "" }: FunctionDeclaration): number =>
    (triggers.some(({ tool, when }) => tool.test(name) && when.test(text)) ? 10 : 0) +
    3 * shared(name, text) +
    shared(description, text);
  return best(
    tools.filter(({ name }) => name !== TRANSFER),
    score,
    2,
  );
}

/** The agent to transfer to, if its description fits the text better than this agent's own. */
function bestAgent({ functionDeclarations, systemInstruction }: PlannedRequest, text: string): string | undefined {
  const parameters = functionDeclarations.find(({ name }) => name === TRANSFER)?.parameters?.["properties"];
  const target = isJsonObject(parameters) ? parameters["agent_name"] : undefined;
  const names = isJsonObject(target) && Array.isArray(target["enum"]) ? target["enum"].map(String) : [];
  const own = shared(between(systemInstruction, 'description about you is "', '".'), text);
  const descriptions = describedAgents(systemInstruction);
  return best(names, (name) => 3 * shared(name, text) + shared(descriptions.get(name) ?? "", text), own);
}

/** The agents of the instruction's list of transfer targets, which has two lines for each. */
function describedAgents(instruction: string): ReadonlyMap<string, string> {
  const lines = instruction.split("\n");
  const found = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (line.startsWith(AGENT_NAME) && next?.startsWith(AGENT_DESCRIPTION) === true)
      found.set(line.slice(AGENT_NAME.length), next.slice(AGENT_DESCRIPTION.length));
  }
  return found;
}

function between(text: string, before: string, after: string): string {
  const start = text.indexOf(before);
  const end = start < 0 ? -1 : text.indexOf(after, start + before.length);
  return end < 0 ? "" : text.slice(start + before.length, end);
}

function answerOf({ answers }: DemoScript, systemInstruction: string): DemoAnswer | undefined {
  const name = /internal name is "(.*?)"/.exec(systemInstruction)?.[1] ?? "";
  return (
    answers.find(({ when }) => when?.test(name)) ??
    answers.find(({ when }) => when === undefined || when.test(systemInstruction))
  );
}

function fill(template: string, text: string, tools: readonly FunctionDeclaration[]): string {
  const topic = topicOf(text);
  const names = tools.map(({ name }) => name).filter((name) => name !== TRANSFER);
  const values: Record<string, string> = {
    text,
    topic,
    Topic: topic.charAt(0).toUpperCase() + topic.slice(1),
    tools: names.length === 0 ? "" : ` I can call: ${names.join(", ")}.`,
  };
  return template.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** A tool's answer in words: its own sentence if it has one, or else all its values. */
function factsOf({ name = "The tool", response = {} }: FunctionResponse): string {
  const { error, report, result, message, summary, text } = response;
  if (error !== undefined) return `${name} failed: ${plain(error).replace(/\.$/, "")}.`;
  const sentence = [report, result, summary, message, text, textOfBlocks(response["content"])].find(
    (value) => typeof value === "string",
  );
  return sentence === undefined ? `${plain(isJsonObject(result) ? result : response)}.` : String(sentence);
}

/** The texts of an MCP server's answer; undefined for another value. */
function textOfBlocks(content: JsonValue | undefined): string | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const texts = content.map((block) => (isJsonObject(block) ? block["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join(" ") : undefined;
}

function plain(value: JsonValue | JsonObject): string {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(
      ([key, inner]) =>
        `${key
          .replace(/([a-z])([A-Z])/g, "$1 $2")
          .replaceAll("_", " ")
          .toLowerCase()}: ${plain(inner)}`,
    )
    .join(", ");
}
