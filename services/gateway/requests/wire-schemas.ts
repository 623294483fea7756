import type { TSchema } from "typebox";
import { Type } from "#shared/config/type.ts";

/** Shapes that several routes share. Unknown members are allowed everywhere, as in the whole family. */

export const JsonMap = Type.Record(Type.String(), Type.Unknown());

const inlineData = Type.Object({
  mimeType: Type.Optional(Type.String()),
  data: Type.Optional(Type.String({ description: "Base64; any alphabet, padding optional." })),
  displayName: Type.Optional(Type.String()),
});

export const PartSchema = Type.Object({
  text: Type.Optional(Type.String()),
  thought: Type.Optional(Type.Boolean()),
  inlineData: Type.Optional(inlineData),
  fileData: Type.Optional(
    Type.Object({ fileUri: Type.Optional(Type.String()), mimeType: Type.Optional(Type.String()) }),
  ),
  functionCall: Type.Optional(
    Type.Object({ id: Type.Optional(Type.String()), name: Type.Optional(Type.String()), args: Type.Optional(JsonMap) }),
  ),
  functionResponse: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      response: Type.Optional(JsonMap),
    }),
  ),
});

export const ContentSchema = Type.Object({
  role: Type.Optional(Type.String()),
  parts: Type.Optional(Type.Array(PartSchema)),
});

export const UserParams = Type.Object({ appName: Type.String(), userId: Type.String() });
export const SessionParams = Type.Object({ appName: Type.String(), userId: Type.String(), sessionId: Type.String() });

export const EventSchema = Type.Object({
  id: Type.String(),
  invocationId: Type.String(),
  author: Type.String(),
  timestamp: Type.Number({ description: "Milliseconds since the epoch." }),
  content: Type.Optional(ContentSchema),
  actions: JsonMap,
});

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
  error: Type.String(),
  message: Type.String(),
  status: Type.Integer(),
  path: Type.String(),
  code: Type.String(),
  reason: Type.String(),
  details: Type.Record(Type.String(), Type.String()),
  requestId: Type.String(),
});

/** Answers are sent as text that was serialised once; their schemas only document, so handlers do not see their types. */
export function answers(schemas: Readonly<Record<number, TSchema>>): Readonly<Record<number, unknown>> {
  return schemas;
}
