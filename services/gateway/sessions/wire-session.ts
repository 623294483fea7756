import { restoredPieces } from "#kit/artifacts/inline-data.ts";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { lastUpdateTimeAsDouble, type Session, type SessionKey } from "#kit/sessions/session.ts";
import type { GetSessionConfig } from "#kit/sessions/session-service.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { GatewayDeps } from "../deps.ts";
import { type AnswerSource, CHUNK_CHARACTERS } from "../streams/send-pieces.ts";
import { StoredEventReader } from "../streams/stored-events.ts";

/** Always six keys; the time is in seconds with a fraction, as all ADK clients expect it. */
export function sessionJson(session: Session, eventJsons: readonly string[]): string {
  return `${beginning(session)}${eventJsons.join(",")}${end(session)}`;
}

type ReadDeps = Pick<GatewayDeps, "sessionService" | "artifactService" | "config">;

/** Which events are wanted; absent means all of them. */
export type EventChoice = Pick<GetSessionConfig, "numRecentEvents" | "afterTimestamp">;

/** The session with the chosen events as JSON, without parsing any of them. */
export function sessionAnswer(
  deps: ReadDeps,
  answers: AnswerReader,
  key: SessionKey,
  choice: EventChoice = {},
): AnswerSource {
  let reader: StoredEventReader | undefined;
  const open = (afterRevision: number): StoredEventReader => {
    const { afterTimestamp } = choice;
    reader = new StoredEventReader({ ...deps, answers }, { session: key, afterRevision, afterTimestamp });
    return reader;
  };
  return {
    answers,
    pieces: sessionPieces(deps, answers, key, { choice, open }),
    ahead: { pause: () => reader?.pause() },
  };
}

interface Reading {
  readonly choice: EventChoice;
  readonly open: (afterRevision: number) => StoredEventReader;
}

/**
 * The head is read first and events beyond its revision are left out, so that state and events belong together even
 * while a run writes.
 */
async function* sessionPieces(
  deps: ReadDeps,
  answers: AnswerReader,
  key: SessionKey,
  { choice: { numRecentEvents = Number.POSITIVE_INFINITY }, open }: Reading,
): AsyncGenerator<JsonPiece, void, undefined> {
  const session = await readHead(deps, answers, key);
  const afterRevision = Math.max(0, session.revision - numRecentEvents);
  const inlineData = { artifacts: deps.artifactService, session: key };
  let chunk = beginning(session);
  if (afterRevision < session.revision) {
    using reader = open(afterRevision);
    let separator = "";
    while (await reader.load()) {
      for (let event = reader.next(); event !== undefined; event = reader.next()) {
        if (event.sequence > session.revision) return yield chunk + end(session);
        chunk += separator;
        separator = ",";
        const restored = restoredPieces(event.json, inlineData);
        for (const piece of restored === undefined ? [event.json] : await restored) {
          if (typeof piece === "string" && piece.length < CHUNK_CHARACTERS) {
            chunk += piece;
            continue;
          }
          yield chunk;
          yield piece;
          chunk = "";
        }
        if (chunk.length < CHUNK_CHARACTERS) continue;
        yield chunk;
        chunk = "";
      }
    }
  }
  yield chunk + end(session);
}

/** The session without events. Its state is as large as the limits allow at most. */
async function readHead(
  { sessionService, config }: ReadDeps,
  answers: AnswerReader,
  key: SessionKey,
): Promise<Session> {
  const bytes = SCOPES_AND_COPIES * config.MAX_STATE_BYTES;
  using _ = answers.take(bytes) ?? (await answers.wait(bytes));
  const session = await sessionService.getSession(key, { numRecentEvents: 0 });
  if (session === undefined) throw new SessionNotFoundError(key);
  return session;
}

/** The three scopes of the state, as values and as text. */
const SCOPES_AND_COPIES = 6;

function beginning({ id, appName, userId, state }: Session): string {
  return `${JSON.stringify({ id, appName, userId, state }).slice(0, -1)},"events":[`;
}

function end(session: Session): string {
  return `],"lastUpdateTime":${lastUpdateTimeAsDouble(session)}}`;
}
