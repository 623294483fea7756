import type { FastifyInstance, FastifyRequest } from "fastify";
import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { callerOf } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import type { Scope } from "../identity/scopes.ts";
import { type AppRules, mayUseApp } from "./app-rules.ts";
import { markForeign } from "./foreign-requests.ts";
import type { KnownApps } from "./known-apps.ts";
import { APP_NAMES, namesIn, PATH_APP_NAME, PATH_USER_NAME, USER_NAMES } from "./request-names.ts";
import { accessOf, type ProtectedAccess, PUBLIC } from "./route-access.ts";

export interface EnforceOptions {
  /** The app of requests that name none; empty for no default. */
  readonly defaultAppName: string;
  readonly appRules: () => AppRules | undefined;
  /** The names of the existing apps. */
  readonly knownApps: Pick<KnownApps, "names">;
}

/**
 * Adds the hooks that refuse requests which the route's access forbids to their caller: by scope, and by the apps and
 * users that path and query name, before the body is read; by those that the body names, before the handler. Added
 * after the hook that sets the caller.
 */
export function enforceAccess(app: Pick<FastifyInstance, "addHook">, options: EnforceOptions): void {
  app.addHook("onRequest", (request, _reply, done) => check(request, options, refusalOfPath, done));
  app.addHook("preHandler", (request, _reply, done) => check(request, options, refusalOfBody, done));
}

interface AccessRules {
  readonly defaultAppName: string;
  readonly appRules: AppRules | undefined;
  /**
   * The names of the existing apps, for routes on which an unknown name must look like an app that the caller may not
   * use.
   */
  readonly existing: ReadonlySet<string> | undefined;
}

type RefusalOf = (request: FastifyRequest, rules: AccessRules) => PlatformError | undefined;

/** Without rules there is no app whose existence is hidden, and no list of apps is read. */
function check(
  request: FastifyRequest,
  { defaultAppName, appRules: rulesNow, knownApps }: EnforceOptions,
  refusalOf: RefusalOf,
  done: (error?: Error) => void,
): void {
  const appRules = rulesNow();
  const access = protectedAccess(request);
  const decide = (existing?: ReadonlySet<string>) =>
    done(noted(request, refusalOf(request, { defaultAppName, appRules, existing })));
  // Editors create apps under names that no app has.
  const isHidden = appRules !== undefined && appRules.size > 0 && access !== undefined && access.scope !== "apps:edit";
  if (!isHidden) return decide();
  knownApps.names().then((names) => decide(names), done);
}

function noted(request: FastifyRequest, refusal: PlatformError | undefined): PlatformError | undefined {
  // An app that the caller may not use is answered like one that does not exist.
  if (refusal?.code === "NOT_FOUND") markForeign(request);
  return refusal;
}

function refusalOfPath(request: FastifyRequest, rules: AccessRules): PlatformError | undefined {
  const access = protectedAccess(request);
  if (access === undefined) return undefined;
  const caller = callerOf(request);
  const { scope, owner, appName } = access;
  if (scope !== undefined && !caller.scopes.has(scope)) return scopeMissing(scope);
  if (isServerWide(access) && caller.tenantId !== DEFAULT_TENANT) return serverOnly();
  const { params } = request;
  const query = owner === "query-user" || owner === "caller" ? request.query : undefined;
  const appNames = [...namesIn(params, PATH_APP_NAME), ...namesIn(query, APP_NAMES)];
  if (appName !== undefined) appNames.push(appName);
  const userIds = [...namesIn(params, PATH_USER_NAME), ...namesIn(query, USER_NAMES)];
  if (owner === "query-user" && userIds.length === 0 && !hasReach(caller)) return noUser();
  return refusalOfNames(caller, { appNames, userIds }, rules);
}

function refusalOfBody(request: FastifyRequest, rules: AccessRules): PlatformError | undefined {
  const access = protectedAccess(request);
  if (access?.owner !== "body-user") return undefined;
  const { body, params } = request;
  const appNames = [...namesIn(body, APP_NAMES)];
  if (appNames.length === 0 && namesIn(params, PATH_APP_NAME).length === 0) appNames.push(rules.defaultAppName);
  return refusalOfNames(callerOf(request), { appNames, userIds: namesIn(body, USER_NAMES) }, rules);
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
  { appRules, existing }: AccessRules,
): PlatformError | undefined {
  // An app that was removed can still have a rule and stored data.
  const isOpen = (appName: string) =>
    mayUseApp(caller, appName, appRules) && (existing === undefined || appRules?.has(appName) || existing.has(appName));
  const closed = appNames.find((appName) => appName !== "" && !isOpen(appName));
  if (closed !== undefined) return appNotFound(closed);
  if (caller.scopes.has("users:all") || userIds.every((userId) => userId === caller.userId)) return undefined;
  return new PlatformError("USER_NOT_ALLOWED", "The request names another user than the caller's own.");
}

/** Whether the caller reaches the data of any user. */
function hasReach({ userId, scopes }: Caller): boolean {
  return userId !== undefined || scopes.has("users:all");
}

function noUser(): PlatformError {
  return new PlatformError("USER_NOT_ALLOWED", "The caller's credentials name no user whose data it could read.");
}

/** Whether a route concerns all tenants: what belongs to the server, and the definitions of apps, which tenants share. */
function isServerWide({ scope, owner }: ProtectedAccess): boolean {
  return scope === "apps:edit" || (scope !== undefined && owner === "server");
}

function serverOnly(): PlatformError {
  return new PlatformError("SERVER_WIDE", "This concerns all tenants: it is for callers of the tenant default.");
}

function scopeMissing(scope: Scope): PlatformError {
  return new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}, which this operation needs.`, {
    details: { scope },
  });
}
