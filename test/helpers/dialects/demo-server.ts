import { DemoModel } from "#kit/models/demo/demo-model.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { WireRequest, WireServer } from "#test/helpers/servers/wire-server.ts";
import type { Answer } from "./answer.ts";
import type { Dialect } from "./dialect.ts";
import { startDialectServer } from "./dialect-server.ts";
import { readRequest } from "./read-request.ts";

/** Divides the name of a server's model from that of the script with which it answers. */
const MARK = "--";

export function demoName(dialect: Dialect, script: string): string {
  return `${dialect.model}${MARK}${script.replace("demo/", "")}`;
}

/** A server whose models answer as the demo models do, in its dialect, with a thought before each answer. */
export async function startDemoServer(dialect: Dialect): Promise<WireServer> {
  return startDialectServer(async (body, request) => ({
    dialect,
    answer: await answerTo(body, scriptOf(body, request)),
    cuts: [1997, 13, 811],
  }));
}

function scriptOf(body: JsonObject, { path }: WireRequest): string {
  const name = typeof body["model"] === "string" ? body["model"] : decodeURIComponent(path).split(":")[0];
  return `demo/${name?.split(MARK)[1] ?? "chat"}`;
}

async function answerTo(body: JsonObject, model: string): Promise<Answer> {
  const signal = new AbortController().signal;
  const answers = new DemoModel({ model }).generateContentAsync(readRequest(body), { stream: false, signal });
  const [answer] = await Array.fromAsync(answers);
  const parts = answer?.content?.parts ?? [];
  return {
    thought: "Let me think.",
    text: parts.map(({ text = "" }) => text).join(""),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? "", args: functionCall.args ?? {} }],
    ),
    end: "done",
    usage: { prompt: 10, output: 5, thoughts: 3, cached: 0 },
  };
}
