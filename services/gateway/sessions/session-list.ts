import { lastUpdateTimeAsDouble, type Session } from "#kit/sessions/session.ts";
import type { ListSessionsRequest, ListSessionsResponse } from "#kit/sessions/session-service.ts";
import type { AnswerReader, Room } from "#shared/answers/answer-account.ts";
import type { GatewayDeps } from "../deps.ts";

/** Sessions on a page, as far as their state allows. */
const PAGE_SIZE = 500;
const PAGE_CHARACTERS = 128 * 1024;
/** State as values, as text and as bytes. */
const COPIES = 3;

type ListDeps = Pick<GatewayDeps, "sessionService" | "config">;

/** A page and the room that it has. */
interface RoomyPage {
  readonly page: ListSessionsResponse;
  readonly room: Room;
}

/** A page of the list that was asked for. It has fewer sessions than it may have if their state is large. */
export async function readSessionPage(
  { sessionService, config }: ListDeps,
  answers: AnswerReader,
  request: ListSessionsRequest,
): Promise<RoomyPage> {
  // The page ends with the session by which it has its size; the state of the app and the user is there once.
  const bytes = COPIES * (PAGE_CHARACTERS + 3 * config.MAX_STATE_BYTES);
  const room = answers.take(bytes) ?? (await answers.wait(bytes));
  try {
    const limits = { maxCharacters: PAGE_CHARACTERS, sharedState: "apart" } as const;
    return { page: await sessionService.listSessions({ ...request, ...limits }), room };
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
}

/** The page as JSON. */
export async function* sessionPagePieces(
  page: ListSessionsResponse,
  room: Room,
): AsyncGenerator<string, void, undefined> {
  using _ = room;
  yield* entryTexts(page, "[", room);
  yield isEmpty(page) ? "[]" : "]";
}

/** All sessions of the list as JSON. */
export async function* sessionListPieces(
  deps: ListDeps,
  answers: AnswerReader,
  request: ListSessionsRequest,
): AsyncGenerator<string, void, undefined> {
  let separator = "[";
  for (let next: string | undefined = ""; next !== undefined; ) {
    const place = next === "" ? {} : { pageToken: next };
    const { page, room }: RoomyPage = await readSessionPage(deps, answers, {
      ...request,
      pageSize: PAGE_SIZE,
      ...place,
    });
    using _ = room;
    yield* entryTexts(page, separator, room);
    if (!isEmpty(page)) separator = ",";
    next = page.nextPageToken;
  }
  yield separator === "[" ? "[]" : "]";
}

/** The entries of a page. Gives back the room that it does not need. */
function* entryTexts(page: ListSessionsResponse, first: string, room: Room): Generator<string, void, undefined> {
  const shared = JSON.stringify(page.sharedState ?? {}).slice(1, -1);
  room.shrink(
    COPIES * (page.sessions.reduce((sum, { state }) => sum + JSON.stringify(state).length, 0) + shared.length),
  );
  let separator = first;
  for (const session of shownSessions(page)) {
    yield separator + entry(session, shared);
    separator = ",";
  }
}

function shownSessions({ sessions }: ListSessionsResponse): readonly Session[] {
  return sessions.filter(({ id }) => !isEvaluationSession(id));
}

function isEmpty(page: ListSessionsResponse): boolean {
  return shownSessions(page).length === 0;
}

function entry(session: Session, shared: string): string {
  const { id, appName, userId, state } = session;
  const own = JSON.stringify(state).slice(1, -1);
  const names = JSON.stringify({ id, appName, userId }).slice(0, -1);
  const separator = own === "" || shared === "" ? "" : ",";
  return `${names},"state":{${own}${separator}${shared}},"events":[],"lastUpdateTime":${lastUpdateTimeAsDouble(session)}}`;
}

/** Evaluations of other ADK servers leave such sessions behind; no UI shows them. */
function isEvaluationSession(id: string): boolean {
  return id.startsWith("ADK_EVAL_") || id.startsWith("___eval___session___");
}
