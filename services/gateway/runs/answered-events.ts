import { hasInlineReference, restoredPieces } from "#kit/artifacts/inline-data.ts";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import type { RelayedEvent, RelaySink } from "../streams/relay-run.ts";
import type { AnswerSource } from "../streams/send-pieces.ts";
import { StoredEventReader } from "../streams/stored-events.ts";

/** Longer answers are read from the store when the run has ended. */
const MAX_KEPT_CHARACTERS = 256 * 1024;

/**
 * The complete events of a run whose answer begins when it has ended. Short ones are kept; of long ones, and of those with
 * stored files, only the place is.
 */
export class AnsweredEvents implements RelaySink {
  #kept: string[] | undefined = [];
  #characters = 0;
  #lastSequence = 0;

  event({ json, partial, sequence = 0 }: RelayedEvent): void {
    if (partial) return;
    this.#lastSequence = Math.max(this.#lastSequence, sequence);
    this.#characters += json.length;
    if (this.#characters > MAX_KEPT_CHARACTERS || hasInlineReference(json)) this.#kept = undefined;
    this.#kept?.push(json);
  }

  flush(): undefined {
    return undefined;
  }

  /** The JSON of the events; undefined if they have to be read again. */
  get kept(): readonly string[] | undefined {
    return this.#kept;
  }

  /** The same events as a list, between two texts, from the store. */
  source(deps: RouteDeps, answers: AnswerReader, run: RunRecord, around: readonly [string, string]): AnswerSource {
    let reader: StoredEventReader | undefined;
    const open = (record: RunRecord): StoredEventReader => {
      const { session, baseRevision } = record;
      reader = new StoredEventReader({ ...deps, answers }, { session, afterRevision: baseRevision });
      return reader;
    };
    return { answers, pieces: this.#pieces(deps, run, { around, open }), ahead: { pause: () => reader?.pause() } };
  }

  async *#pieces(
    { runJournal, artifactService }: RouteDeps,
    { runId }: RunRecord,
    { around: [before, after], open }: Reading,
  ): AsyncGenerator<JsonPiece, void, undefined> {
    const record = await runJournal.get(runId);
    if (record === undefined) throw new RunNotFoundError(runId);
    const { session, invocationId } = record;
    const store = { artifacts: artifactService, session };
    using reader = open(record);
    yield `${before}[`;
    let separator = "";
    while (await reader.load()) {
      for (let event = reader.next(); event !== undefined; event = reader.next()) {
        if (event.sequence > this.#lastSequence) return yield `]${after}`;
        if (event.invocationId !== invocationId || event.author === USER_AUTHOR) continue;
        yield separator;
        separator = ",";
        const restored = restoredPieces(event.json, store);
        if (restored === undefined) yield event.json;
        else yield* await restored;
      }
    }
    yield `]${after}`;
  }
}

interface Reading {
  /** The texts before and after the list. */
  readonly around: readonly [string, string];
  readonly open: (record: RunRecord) => StoredEventReader;
}
