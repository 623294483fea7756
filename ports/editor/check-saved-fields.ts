import type { ConfigEntry, ConfigNode, Position } from "#kit/definitions/yaml/config-node.ts";
import type { ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";
import { camelCase } from "#kit/schema/spelling.ts";
import { fieldName, fieldsOf, simpleClass, simpleTool } from "./agent-fields.ts";
import { type CanonicalDefinition, isSame } from "./canonical-definition.ts";

/** The context in which an uploaded definition is checked. */
export interface SavedFieldsCheck {
  readonly given: CanonicalDefinition;
  /** The definition of this agent in the app's folder: values that it has already may be saved again. */
  readonly stored: CanonicalDefinition | undefined;
  readonly problems: ProblemList;
}

type Check = (value: JsonValue) => string | undefined;

const anything: Check = () => undefined;

/**
 * The fields that clients may set over HTTP, each with its check. Their data refers to nothing outside the
 * conversation. No other field can be set over HTTP.
 */
const ALLOWED: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...[
    "name",
    "description",
    "instruction",
    "staticInstruction",
    "globalInstruction",
    "instructionTemplates",
    "includeContents",
    "inputSchema",
    "outputSchema",
    "outputKey",
    "disallowTransferToParent",
    "disallowTransferToPeers",
    "maxSteps",
    "maxIterations",
    "beforeAgentCallbacks",
    "afterAgentCallbacks",
    "beforeModelCallbacks",
    "afterModelCallbacks",
    "onModelErrorCallbacks",
    "beforeToolCallbacks",
    "afterToolCallbacks",
    "onToolErrorCallbacks",
  ].map((name): [string, Check] => [name, anything]),
  ["agentClass", checkClass],
  ["model", checkModel],
  ["subAgents", (value) => (Array.isArray(value) ? firstProblem(value, checkRef) : undefined)],
  ["generateContentConfig", checkGenerateContentConfig],
]);

/** Settings of the model that only affect the request's body and name no resource of the operator. */
export const ALLOWED_MODEL_SETTINGS: ReadonlySet<string> = new Set([
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "maxOutputTokens",
  "stopSequences",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "responseMimeType",
  "responseSchema",
  "responseModalities",
  "safetySettings",
  "thinkingConfig",
  "toolConfig",
]);

const FIX = "write it into the file itself, where the app is deployed from";

/** Reports every field that may not be set over HTTP. Values that the stored definition has already are accepted. */
export function checkSavedFields(node: ConfigNode, { given, stored, problems }: SavedFieldsCheck): void {
  if (node.kind !== "map") {
    problems.add("Expected a map of fields.", node.at);
    return;
  }
  for (const entry of node.entries) {
    const name = fieldName(entry.key);
    const value = given.get(name);
    if (value === undefined || isSame(value, stored?.get(name))) continue;
    if (name === "tools") checkTools(entry, value, stored, problems);
    else report(problems, entry.at, problemOf(entry.key, name, value));
  }
}

function problemOf(key: string, name: string, value: JsonValue): string | undefined {
  const check = ALLOWED.get(name);
  if (check === undefined) return `The field "${key}" cannot be saved over HTTP: ${FIX}.`;
  const problem = check(value);
  return problem === undefined ? undefined : `"${key}" ${problem}`;
}

function checkTools(
  entry: ConfigEntry,
  value: JsonValue,
  stored: CanonicalDefinition | undefined,
  problems: ProblemList,
): void {
  if (!Array.isArray(value)) return;
  const known = stored?.get("tools");
  value.forEach((tool: JsonValue, index) => {
    if (Array.isArray(known) && known.some((other) => isSame(other, tool))) return;
    const node = entry.value.kind === "list" ? entry.value.items[index] : undefined;
    const args = node?.kind === "map" ? node.entries.find(({ key }) => key === "args") : undefined;
    report(problems, args?.at ?? node?.at ?? entry.at, toolProblem(tool));
  });
}

/** Arguments determine what a tool can reach. Only those that name an agent or a tool of this app are safe. */
const TOOL_ARGS: Readonly<Record<string, ReadonlySet<string>>> = {
  AgentTool: new Set(["agent", "skipSummarization"]),
  LongRunningFunctionTool: new Set(["func"]),
};

function toolProblem(tool: JsonValue): string | undefined {
  if (!isJsonObject(tool)) return undefined;
  const { name, args, ...others } = tool;
  const [other] = Object.keys(others);
  if (other !== undefined) return `The field "${other}" of a tool cannot be saved over HTTP: ${FIX}.`;
  if (typeof name !== "string" || !isJsonObject(args)) return undefined;
  const simple = simpleTool(name);
  const allowed = Object.hasOwn(TOOL_ARGS, simple) ? TOOL_ARGS[simple] : undefined;
  const refused = Object.keys(args).find((key) => allowed?.has(key) !== true);
  if (refused !== undefined)
    return `The argument "${refused}" of the tool "${name}" cannot be saved over HTTP: ${FIX}.`;
  const agent = args["agent"];
  const problem = agent === undefined ? undefined : checkRef(agent);
  return problem === undefined ? undefined : `The "agent" of the tool "${name}" ${problem}`;
}

function checkClass(value: JsonValue): string | undefined {
  if (typeof value !== "string" || fieldsOf(simpleClass(value)) !== undefined) return undefined;
  return `cannot be "${shorten(value)}" over HTTP: use LlmAgent, SequentialAgent, ParallelAgent or LoopAgent, or ${FIX}.`;
}

/** A model's name becomes a part of a path at its provider. */
function checkModel(value: JsonValue): string | undefined {
  if (typeof value !== "string") return undefined;
  if (
    value.length <= 200 &&
    !value.includes("..") &&
    /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/.test(value) &&
    !value.includes("//")
  )
    return undefined;
  return "is not a name of a model: use letters, digits and . _ : @ - with single slashes between them.";
}

function checkRef(ref: JsonValue): string | undefined {
  if (!isJsonObject(ref)) return undefined;
  const other = Object.keys(ref).find((key) => camelCase(key) !== "configPath");
  return other === undefined
    ? undefined
    : `cannot have "${other}" over HTTP: name a file of the app with "config_path", or ${FIX}.`;
}

function checkGenerateContentConfig(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const refused = Object.keys(value).find((key) => !ALLOWED_MODEL_SETTINGS.has(key));
  return refused === undefined ? undefined : `cannot have "${refused}" over HTTP: ${FIX}.`;
}

function firstProblem(values: readonly JsonValue[], check: Check): string | undefined {
  for (const value of values) {
    const problem = check(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function report(problems: ProblemList, at: Position, problem: string | undefined): void {
  if (problem !== undefined) problems.add(problem, at);
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
