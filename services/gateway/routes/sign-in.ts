import { fileURLToPath } from "node:url";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { PUBLIC, PUBLIC_PAGE } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { fromThrown } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { type Caller, NO_CALLER } from "../identity/caller.ts";
import { signOutUrlOf } from "../identity/sign-out-url.ts";
import { described } from "../openapi/route-description.ts";
import { sendStaticFile } from "../pages/send-static-file.ts";
import { createStaticFile } from "../pages/static-files.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { nextPath } from "../sign-in/next-path.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { failedPage, SIGN_IN_PAGE_HEADERS, signedInPage, signInPage } from "../sign-in/sign-in-page.ts";

const FOLDER = fileURLToPath(new URL("../sign-in/page/", import.meta.url));
const FILES = ["sign-in.css", "sign-in.js", "signed-in.js"];
const HTML = "text/html; charset=utf-8";
/** Clients choose the name. */
const MAX_SHOWN_LENGTH = 200;

const CallerSchema = Type.Object({
  source: Type.String({ description: "`oidc`, `api-key`, `proxy`, `session` (the cookie of a page) or `none`." }),
  subject: Type.String({ description: "The name in records." }),
  tenantId: Type.Optional(
    Type.String({ description: "The only tenant whose data the caller reaches; absent for the tenant default." }),
  ),
  userId: Type.Optional(Type.String({ description: "The only user whose data the caller reaches." })),
  apps: Type.Optional(Type.Array(Type.String(), { description: "The only apps that the caller may use." })),
  groups: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  keyId: Type.Optional(Type.String()),
  expiresAtMs: Type.Optional(Type.Integer({ description: "When the credentials expire, as a Unix time in ms." })),
  signOutUrl: Type.Optional(
    Type.String({ description: "Where the browser signs out, if a proxy signs users in: a URL or an absolute path." }),
  ),
});

const NextQuery = Type.Object({ next: Type.Optional(Type.String()) });
const StartQuery = Type.Object({ ...NextQuery.properties, provider: Type.Integer({ minimum: 0 }) });
const KeyBody = Type.Object({ key: Type.String() });

/** How pages sign in and out, and who sends a request. */
export function signInRoutes({ signIn, auditor, clock, config }: RouteDeps): TypedRoutes {
  const note = (
    request: FastifyRequest,
    outcome: Pick<AuditDecision, "action" | "tenantId" | "subject" | "decision" | "reason" | "address">,
  ) =>
    auditor?.note({
      kind: "decision",
      timeMs: clock.now(),
      resource: {},
      requestId: request.id,
      ...outcome,
    });

  return async (app) => {
    app.get(
      "/auth/me",
      {
        schema: described({
          operationId: "readCaller",
          answer: "small",
          access: { owner: "server" },
          tags: ["server"],
          summary: "Who sends this request, and what it may do",
          response: answers({ 200: CallerSchema }),
        }),
      },
      async (request) => {
        const caller = callerOf(request);
        const signOutUrl = signOutUrlOf(caller, config);
        return { ...toWireCaller(caller), ...(signOutUrl !== undefined && { signOutUrl }) };
      },
    );
    for (const name of FILES) {
      app.get(`/auth/${name}`, PUBLIC_PAGE, async (request, reply) =>
        sendStaticFile(createStaticFile(FOLDER + name), request, reply),
      );
    }
    if (signIn === undefined) return;

    app.get("/auth/login", { schema: { ...PUBLIC_PAGE.schema, querystring: NextQuery } }, async ({ query }, reply) =>
      sendPage(reply, signInPage(signIn, nextPath(query.next))),
    );

    app.post("/auth/login", { schema: { access: PUBLIC, answer: "small", body: KeyBody } }, async (request, reply) => {
      assertOwnPage(signIn, request);
      const { caller, cookies } = await signIn.withKey(request.raw, request.body.key);
      note(request, { action: "signIn", ...namesOf(caller), decision: "allowed" });
      return reply.header("set-cookie", cookies).code(204).send();
    });

    app.get("/auth/start", { schema: { ...PUBLIC_PAGE.schema, querystring: StartQuery } }, async (request, reply) => {
      const { provider, next } = request.query;
      const started = await signIn
        .start(request.raw, provider, nextPath(next))
        .catch((error) => thrownPage(reply, error));
      if (typeof started === "string") return sendPage(reply, started);
      if (started === undefined) throw new PlatformError("ROUTE_NOT_FOUND", "Not Found");
      return reply.header("set-cookie", started.cookie).redirect(started.url, 302);
    });

    app.get("/auth/callback", PUBLIC_PAGE, async (request, reply) => {
      const { url } = request;
      const at = url.indexOf("?");
      try {
        const { caller, cookies, next } = await signIn.finish(request.raw, at < 0 ? "" : url.slice(at));
        note(request, { action: "signIn", ...namesOf(caller), decision: "allowed" });
        return sendPage(reply.header("set-cookie", cookies), signedInPage(signIn, next));
      } catch (error) {
        const page = thrownPage(reply, error);
        note(request, { action: "signIn", decision: "refused", ...refusalOf(request, error) });
        // The flow can still be finished: the user reloads the page.
        if (fromThrown(error).reason !== "IDENTITY_UNAVAILABLE")
          reply.header("set-cookie", signIn.endFlow(request.raw));
        return sendPage(reply, page);
      }
    });

    app.post("/auth/logout", PUBLIC_PAGE, async (request, reply) => {
      assertOwnPage(signIn, request);
      const { cookies, caller } = await signIn.end(request.raw);
      if (caller !== undefined) note(request, { action: "signOut", ...namesOf(caller), decision: "allowed" });
      return reply.header("set-cookie", cookies).code(204).send();
    });

    app.post("/auth/refresh", PUBLIC_PAGE, async (request, reply) => {
      assertOwnPage(signIn, request);
      const { caller, refused, cookies } = await signIn.renew(request.raw);
      if (refused !== undefined) {
        const { ip: address } = request;
        note(request, {
          ...{ action: "signIn", ...namesOf(refused), address },
          ...{ decision: "refused", reason: "UNAUTHENTICATED" },
        });
      }
      if (cookies.length > 0) reply.header("set-cookie", cookies);
      // A session that cannot be renewed stays valid until it expires.
      return caller === undefined ? reply.code(204).send() : reply.send(toWireCaller(caller));
    });
  };
}

function namesOf({ tenantId, subject }: Pick<AuditDecision, "tenantId" | "subject">) {
  return { ...inTenant(tenantId), subject };
}

function refusalOf(
  { ip: address }: FastifyRequest,
  error: unknown,
): Pick<AuditDecision, "subject" | "reason" | "address"> {
  return { subject: NO_CALLER.subject, reason: fromThrown(error).reason, address };
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.headers(SIGN_IN_PAGE_HEADERS).type(HTML).send(html);
}

/** The page for an error that a user can understand, with its status. Throws any other. */
function thrownPage(reply: FastifyReply, error: unknown): string {
  if (!(error instanceof PlatformError)) throw error;
  const { retryAfterSeconds } = error.details;
  void reply.code(error.httpStatus);
  if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
  return failedPage(error.message);
}

/** Another page could otherwise sign its visitor in as somebody else, or out. */
function assertOwnPage({ address }: SignIn, { raw }: FastifyRequest): void {
  if (address.isOwnPage(raw)) return;
  const own = address.originOf(raw).slice(0, MAX_SHOWN_LENGTH);
  throw new PlatformError(
    "ORIGIN_NOT_ALLOWED",
    `Forbidden: only pages of ${own} sign in and out here. If browsers reach this server under another name, set PUBLIC_URL to it; it needs https, except for localhost.`,
  );
}

function toWireCaller(caller: Caller): Static<typeof CallerSchema> {
  const { source, subject, tenantId, userId, apps, groups, scopes, keyId, expiresAtMs } = caller;
  return {
    ...inTenant(tenantId),
    ...{ source, subject, groups: [...groups], scopes: [...scopes] },
    userId,
    apps: apps && [...apps],
    keyId,
    expiresAtMs,
  };
}
