import type { Content, Part } from "#kit/events/content.ts";
import { type FunctionDeclaration, LlmRequest } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A request of any protocol as the kit's, for a model that answers behind the wire. */
export function readRequest(body: JsonObject): LlmRequest {
  const { instruction, contents, tools, schema } = partsOf(body);
  const responseSchema = schema ?? describedSchema(instruction);
  const request = new LlmRequest({
    model: "demo",
    contents: [...contents],
    ...(responseSchema !== undefined && { config: { responseSchema } }),
  });
  request.appendInstructions(instruction);
  request.appendTools(...tools.map((tool) => ({ name: tool.name, getDeclaration: () => tool })));
  return request;
}

interface RequestParts {
  readonly instruction: string;
  readonly contents: readonly Content[];
  readonly tools: readonly FunctionDeclaration[];
  readonly schema: JsonObject | undefined;
}

function partsOf(body: JsonObject): RequestParts {
  if (body["contents"] !== undefined) return ofGemini(body);
  return body["max_tokens"] !== undefined && isClaude(body) ? ofClaude(body) : ofOpenAi(body);
}

/** Claude's tools have their schema themselves, and its instruction is not a message. */
function isClaude(body: JsonObject): boolean {
  const roles = objectsOf(body["messages"]).map(({ role }) => role);
  return !roles.includes("system") && !objectsOf(body["tools"]).some((tool) => tool["function"] !== undefined);
}

function ofGemini(body: JsonObject): RequestParts {
  const config = objectOf(body["generationConfig"]);
  const declared = objectsOf(body["tools"]).flatMap((tool) => objectsOf(tool["functionDeclarations"]));
  return {
    instruction: textsOf(objectOf(body["systemInstruction"])["parts"]),
    // The protocol's contents are the kit's.
    contents: objectsOf(body["contents"]) as readonly Content[],
    tools: declared.map(({ name, description, parametersJsonSchema }) =>
      toolOf(name, description, parametersJsonSchema),
    ),
    schema: schemaOf(config["responseJsonSchema"]),
  };
}

function ofOpenAi(body: JsonObject): RequestParts {
  const messages = objectsOf(body["messages"]);
  const isInstruction = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
  const names = new Map<string, string>();
  const contents: Content[] = [];
  for (const message of messages.filter((one) => !isInstruction(one))) {
    const { role, content } = message;
    for (const call of objectsOf(message["tool_calls"]))
      names.set(stringOf(call["id"]), stringOf(objectOf(call["function"])["name"]));
    if (role === "assistant") contents.push({ role: "model", parts: [...textParts(content), ...callParts(message)] });
    else if (role === "tool") join(contents, responsePart(names, stringOf(message["tool_call_id"]), textsOf(content)));
    else contents.push({ role: "user", parts: textParts(content) });
  }
  return {
    instruction: textsOf(messages.find(isInstruction)?.["content"]),
    contents: contents.filter(({ parts }) => parts?.length !== 0),
    tools: objectsOf(body["tools"]).map((tool) => {
      const { name, description, parameters } = objectOf(tool["function"]);
      return toolOf(name, description, parameters);
    }),
    schema: schemaOf(objectOf(objectOf(body["response_format"])["json_schema"])["schema"]),
  };
}

function callParts(message: JsonObject): readonly Part[] {
  return objectsOf(message["tool_calls"]).map(({ id, function: called }) => {
    const { name, arguments: args } = objectOf(called);
    return { functionCall: { id: stringOf(id), name: stringOf(name), args: JSON.parse(stringOf(args)) as JsonObject } };
  });
}

function ofClaude(body: JsonObject): RequestParts {
  const names = new Map<string, string>();
  const contents: Content[] = [];
  for (const { role, content } of objectsOf(body["messages"])) {
    for (const block of blocksOf(content)) {
      const { type, id, name, input, text, tool_use_id } = block;
      if (type === "tool_use") {
        names.set(stringOf(id), stringOf(name));
        join(contents, { functionCall: { id: stringOf(id), name: stringOf(name), args: objectOf(input) } }, "model");
      }
      if (type === "tool_result") join(contents, responsePart(names, stringOf(tool_use_id), textsOf(block["content"])));
      if (type === "text") addText(contents, stringOf(text), role === "assistant" ? "model" : "user");
    }
  }
  return {
    instruction: textsOf(body["system"]),
    contents,
    tools: objectsOf(body["tools"]).map(({ name, description, input_schema }) =>
      toolOf(name, description, input_schema),
    ),
    schema: schemaOf(objectOf(objectOf(body["output_config"])["format"])["schema"]),
  };
}

/** This protocol joins adjacent messages. What another agent did is in the texts behind "For context". */
function addText(contents: Content[], text: string, role: string): void {
  const last = contents.at(-1);
  const isContext = last?.role === "user" && last.parts?.[0]?.text?.startsWith("For context:") === true;
  if (role === "model" || (isContext && /^\[|QUOTE/.test(text))) return join(contents, { text }, role);
  contents.push({ role, parts: [{ text }] });
}

/** Adds the part to the newest content, if that has the same role, and responses if the part is one. */
function join(contents: Content[], part: Part, role = "user"): void {
  const last = contents.at(-1);
  const isOfOneKind =
    last?.role === role && (part.functionResponse === undefined || last.parts?.[0]?.functionResponse !== undefined);
  if (isOfOneKind) contents[contents.length - 1] = { role, parts: [...(last.parts ?? []), part] };
  else contents.push({ role, parts: [part] });
}

function responsePart(names: ReadonlyMap<string, string>, id: string, text: string): Part {
  return { functionResponse: { id, name: names.get(id) ?? "", response: parsed(text) ?? { result: text } } };
}

/** The schema in an instruction, for servers that take none of its form. */
function describedSchema(instruction: string): JsonObject | undefined {
  const mark = "It has to match this JSON Schema: ";
  const start = instruction.indexOf(mark);
  return start === -1 ? undefined : parsed(instruction.slice(start + mark.length).split("\n")[0] ?? "");
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toolOf(name: JsonValue = "", description: JsonValue = "", parameters: JsonValue = {}): FunctionDeclaration {
  return { name: stringOf(name), description: stringOf(description), parameters: objectOf(parameters) };
}

function schemaOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function textParts(content: JsonValue | undefined): Part[] {
  return blocksOf(content).flatMap(({ text }) => (typeof text === "string" ? [{ text }] : []));
}

function textsOf(content: JsonValue | undefined): string {
  return textParts(content)
    .map(({ text }) => text)
    .join("\n\n");
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
