import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** What a live connection returns, as it arrives. */
export class Talk {
  readonly responses: LlmResponse[] = [];
  error: unknown;
  isOver = false;
  /** Resolves when the connection has ended. */
  readonly over: Promise<void>;

  constructor(connection: BaseLlmConnection) {
    this.over = this.#read(connection);
  }

  /** The finished transcriptions and texts, with the speaker in front. */
  get said(): readonly string[] {
    return this.responses.flatMap(({ inputTranscription, outputTranscription, content, partial }) => {
      if (inputTranscription?.finished === true) return [`user: ${inputTranscription.text}`];
      if (outputTranscription?.finished === true) return [`model: ${outputTranscription.text}`];
      const text = content?.parts?.map((part) => part.text ?? "").join("");
      return partial === true || text === undefined || text === "" ? [] : [`model: ${text}`];
    });
  }

  with<Name extends keyof LlmResponse>(name: Name): readonly NonNullable<LlmResponse[Name]>[] {
    return this.responses.map((response) => response[name]).filter((value) => value !== undefined && value !== null);
  }

  async #read(connection: BaseLlmConnection): Promise<void> {
    try {
      for await (const response of connection.receive()) this.responses.push(response);
    } catch (error) {
      this.error = error;
    }
    this.isOver = true;
  }
}
