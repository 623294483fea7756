import type { FastifyInstance, FastifyRequest } from "fastify";
import { appNotFound } from "#kit/definitions/loaders/app-not-found.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import type { Scope } from "../identity/scopes.ts";
import { type AppRules, mayUseApp } from "./app-rules.ts";
import { markForeign } from "./foreign-requests.ts";
import { APP_NAMES, namesIn, USER_NAMES } from "./request-names.ts";
import { accessOf, type ProtectedAccess, PUBLIC } from "./route-access.ts";

export interface EnforceOptions {
  /** The app of requests that name none; empty for no default. */
  readonly defaultAppName: string;
  readonly appRules: () => AppRules | undefined;
}

/**
 * Adds the hooks that refuse requests which the route's access forbids to their caller: by scope, and by the apps and
 * users that path and query name, before the body is read; by those that the body names, before the handler. Added
 * after the hook that sets the caller.
 */
export function enforceAccess(app: Pick<FastifyInstance, "addHook">, options: EnforceOptions): void {
  app.addHook("onRequest", (request, _reply, done) => done(noted(request, refusalOfPath(request, options))));
  app.addHook("preHandler", (request, _reply, done) => done(noted(request, refusalOfBody(request, options))));
}

function noted(request: FastifyRequest, refusal: PlatformError | undefined): PlatformError | undefined {
  // An app that the caller may not use is answered like one that does not exist.
  if (refusal?.code === "NOT_FOUND") markForeign(request);
  return refusal;
}

function refusalOfPath(request: FastifyRequest, options: EnforceOptions): PlatformError | undefined {
  const access = protectedAccess(request);
  if (access === undefined) return undefined;
  const caller = callerOf(request);
  const { scope, owner } = access;
  if (scope !== undefined && !caller.scopes.has(scope)) return scopeMissing(scope);
  const { params } = request;
  const query = owner === "query-user" || owner === "caller" ? request.query : undefined;
  const appNames = [...namesIn(params, "appName"), ...namesIn(query, ...APP_NAMES)];
  if (owner === "path-user" && appNames.length === 0) appNames.push(options.defaultAppName);
  const userIds = [...namesIn(params, "userId"), ...namesIn(query, ...USER_NAMES)];
  if (owner === "query-user" && userIds.length === 0 && !hasReach(caller)) return noUser();
  return refusalOfNames(caller, { appNames, userIds }, options);
}

function refusalOfBody(request: FastifyRequest, options: EnforceOptions): PlatformError | undefined {
  const access = protectedAccess(request);
  if (access?.owner !== "body-user") return undefined;
  const { body, params } = request;
  const appNames = [...namesIn(body, ...APP_NAMES)];
  if (appNames.length === 0 && namesIn(params, "appName").length === 0) appNames.push(options.defaultAppName);
  return refusalOfNames(callerOf(request), { appNames, userIds: namesIn(body, ...USER_NAMES) }, options);
}

/** Undefined for public routes, and for paths without a route, which are answered with 404. */
function protectedAccess({ routeOptions }: FastifyRequest): ProtectedAccess | undefined {
  const access = accessOf(routeOptions.schema);
  return access === PUBLIC ? undefined : access;
}

interface Names {
  readonly appNames: readonly string[];
  readonly userIds: readonly string[];
}

function refusalOfNames(
  caller: Caller,
  { appNames, userIds }: Names,
  { appRules }: EnforceOptions,
): PlatformError | undefined {
  const rules = appRules();
  const closed = appNames.find((appName) => appName !== "" && !mayUseApp(caller, appName, rules));
  if (closed !== undefined) return appNotFound(closed);
  if (caller.scopes.has("users:all") || userIds.every((userId) => userId === caller.userId)) return undefined;
  return new PlatformError("USER_NOT_ALLOWED", "The request names another user than the caller's own.");
}

/** Whether there is a user whose data the caller reaches. */
function hasReach({ userId, scopes }: Caller): boolean {
  return userId !== undefined || scopes.has("users:all");
}

function noUser(): PlatformError {
  return new PlatformError("USER_NOT_ALLOWED", "The caller's credentials name no user whose data it could read.");
}

function scopeMissing(scope: Scope): PlatformError {
  return new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}, which this operation needs.`, {
    details: { scope },
  });
}
