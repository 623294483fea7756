import { firstProblem, listOf, membersOf, type ProviderFormat, type Said, textOfSaid } from "./provider-format.ts";

const ROLES = new Set(["system", "user", "assistant", "tool"]);
const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

interface ChatRules {
  /** The id that the provider gives to a call, and takes. */
  readonly callId: string;
  readonly takesId: RegExp;
  /** Whether an image's address is in an object. */
  readonly imageIn: "object" | "text";
}

/** Chat completions as one provider has them. */
function chatFormat({ callId, takesId, imageIn }: ChatRules): ProviderFormat {
  const message = (said: Said): object =>
    said.kind === "text"
      ? { role: "assistant", content: textOfSaid(said) }
      : { role: "assistant", content: "", tool_calls: [callOf(said, callId)] };
  const finish = (said: Said): string => (said.kind === "call" ? "tool_calls" : "stop");
  return {
    streamType: "text/event-stream",
    isStreamed: ({ body }) => membersOf(body)["stream"] === true,
    problemOf: ({ path, headers, body }) => {
      const { model, messages } = membersOf(body);
      return firstProblem(
        [path === "/chat/completions", `unknown path ${path}`],
        [headers.authorization === "Bearer test-key", "no key"],
        [typeof model === "string" && listOf(messages).length > 0, "model or messages are missing"],
        ...listOf(messages).flatMap((one) => {
          const { role, content, tool_call_id, tool_calls } = membersOf(one);
          const ids = [
            ...(role === "tool" ? [tool_call_id] : []),
            ...listOf(tool_calls).map((call) => membersOf(call)["id"]),
          ];
          const images = listOf(content).filter((part) => membersOf(part)["type"] === "image_url");
          return [
            [ROLES.has(`${role}`), `unknown role ${role}`],
            [ids.every((id) => takesId.test(`${id}`)), `id ${ids} is not taken`],
            [images.every((part) => isImage(membersOf(part)["image_url"], imageIn)), "an image has another form"],
          ] as const;
        }),
      );
    },
    whole: (said) => ({
      ...{ id: "cmpl-1", object: "chat.completion", created: 1_767_225_600, model: "served-1", usage: USAGE },
      choices: [{ index: 0, message: message(said), finish_reason: finish(said) }],
    }),
    stream: (said) => {
      const deltas =
        said.kind === "text"
          ? said.pieces.map((content) => ({ role: "assistant", content }))
          : [{ role: "assistant", content: "", tool_calls: [{ index: 0, ...callOf(said, callId) }] }];
      const chunk = (delta: object, finish_reason: string | null, usage?: object): string =>
        `data: ${JSON.stringify({
          ...{ id: "cmpl-1", object: "chat.completion.chunk", created: 1_767_225_600, model: "served-1", usage },
          choices: [{ index: 0, delta, finish_reason }],
        })}\n\n`;
      return [
        ...deltas.map((delta) => chunk(delta, null)),
        chunk({ content: "" }, finish(said), USAGE),
        "data: [DONE]\n\n",
      ];
    },
  };
}

function callOf(said: Extract<Said, { kind: "call" }>, id: string): object {
  return { id, type: "function", function: { name: said.name, arguments: JSON.stringify(said.args) } };
}

function isImage(url: unknown, form: ChatRules["imageIn"]): boolean {
  const address = form === "object" ? membersOf(url)["url"] : url;
  return typeof address === "string" && /^(data:image\/|https:)/.test(address);
}

/** https://docs.mistral.ai/api: ids of calls are nine letters and digits, an image's address is a text. */
export const MISTRAL = chatFormat({ callId: "Ab1Cd2Ef3", takesId: /^[A-Za-z0-9]{9}$/, imageIn: "text" });

/** https://console.groq.com/docs/api-reference */
export const GROQ = chatFormat({ callId: "call_1", takesId: /^.{1,64}$/, imageIn: "object" });

const OLLAMA_USAGE = { done: true, prompt_eval_count: 5, eval_count: 7, total_duration: 1 };

/** https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion */
export const OLLAMA: ProviderFormat = {
  streamType: "application/x-ndjson",
  isStreamed: ({ body }) => membersOf(body)["stream"] !== false,
  problemOf: ({ path, body }) => {
    const { model, messages } = membersOf(body);
    return firstProblem(
      [path === "/chat", `unknown path ${path}`],
      [typeof model === "string" && listOf(messages).length > 0, "model or messages are missing"],
      ...listOf(messages).flatMap((one) => {
        const { role, content, images } = membersOf(one);
        return [
          [ROLES.has(`${role}`), `unknown role ${role}`],
          [typeof content === "string", "content must be a text"],
          [listOf(images).every((image) => /^[A-Za-z0-9+/]+=*$/.test(`${image}`)), "an image must be base64"],
        ] as const;
      }),
    );
  },
  whole: (said) => ({ ...ollamaChunk(said, textOfSaid(said)), ...OLLAMA_USAGE, done_reason: "stop" }),
  stream: (said) => {
    const texts = said.kind === "text" ? said.pieces : [""];
    const lines = texts.map((text) => ({ ...ollamaChunk(said, text), done: false }));
    const last = { ...ollamaChunk({ kind: "text", pieces: [] }, ""), ...OLLAMA_USAGE, done_reason: "stop" };
    return [...lines, last].map((line) => `${JSON.stringify(line)}\n`);
  },
};

function ollamaChunk(said: Said, content: string): object {
  const calls = said.kind === "call" ? [{ function: { name: said.name, arguments: said.args } }] : undefined;
  const message = { role: "assistant", content, ...(calls && { tool_calls: calls }) };
  return { model: "local-1", created_at: "2026-11-01T00:00:00Z", message };
}
