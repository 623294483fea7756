import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { CredentialSummary } from "#ports/credentials/credential-directory.ts";
import { MAX_USER_CREDENTIALS } from "#ports/credentials/credential-rules.ts";
import type { GatewayDeps } from "../deps.ts";
import { ENTRY_BYTES } from "../http/answer-bound.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";

const ACCESS = { scope: "credentials", owner: "query-user" } as const;

const UserId = Type.Optional(Type.String({ description: "The user; the caller's own if absent." }));

const ListQuery = Type.Object({
  userId: UserId,
  appName: Type.Optional(Type.String({ description: "One app; all that the caller may use if absent." })),
});

const CredentialParams = Type.Object({
  appName: Type.String(),
  credentialKey: Type.String(),
});

const CredentialSchema = Type.Object({
  appName: Type.String(),
  credentialKey: Type.String(),
  authType: Type.Enum(["apiKey", "http", "oauth2", "openIdConnect", "serviceAccount"]),
  createdTime: Type.Number({ description: "Seconds since the epoch, with a fraction." }),
  updatedTime: Type.Number({ description: "Seconds since the epoch, with a fraction." }),
});
const CredentialList = Type.Object({ credentials: Type.Array(CredentialSchema) });

/** What is kept of a user's credentials for tools. No answer has a value of one. */
export function credentialRoutes({ userCredentials }: GatewayDeps): TypedRoutes {
  return async (app) => {
    app.get(
      "/v1/credentials",
      {
        schema: described({
          operationId: "listCredentials",
          answer: () => 3 * MAX_USER_CREDENTIALS * ENTRY_BYTES,
          access: ACCESS,
          tags: ["credentials"],
          summary: "List a user's credentials for tools",
          description: "Names, kinds and times of at most 1,000; never a value.",
          errors: ["STORE_UNAVAILABLE"],
          parameterExamples: { userId: "me" },
          querystring: ListQuery,
          response: answers({ 200: CredentialList }),
        }),
      },
      async (request) => {
        const { appName } = request.query;
        const user = { userId: userIn(request, request.query.userId), appName };
        return { credentials: (await userCredentials.listCredentials(user)).map(toWire) };
      },
    );

    app.delete(
      "/v1/credentials/:appName/:credentialKey",
      {
        schema: described({
          operationId: "deleteCredential",
          answer: "small",
          access: ACCESS,
          tags: ["credentials"],
          summary: "Delete a user's credential for a tool",
          description:
            "The agent asks the user again when a tool needs it. The authorization server is not informed: revoke tokens there too. A credential that does not exist is not an error.",
          errors: ["STORE_UNAVAILABLE"],
          parameterExamples: { userId: "me" },
          params: CredentialParams,
          querystring: Type.Object({ userId: UserId }),
          response: answers({ 200: Type.Null() }),
        }),
      },
      async (request, reply) => {
        const { appName, credentialKey } = request.params;
        const owner = { appName, userId: userIn(request, request.query.userId) };
        await userCredentials.deleteCredential(owner, credentialKey);
        return reply.type(JSON_TYPE).send("null");
      },
    );
  };
}

function userIn(request: Pick<FastifyRequest, "raw">, given: string | undefined): string {
  const userId = given || callerOf(request).userId;
  if (userId !== undefined) return userId;
  throw new PlatformError("INVALID_FIELD", "userId is missing: the caller's credentials name no user.", {
    details: { field: "userId" },
  });
}

function toWire({ createdTime, updatedTime, ...names }: CredentialSummary) {
  return { ...names, createdTime: createdTime / 1000, updatedTime: updatedTime / 1000 };
}
