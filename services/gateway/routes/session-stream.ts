import { Type } from "#kit/schema/shape.ts";
import { whenCallerEnds } from "../access/caller-end.ts";
import type { RouteDeps } from "../deps.ts";
import { callersTenant } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { SESSION_FRAMES } from "../openapi/run-examples.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, SessionParams } from "../requests/wire-schemas.ts";
import { SessionChangeNotifier } from "../streams/session-change-notifier.ts";
import { parseSessionCursor } from "../streams/session-cursor.ts";
import { openSessionReader } from "../streams/session-reader.ts";
import { type OpenStreams, SessionStream } from "../streams/stream-session.ts";

const Query = Type.Object({
  after: Type.Optional(
    Type.String({ description: "The `id` of the last frame that was seen, or the number of the last event." }),
  ),
});
const Headers = Type.Object({ "last-event-id": Type.Optional(Type.String()) });

/** The events of all runs of a session, as one stream that waits for the next run. */
export function sessionStreamRoutes(deps: RouteDeps): TypedRoutes {
  return async (app) => {
    const news = new SessionChangeNotifier(deps);
    const open: OpenStreams = new Set();
    let isClosing = false;
    // Closing the server waits for open streams, so they are ended first.
    app.addHook("preClose", async () => {
      isClosing = true;
      for (const stream of open) void stream.reconnect();
    });

    app.get(
      "/v1/apps/:appName/users/:userId/sessions/:sessionId/stream",
      {
        exposeHeadRoute: false,
        schema: described({
          operationId: "streamSession",
          answer: "in-parts",
          access: { scope: "sessions:read", owner: "path-user" },
          tags: ["runs"],
          summary: "Read the events of all runs of a session, those to come included",
          description:
            "Server-sent events: the stored ones after the cursor, then those of the active run and of later runs. The stream does not end by itself, so this page does not send the request; use `curl -N`.",
          errors: ["SESSION_NOT_FOUND", "INVALID_CURSOR", "TOO_MANY_STREAMS"],
          params: SessionParams,
          querystring: Query,
          headers: Headers,
          response: answers({ 200: Type.String() }),
          answerExamples: { "text/event-stream": SESSION_FRAMES },
          canBeTried: false,
        }),
      },
      async (request, reply) => {
        const { params, query, headers } = request;
        const { appName, userId, sessionId: id } = params;
        // Readers of many callers share checks, which are made outside of their requests.
        const session = { ...callersTenant(request), appName, userId, id };
        const after = parseSessionCursor(headers["last-event-id"] || query.after || "0");
        // Refused before the stream begins, so that the refusal is an HTTP status.
        await deps.streamSlots.take(session, reply);
        const reader = await openSessionReader(deps, news, { session, after });
        const stream = new SessionStream(deps, reply, reader, open);
        // The client reconnects, with new credentials if it has any.
        whenCallerEnds(reply, deps, () => void stream.reconnect());
        if (isClosing) await stream.reconnect();
        else reader.start(stream);
      },
    );
  };
}
