import type { FastifyInstance, FastifyRequest } from "fastify";
import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { BUILDER_ASSISTANT } from "#shared/agents/editor/editor-settings.ts";
import type { AppRules } from "./access/app-rules.ts";
import { APP_NAMES, namesIn, USER_NAMES } from "./access/request-names.ts";
import { isPublic } from "./access/route-access.ts";
import { callerOf } from "./identity/authenticator.ts";

export interface AssistantOptions {
  /** Whether the server has the editor. */
  readonly isOffered: boolean;
  readonly appRules: () => AppRules | undefined;
}

/**
 * Adds the hooks that keep the assistant of the editor for those who may edit: it writes definitions of whatever app its
 * conversation is about, so its callers need the scope `apps:edit`, for all apps. To everybody else, on public routes,
 * and without an editor it does not exist. Added before the hooks that check users.
 *
 * The developer UI names its own default user to the assistant, whoever is signed in: the caller is meant.
 */
export function protectAssistant(app: Pick<FastifyInstance, "addHook">, options: AssistantOptions): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { params, query } = request;
    done(check(request, params, options) ?? check(request, query, options));
  });
  app.addHook("preHandler", (request, _reply, done) => done(check(request, request.body, options)));
}

/** The user that the developer UI names where it knows none. */
const UI_USER = "user";

function check(request: FastifyRequest, names: unknown, options: AssistantOptions): PlatformError | undefined {
  if (!namesIn(names, APP_NAMES).includes(BUILDER_ASSISTANT)) return undefined;
  const refusal = refusalOf(request, options);
  if (refusal !== undefined) return refusal;
  const { userId } = callerOf(request);
  const users = names as Record<string, unknown>;
  if (userId !== undefined)
    for (const name of USER_NAMES) if (Object.hasOwn(users, name) && users[name] === UI_USER) users[name] = userId;
  return undefined;
}

function refusalOf(request: FastifyRequest, { isOffered, appRules }: AssistantOptions): PlatformError | undefined {
  if (!isOffered || isPublic(request)) return appNotFound(BUILDER_ASSISTANT);
  const { scopes, tenantId, apps } = callerOf(request);
  const hasAllApps = apps === undefined && (appRules()?.size ?? 0) === 0;
  if (!hasAllApps || tenantId !== DEFAULT_TENANT) return appNotFound(BUILDER_ASSISTANT);
  if (scopes.has("apps:edit")) return undefined;
  const scope = "apps:edit";
  return new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}, which the assistant needs.`, {
    details: { scope },
  });
}
