import { CONTENT, PART } from "#kit/events/content-table.ts";
import { EVENT } from "#kit/events/event-table.ts";
import { type Shape, Type } from "#kit/schema/shape.ts";

/** Schemas that several routes share. Unknown members are allowed everywhere, as on ADK's servers. */

export const JsonMap = Type.JsonObject();
export const PartSchema = PART;
export const ContentSchema = CONTENT;
export const EventSchema = EVENT;

export const UserParams = Type.Object({ appName: Type.String(), userId: Type.String() });
export const SessionParams = Type.Object({ appName: Type.String(), userId: Type.String(), sessionId: Type.String() });

export const SessionSchema = Type.Object({
  id: Type.String(),
  appName: Type.String(),
  userId: Type.String(),
  state: JsonMap,
  events: Type.Array(EventSchema),
  lastUpdateTime: Type.Number({ description: "Seconds since the epoch, with a fraction." }),
});

export const ErrorSchema = Type.Object({
  detail: Type.Unknown({ description: "The message; for 422 the list of problems." }),
  error: Type.String({ description: "The message." }),
  message: Type.String({ description: "What went wrong and what to do." }),
  status: Type.Integer({ description: "The HTTP status." }),
  path: Type.String({ description: "The path of the request." }),
  code: Type.String({ description: "The canonical code of the reason's class." }),
  reason: Type.String({ description: "The stable name of the error, for programs." }),
  details: Type.Map(Type.String(), { description: "Facts for programs, such as ids and limits." }),
  requestId: Type.String({ description: "The id under which the server's log has more." }),
});

/**
 * Answers are sent as text that is serialised once; their schemas only document, so handlers do not get their types.
 */
export function answers(schemas: Readonly<Record<number, Shape>>): Readonly<Record<number, unknown>> {
  return schemas;
}
