import type { JsonObject } from "#kit/platform/json.ts";
import { type ReceivedRequest, startModernServer } from "#test/helpers/mcp/modern-server.ts";

/** A call that the server answers with a question, or one that answers it. */
export type CallKind = "question" | "answer";

/** A call with an answer, which the server has carried out. */
interface Effect {
  readonly requestState: unknown;
  readonly note: unknown;
}

const TAG = { tag: { type: "string" } };
const NOTE = { note: { type: "string" } };
const BOOK = { name: "book", description: "Books.", inputSchema: { type: "object", properties: TAG } };

/** An MCP server whose only tool, `book`, asks the user for a note before it does anything. */
export class AskingServer implements AsyncDisposable {
  /** The states that the server has given out. */
  readonly issued: string[] = [];
  readonly effects: Effect[] = [];
  /** Awaited before each answer to a call, with the process that made the call. */
  beforeAnswer: ((kind: CallKind, pid: number) => Promise<void> | void) | undefined;
  #server: Awaited<ReturnType<typeof startModernServer>> | undefined;

  static async start(): Promise<AskingServer> {
    const asking = new AskingServer();
    asking.#server = await startModernServer({ tools: [BOOK], call: (request) => asking.#call(request) });
    return asking;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #call({ params, headers }: ReceivedRequest): Promise<JsonObject> {
    const pid = Number(headers["x-runner-pid"]);
    const { requestState, inputResponses } = params;
    if (inputResponses === undefined) {
      // Characters that a text loses when it is parsed, normalised or trimmed on its way.
      const state = ` {"n":${this.issued.length + 1}.0, "odd":"e\u0301 \u2028\u0000 \\u0041 🚲"}\n`;
      this.issued.push(state);
      await this.beforeAnswer?.("question", pid);
      const who = {
        method: "elicitation/create",
        params: { mode: "form", message: "A note?", requestedSchema: { type: "object", properties: NOTE } },
      };
      return { resultType: "input_required", inputRequests: { who }, requestState: state };
    }
    const { who } = inputResponses as { readonly who?: { readonly content?: { readonly note?: string } } };
    this.effects.push({ requestState, note: who?.content?.note });
    const place = `place ${this.effects.length}`;
    await this.beforeAnswer?.("answer", pid);
    return { content: [{ type: "text", text: place }] };
  }
}
