import type { FastifyRequest } from "fastify";
import { APP_STATE_SCOPE, EVERY_USER_SCOPE, type Principal } from "#shared/security/principal.ts";
import { callerOf } from "../identity/authenticator.ts";
import { type AppRules, mayUseApp } from "./app-rules.ts";
import { APP_NAMES, namesIn, PATH_APP_NAME, PATH_USER_NAME, USER_NAMES } from "./request-names.ts";

export type PrincipalRequest = Pick<FastifyRequest, "raw" | "params" | "body">;

/**
 * For whom the calls of a request are made: the caller's user, whatever the request names. A caller with the scope
 * `users:all` acts for the user that the request names, or for all if it names none. The app is the one that the request
 * names, or the only one that the caller may use.
 */
export function requestPrincipal(
  request: PrincipalRequest,
  appRules: () => AppRules | undefined = () => undefined,
): Principal {
  const { params, body } = request;
  const caller = callerOf(request);
  const { apps, scopes } = caller;
  const rules = appRules();
  const appName =
    namesIn(params, PATH_APP_NAME)[0] ?? namesIn(body, APP_NAMES)[0] ?? (apps?.length === 1 ? apps[0] : undefined);
  const userId = scopes.has(EVERY_USER_SCOPE)
    ? (namesIn(params, PATH_USER_NAME)[0] ?? namesIn(body, USER_NAMES)[0])
    : caller.userId;
  return {
    tenantId: caller.tenantId,
    appName,
    userId,
    scopes: GRANTED.filter((scope) => scopes.has(scope) && (scope !== EVERY_USER_SCOPE || userId === undefined)),
    mayUse: apps !== undefined || rules !== undefined ? (name: string) => mayUseApp(caller, name, rules) : undefined,
  };
}

/** The scopes that other services and ports check too, and not only the route. */
const GRANTED = [EVERY_USER_SCOPE, APP_STATE_SCOPE] as const;
