import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { MAX_IDENTIFIER_BYTES } from "#kit/names/identifiers.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { ManagedKeys } from "../identity/identity.ts";
import { assertMayGive, createKey } from "../identity/keys/create-key.ts";
import { KeySchema, toWireKey } from "../identity/keys/wire-key.ts";
import { SCOPES } from "../identity/scopes.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";

const ACCESS = { scope: "ops", owner: "tenant" } as const;
const MAX_APPS = 100;
const MAX_EXPIRY_SECONDS = 100 * 365 * 24 * 60 * 60;
const DEFAULT_PAGE = 100;

const KeyParams = Type.Object({ keyId: Type.String() });
const ListQuery = Type.Object({
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  pageToken: Type.Optional(Type.String()),
});

const CreateBody = Type.Object({
  name: Type.String({ description: "What the key is for." }),
  scopes: Type.Array(Type.Enum(SCOPES), { description: "What the key allows; the caller must have these scopes." }),
  userId: Type.Optional(Type.String({ description: "The only user whose data the key reaches." })),
  apps: Type.Optional(
    Type.Array(Type.String(), { maxItems: MAX_APPS, description: "The only apps that the key may use." }),
  ),
  expiresInSeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_EXPIRY_SECONDS, description: "Absent: the key has no end." }),
  ),
});

const CreatedSchema = Type.Object({
  ...KeySchema.properties,
  key: Type.String({ description: "The key itself. It is stored nowhere and shown this once." }),
});
const KeyPage = Type.Object({
  keys: Type.Array(KeySchema),
  nextPageToken: Type.Optional(Type.String({ description: "Absent on the last page." })),
});

/** An identifier for each app that a key may use. */
const KEY_BYTES = MAX_APPS * MAX_IDENTIFIER_BYTES;

/** The keys as records and as text. */
function pageBytes(_config: unknown, { query }: Pick<FastifyRequest, "query">): number {
  // Checked by the route's schema.
  const { pageSize = DEFAULT_PAGE } = query as Static<typeof ListQuery>;
  return 2 * pageSize * KEY_BYTES;
}

/** API keys: they are created, listed and revoked by callers with the scope `ops`. */
export function apiKeyRoutes({ apiKeys, clock, ids }: RouteDeps): TypedRoutes {
  return async (app) => {
    app.post(
      "/v1/keys",
      {
        schema: described({
          operationId: "createKey",
          answer: "small",
          access: ACCESS,
          tags: ["server"],
          summary: "Create an API key, whose text is in this answer alone",
          errors: ["API_KEYS_OFF", "SCOPE_MISSING", "USER_NOT_ALLOWED", "INVALID_IDENTIFIER"],
          body: CreateBody,
          example: { name: "ci", scopes: ["runs:write"] },
          response: answers({ 201: CreatedSchema }),
        }),
      },
      async (request, reply) => {
        const { store } = given(apiKeys);
        const caller = callerOf(request);
        assertMayGive(caller, request.body);
        const { record, text } = createKey(
          { ...request.body, tenantId: caller.tenantId, createdBy: caller.subject },
          { clock, ids },
        );
        await store.create(record);
        return reply.code(201).send({ ...toWireKey(record, clock.now()), key: text });
      },
    );

    app.get(
      "/v1/keys",
      {
        schema: described({
          operationId: "listKeys",
          answer: pageBytes,
          access: ACCESS,
          tags: ["server"],
          summary: "List API keys in the order of their creation, revoked and expired ones included",
          errors: ["API_KEYS_OFF"],
          querystring: ListQuery,
          response: answers({ 200: KeyPage }),
        }),
      },
      (request) => listKeys(given(apiKeys), { ...request.query, tenantId: callerOf(request).tenantId }, clock.now()),
    );

    app.delete(
      "/v1/keys/:keyId",
      {
        schema: described({
          operationId: "revokeKey",
          answer: "small",
          access: ACCESS,
          tags: ["server"],
          summary: "Revoke an API key; within a minute no process accepts it",
          errors: ["API_KEYS_OFF", "API_KEY_NOT_FOUND"],
          params: KeyParams,
          response: answers({ 200: KeySchema }),
        }),
      },
      async (request) => {
        const { store, forget } = given(apiKeys);
        const { keyId } = request.params;
        const now = clock.now();
        const known = await store.get(checkedId(keyId));
        // A key of another tenant is answered like one that does not exist.
        const isOwn = known !== undefined && tenantOf(known) === callerOf(request).tenantId;
        const revoked = isOwn ? await store.revoke(keyId, now) : undefined;
        if (revoked === undefined) throw new PlatformError("API_KEY_NOT_FOUND", "There is no API key of this id.");
        forget(keyId);
        return toWireKey(revoked, now);
      },
    );
  };
}

/** A page of the tenant's keys. */
async function listKeys(
  { store }: ManagedKeys,
  { pageSize = DEFAULT_PAGE, pageToken, tenantId }: Static<typeof ListQuery> & { readonly tenantId: string },
  now: number,
): Promise<Static<typeof KeyPage>> {
  const after = pageToken === undefined ? undefined : checkedId(pageToken);
  // One key more than a page shows whether there is another page.
  const records = await store.list({ after, tenantId, limit: pageSize + 1 });
  const page = records.slice(0, pageSize);
  const nextPageToken = records.length > pageSize ? page.at(-1)?.id : undefined;
  return { keys: page.map((record) => toWireKey(record, now)), nextPageToken };
}

function given(apiKeys: ManagedKeys | undefined): ManagedKeys {
  if (apiKeys === undefined)
    throw new PlatformError("API_KEYS_OFF", "This server accepts no API keys: add api-key to AUTH.");
  return apiKeys;
}

/** No id of a key has other characters, which a store could read as a path. */
function checkedId(text: string): string {
  if (/^[0-9a-z]{1,64}$/.test(text)) return text;
  throw new PlatformError("API_KEY_NOT_FOUND", "There is no API key of this id.");
}
