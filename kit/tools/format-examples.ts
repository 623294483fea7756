import type { Content, Part } from "../events/content.ts";
import type { JsonValue } from "../platform/json.ts";

/** An example of a good answer. */
export interface Example {
  readonly input: Content;
  /** The answer, including calls and their responses. */
  readonly output: readonly Content[];
}

/** Finds examples for the user's message. */
export interface BaseExampleProvider {
  getExamples(query: string): readonly Example[] | Promise<readonly Example[]>;
}

const HEAD = "<EXAMPLES>\nBegin few-shot\nHow earlier questions were answered well, with the tools there are:\n";
const TAIL = "End few-shot\nAnswer the conversation below in the same way.\n</EXAMPLES>";

/** The examples as text of a system instruction. */
export function formatExamples(examples: readonly Example[]): string {
  return `${HEAD}\n${examples.map(formatExample).join("\n")}\n${TAIL}`;
}

function formatExample({ input, output }: Example, index: number): string {
  const lines = [`EXAMPLE ${index + 1}:`, "Begin example"];
  let speaker = "";
  for (const content of [{ ...input, role: "user" }, ...output]) {
    for (const part of content.parts ?? []) {
      const block = formatPart(part);
      if (block === undefined) continue;
      const role = speakerOf(content);
      if (role !== speaker) lines.push(`[${role}]`);
      speaker = role;
      lines.push(block);
    }
  }
  return [...lines, "End example", ""].join("\n");
}

function speakerOf({ role }: Content): string {
  return role === "user" ? "user" : "model";
}

function formatPart({ text, functionCall, functionResponse }: Part): string | undefined {
  if (functionCall !== undefined) {
    const args = Object.entries(functionCall.args ?? {}).map(([key, value]) => `${key}=${literal(value)}`);
    return fence("tool_code", `${functionCall.name ?? ""}(${args.join(", ")})`);
  }
  if (functionResponse !== undefined) return fence("tool_outputs", JSON.stringify(functionResponse.response ?? {}));
  return text;
}

function literal(value: JsonValue): string {
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}
