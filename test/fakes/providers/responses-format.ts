import { firstProblem, listOf, membersOf, type ProviderFormat, type Said, textOfSaid } from "./provider-format.ts";

// https://platform.openai.com/docs/api-reference/responses and …/responses-streaming.
const ITEMS = new Set(["message", "function_call", "function_call_output", "reasoning", "item_reference"]);
const CONTENTS = new Set(["input_text", "output_text", "input_image", "input_file"]);
const USAGE = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 12,
};

/** OpenAI's Responses API; `isAllowed` checks path and key. */
export function responsesFormat(isAllowed: ProviderFormat["isStreamed"]): ProviderFormat {
  return {
    streamType: "text/event-stream",
    isStreamed: ({ body }) => membersOf(body)["stream"] === true,
    problemOf: (request) => {
      const { model, input } = membersOf(request.body);
      return firstProblem(
        [isAllowed(request), `neither path nor key of the API: ${request.path}`],
        [typeof model === "string", "model is missing"],
        [listOf(input).length > 0, "input is empty"],
        ...listOf(input).flatMap((item) => {
          const { type = "message", content } = membersOf(item);
          const kinds = listOf(content).map((part) => `${membersOf(part)["type"]}`);
          return [
            [ITEMS.has(`${type}`), `unknown item ${type}`],
            [kinds.every((kind) => CONTENTS.has(kind)), `unknown content among ${kinds}`],
          ] as const;
        }),
      );
    },
    whole: (said) => responseOf([itemOf(said, "completed")], "completed"),
    stream: (said) => {
      const events: readonly object[] = [
        { type: "response.created", response: responseOf([], "in_progress") },
        { type: "response.output_item.added", output_index: 0, item: itemOf(emptied(said), "in_progress") },
        ...deltasOf(said),
        { type: "response.output_item.done", output_index: 0, item: itemOf(said, "completed") },
        { type: "response.completed", response: responseOf([itemOf(said, "completed")], "completed") },
      ];
      return events.map((event, index) => {
        const { type } = membersOf(event);
        return `event: ${type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`;
      });
    },
  };
}

function responseOf(output: readonly object[], status: string): object {
  return {
    ...{ id: "resp_1", object: "response", created_at: 1_767_225_600, model: "deployed-1", status, output },
    ...{ error: null, incomplete_details: null, usage: status === "completed" ? USAGE : null },
  };
}

function itemOf(said: Said, status: string): object {
  if (said.kind === "call") {
    const args = Object.keys(said.args).length === 0 && status === "in_progress" ? "" : JSON.stringify(said.args);
    return { type: "function_call", id: "fc_1", call_id: "call_1", name: said.name, arguments: args, status };
  }
  const content = status === "completed" ? [{ type: "output_text", text: textOfSaid(said), annotations: [] }] : [];
  return { type: "message", id: "msg_1", role: "assistant", status, content };
}

function emptied(said: Said): Said {
  return said.kind === "call" ? { ...said, args: {} } : said;
}

function deltasOf(said: Said): readonly object[] {
  if (said.kind === "text")
    return said.pieces.map((delta) => {
      return { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta };
    });
  const text = JSON.stringify(said.args);
  return [
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: text },
    { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: text },
  ];
}
