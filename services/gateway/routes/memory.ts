import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { Type } from "#kit/schema/shape.ts";
import type { GatewayDeps } from "../deps.ts";
import { WHOLE_SESSION_BYTES } from "../http/answer-bound.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, UserParams } from "../requests/wire-schemas.ts";

const AddBody = Type.Object({ sessionId: Type.String() });

/** Adds sessions to a user's memory. Only agents search it. */
export function memoryRoutes({ sessionService, memoryService }: GatewayDeps): TypedRoutes {
  return async (app) => {
    app.patch(
      "/apps/:appName/users/:userId/memory",
      {
        schema: described({
          operationId: "addSessionToMemory",
          answer: () => WHOLE_SESSION_BYTES,
          access: { scope: "memory", owner: "path-user" },
          tags: ["memory"],
          description: "Agents with a memory tool then find what was said in it.",
          errors: ["SESSION_NOT_FOUND"],
          example: { sessionId: "first" },
          summary: "Add a session to the user's memory",
          params: UserParams,
          body: AddBody,
          response: answers({ 200: Type.Null() }),
        }),
      },
      async ({ params: { appName, userId }, body }, reply) => {
        const key = { appName, userId, id: body.sessionId };
        const session = await sessionService.getSession(key);
        if (session === undefined) throw new SessionNotFoundError(key);
        await memoryService.addSessionToMemory(session);
        return reply.type(JSON_TYPE).send("null");
      },
    );
  };
}
