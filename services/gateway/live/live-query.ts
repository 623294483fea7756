import { PlatformError } from "#kit/errors/platform-error.ts";
import { isBlank } from "#kit/names/identifiers.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { InvalidRequestError } from "../http/errors.ts";

const name = (description: string) => Type.Optional(Type.String({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const modalities = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: "`TEXT`, `AUDIO` or `VIDEO`, repeatable: what the model answers with; `AUDIO` if absent.",
  }),
);

/** The query of a live run, in the spelling of ADK's Python server or in camelCase. */
export const LiveQuery = Type.Object({
  app_name: name("The app to run; the server's default app if absent."),
  appName: name("As `app_name`."),
  user_id: name("The session's user."),
  userId: name("As `user_id`."),
  session_id: name("An existing session of this user and app."),
  sessionId: name("As `session_id`."),
  modalities,
  responseModalities: modalities,
  proactive_audio: flag("Let the model decide whether to answer."),
  proactiveAudio: flag("As `proactive_audio`."),
  enable_affective_dialog: flag("Let the model answer to the user's tone."),
  enableAffectiveDialog: flag("As `enable_affective_dialog`."),
  enable_session_resumption: flag("Without effect: a connection of the model is always resumed, where it can be."),
  enableSessionResumption: flag("As `enable_session_resumption`."),
  save_live_blob: flag("Keep the audio of both sides as artifacts."),
  saveLiveBlob: flag("As `save_live_blob`."),
  explicit_vad_signal: flag("Let the model report when the user begins and stops to speak."),
  explicitVadSignal: flag("As `explicit_vad_signal`."),
  resumable: flag(
    'Let the client come back to the run after a lost connection. Frames are then `{"runId"}` first, and `{"event"}` with the `sequence` of a stored event.',
  ),
  run_id: name("With `resumable`: the run that the lost connection had. If it has ended, a new one begins."),
  after_sequence: count("With `run_id`: the sequence of the newest stored event that the client has."),
  next: count("With `run_id`: the number of the client's next message, counted from 1 over all its connections."),
  ticket: name("A ticket of `POST /v1/live-tickets`, for pages whose credentials are in a header."),
});
export type LiveQuery = Static<typeof LiveQuery>;

/** Whose session the live run is for. Throws for a query that does not name it. */
export function sessionOf(query: LiveQuery, defaultAppName: string): SessionKey {
  const appName = query.app_name || query.appName || defaultAppName;
  if (appName === "")
    throw new PlatformError(
      "APP_NAME_MISSING",
      "app_name is required: this server has no default app (DEFAULT_APP_NAME).",
    );
  return {
    appName,
    userId: given(query.user_id ?? query.userId, "user_id"),
    id: given(query.session_id ?? query.sessionId, "session_id"),
  };
}

/** The settings of the run, members of `RunConfig`. Throws for a modality that does not exist. */
export function settingsOf(query: LiveQuery): JsonObject {
  const asked = [query.modalities ?? query.responseModalities ?? []].flat().map((each) => each.toUpperCase());
  const unknown = asked.findIndex((each) => !MODALITIES.has(each));
  if (unknown !== -1)
    throw new InvalidRequestError([
      { type: "enum", loc: ["query", "modalities", unknown], msg: "Input should be 'TEXT', 'AUDIO' or 'VIDEO'" },
    ]);
  const proactive = query.proactive_audio ?? query.proactiveAudio;
  const affective = query.enable_affective_dialog ?? query.enableAffectiveDialog;
  const saves = query.save_live_blob ?? query.saveLiveBlob;
  const explicitVad = query.explicit_vad_signal ?? query.explicitVadSignal;
  return {
    ...(asked.length > 0 && { responseModalities: asked }),
    ...(proactive === true && { proactivity: { proactiveAudio: true } }),
    ...(affective === true && { enableAffectiveDialog: true }),
    ...(saves === true && { saveLiveBlob: true }),
    ...(explicitVad === true && { explicitVadSignal: true }),
  };
}

/** The run of a client that comes back, and how much of it the client has. */
export interface LivePlace {
  readonly runId: string | undefined;
  readonly after: number;
  readonly next: number;
}

/** The place of a client that can resume its run; undefined for others. */
export function placeOf({
  resumable,
  run_id: runId,
  after_sequence: after = 0,
  next = 1,
}: LiveQuery): LivePlace | undefined {
  return resumable === true ? { runId, after, next: Math.max(next, 1) } : undefined;
}

const MODALITIES: ReadonlySet<string> = new Set(["TEXT", "AUDIO", "VIDEO"]);

function given(value: string | undefined, name: string): string {
  if (value !== undefined && !isBlank(value)) return value;
  throw new InvalidRequestError([{ type: "missing", loc: ["query", name], msg: "Field required" }]);
}
