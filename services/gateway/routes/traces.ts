import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { TraceReader } from "#ports/runs/trace-store.ts";
import { MAX_TRACE_CHARACTERS } from "#ports/runs/trace-store.ts";
import type { GatewayDeps } from "../deps.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { JsonMap } from "../requests/wire-schemas.ts";
import { toFlatSpan, toWireSpan } from "../traces/wire-span.ts";

const EventParams = Type.Object({ appName: Type.Optional(Type.String()), eventId: Type.String() });
const SessionParams = Type.Object({ appName: Type.Optional(Type.String()), sessionId: Type.String() });

const ReaderQuery = Type.Object({
  userId: Type.Optional(Type.String({ minLength: 1, description: "Only what this user's runs did." })),
  user_id: Type.Optional(Type.String({ minLength: 1, description: "Another spelling of `userId`." })),
});

const SpanSchema = Type.Object({
  name: Type.String(),
  trace_id: Type.String(),
  span_id: Type.String(),
  parent_span_id: Type.Optional(Type.String()),
  start_time: Type.Number({ description: "Nanoseconds since the epoch." }),
  end_time: Type.Number(),
  attributes: JsonMap,
});

const PREFIXES = ["/dev/apps/:appName/debug/trace", "/debug/trace"] as const;

/** Traces of runs for debugging: spans by event and by session, under the new and the old prefix. */
export function traceRoutes({ traceStore }: Pick<GatewayDeps, "traceStore">): TypedRoutes {
  return async (app) => {
    for (const prefix of PREFIXES) {
      app.get(
        `${prefix}/session/:sessionId`,
        {
          schema: described({
            operationId: "readSessionTrace",
            answer: () => 4 * MAX_TRACE_CHARACTERS,
            access: { scope: "sessions:read", owner: "query-user" },
            tags: ["traces"],
            summary: "The spans of a session's runs",
            description: "All of them, or of its newest traces as many as have 4 million characters.",
            errors: ["TRACE_AMBIGUOUS"],
            params: SessionParams,
            querystring: ReaderQuery,
            response: { 200: Type.Array(SpanSchema) },
          }),
        },
        async ({ params: { appName, sessionId }, query }) => {
          const spans = await traceStore.bySession(toReader(appName, query), sessionId);
          return spans.map((span) => toWireSpan(span, sessionId));
        },
      );

      app.get(
        `${prefix}/:eventId`,
        {
          schema: described({
            operationId: "readEventTrace",
            answer: () => MAX_TRACE_CHARACTERS,
            access: { scope: "sessions:read", owner: "query-user" },
            tags: ["traces"],
            summary: "The span that produced an event, as one flat object",
            errors: ["TRACE_NOT_FOUND", "TRACE_AMBIGUOUS"],
            params: EventParams,
            querystring: ReaderQuery,
            response: { 200: JsonMap },
          }),
        },
        async ({ params: { appName, eventId }, query }) => {
          const span = await traceStore.byEvent(toReader(appName, query), eventId);
          if (!span) throw new PlatformError("TRACE_NOT_FOUND", "Trace not found", { details: { eventId } });
          return toFlatSpan(span);
        },
      );
    }
  };
}

function toReader(appName: string | undefined, query: Static<typeof ReaderQuery>): TraceReader {
  const userId = query.userId ?? query.user_id;
  return { appName, userId };
}
