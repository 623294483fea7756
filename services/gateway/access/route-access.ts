import type { FastifyRequest, FastifySchema, onRequestHookHandler, RouteOptions } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AnswerBound } from "../http/answer-bound.ts";
import type { Scope } from "../identity/scopes.ts";

/** Marks a route that answers callers without credentials. It serves no data of apps or users. */
export const PUBLIC = "public";

/**
 * Where a route's request names whose data it reaches: `path-user`, `body-user` and `query-user` contain the user's
 * name. `run-id` is the id of a run or another object that has an owner. `caller` marks routes where callers read about
 * themselves, such as `/auth/me`; a user in the query must be the caller's own. `app` marks data that an app's users
 * share, `tenant` a tenant's data, and `server` everything else. With a scope, `server` is for callers of the tenant
 * `default` alone.
 */
export type RouteOwner = "path-user" | "body-user" | "query-user" | "run-id" | "caller" | "app" | "tenant" | "server";

/** What a caller needs to use a route. */
export interface ProtectedAccess {
  /** Absent if every caller with valid credentials may use the route. */
  readonly scope?: Scope;
  readonly owner: RouteOwner;
  /** The default app, for a path that names no app. */
  readonly appName?: string;
}

export type RouteAccess = typeof PUBLIC | ProtectedAccess;

interface AccessSchema extends FastifySchema {
  readonly access: RouteAccess;
}

interface PageSchema extends AccessSchema {
  readonly answer: AnswerBound;
}

/** The options of a route that serves a page or a file of one, and has no description. */
export const PUBLIC_PAGE: { readonly schema: PageSchema } = { schema: { access: PUBLIC, answer: "of-the-operator" } };

/** The options of a page for callers who are signed in. The hook redirects others to the login page. */
export function signedInPage(pageHook: onRequestHookHandler | undefined) {
  return { ...PUBLIC_PAGE, onRequest: pageHook };
}

/** The declaration in a route's schema. */
export function accessOf(schema: FastifySchema | undefined): RouteAccess | undefined {
  // Each route that is added has been checked to have one.
  return (schema as Partial<AccessSchema> | undefined)?.access;
}

/** Whether the request is for a route that needs no credentials. False if there is no such route. */
export function isPublic({ routeOptions }: Pick<FastifyRequest, "routeOptions">): boolean {
  return accessOf(routeOptions.schema) === PUBLIC;
}

/**
 * Throws if the route declares no access: a start with an unprotected route must fail. Preflights, which the CORS plugin
 * answers on one route for every path below the prefix, need none.
 */
export function assertAccess({ url, method, schema }: AddedRoute, prefix = ""): void {
  if (accessOf(schema) !== undefined || (method === "OPTIONS" && url === `${prefix}*`)) return;
  throw new PlatformError("CONFIGURATION", `The route ${[method].flat().join(", ")} ${url} declares no access.`);
}

type AddedRoute = Pick<RouteOptions, "url" | "method" | "schema">;
