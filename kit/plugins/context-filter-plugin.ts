import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Awaitable } from "#kit/core/context/plugin-chains.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { isMessage } from "#kit/events/content.ts";
import type { Content } from "../events/content.ts";

/** Returns the contents to keep. Must return a new list and not change the entries. */
export type ContextFilter = (contents: readonly Content[]) => Awaitable<readonly Content[]>;

/** Options of a `ContextFilterPlugin`. */
export interface ContextFilterPluginOptions {
  /** The plugin's name; `context_filter` by default. */
  readonly name?: string;
  /** How many turns of the user to keep, with all that followed each; the current one counts. Absent: all. */
  readonly numInvocationsToKeep?: number;
  /** Runs after the trimming. */
  readonly customFilter?: ContextFilter;
}

/**
 * Shortens prompts: only the newest turns are sent to the model. History is not changed. Calls and responses are
 * removed in pairs only. An error of the filter is logged, and the prompt stays unchanged.
 */
export class ContextFilterPlugin implements Plugin {
  readonly name: string;
  readonly #keep: number;
  readonly #customFilter: ContextFilter | undefined;

  constructor(options: ContextFilterPluginOptions = {}) {
    this.name = options.name ?? "context_filter";
    this.#keep = options.numInvocationsToKeep ?? Number.POSITIVE_INFINITY;
    this.#customFilter = options.customFilter;
  }

  async beforeModelCallback(context: CallbackContext, request: ToolLlmRequest): Promise<undefined> {
    try {
      const recent = recentTurns(request.contents, this.#keep);
      const filtered = this.#customFilter === undefined ? recent : await this.#customFilter(recent);
      request.contents = withoutHalfCalls(filtered);
    } catch (error) {
      const { logger } = context.invocationContext.services;
      logger.warn(
        { plugin: this.name, sessionId: context.sessionId, error },
        "context filter failed; nothing filtered",
      );
    }
  }
}

/**
 * The contents from the start of the last `keep` turns of the user on. Consecutive contents of the user, such as
 * relayed events of other agents, are one turn.
 */
function recentTurns(contents: readonly Content[], keep: number): readonly Content[] {
  let turns = 0;
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    if (!startsTurn(contents, index)) continue;
    turns += 1;
    if (turns >= keep) return contents.slice(index);
  }
  return contents;
}

function startsTurn(contents: readonly Content[], index: number): boolean {
  const content = contents[index];
  const before = contents[index - 1];
  return isMessage(content) && !isMessage(before);
}

/** Drops calls whose responses were filtered out, and responses whose calls were: providers refuse such prompts. */
function withoutHalfCalls(contents: readonly Content[]): Content[] {
  const calls = new Set<string>();
  const responses = new Set<string>();
  for (const { parts = [] } of contents) {
    for (const { functionCall, functionResponse } of parts) {
      if (functionCall?.id !== undefined) calls.add(functionCall.id);
      if (functionResponse?.id !== undefined) responses.add(functionResponse.id);
    }
  }
  const isWhole = (id: string | undefined, others: ReadonlySet<string>): boolean => id === undefined || others.has(id);
  return contents.flatMap((content) => {
    const parts = content.parts ?? [];
    const kept = parts.filter(
      ({ functionCall, functionResponse }) =>
        (functionCall === undefined || isWhole(functionCall.id, responses)) &&
        (functionResponse === undefined || isWhole(functionResponse.id, calls)),
    );
    if (kept.length === parts.length) return [content];
    return kept.length === 0 ? [] : [{ ...content, parts: kept }];
  });
}
