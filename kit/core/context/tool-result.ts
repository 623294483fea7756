import type { Part } from "#kit/events/content.ts";

/** A tool's result with media that the model also gets, such as images. */
export class ToolResult {
  readonly response: unknown;
  /** Parts with `inlineData`. */
  readonly media: readonly Part[];

  constructor({ response, media }: Pick<ToolResult, "response" | "media">) {
    this.response = response;
    this.media = media;
  }
}
