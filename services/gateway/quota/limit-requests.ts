import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { QuotaOutcome, Quotas } from "#shared/quota/quotas.ts";
import { APP_NAMES, namesIn, PATH_APP_NAME } from "../access/request-names.ts";
import { accessOf, type ProtectedAccess, PUBLIC, type RouteOwner } from "../access/route-access.ts";
import { callingSubject } from "../identity/calling-subject.ts";
import { addQuotaHeaders } from "./quota-headers.ts";

export interface LimitRequestsOptions {
  readonly quotas: Quotas;
  /** The app of requests that name none; empty for no default. */
  readonly defaultAppName: string;
}

/** Routes whose query names an app. */
const QUERY_OWNERS: ReadonlySet<RouteOwner> = new Set(["query-user", "caller"]);

type Done = (error?: Error) => void;

/**
 * Adds the hooks that count each request against the quotas of its caller, before its body is read, and against that of
 * the app that it names: in its path or query, or in its body, which is known before the handler. Public routes are not counted.
 * Added after the hooks that refuse callers, so that a refused request is counted for nobody.
 */
export function limitRequests(
  app: Pick<FastifyInstance, "addHook">,
  { quotas, defaultAppName }: LimitRequestsOptions,
): void {
  const count = (counting: QuotaOutcome | Promise<QuotaOutcome>, reply: FastifyReply, done: Done): void => {
    const counted = ({ uses, refusal }: QuotaOutcome): void => {
      addQuotaHeaders(reply, uses);
      done(refusal);
    };
    if (counting instanceof Promise) counting.then(counted, done);
    else counted(counting);
  };
  app.addHook("onRequest", (request, reply, done) => {
    const access = countedAccess(request);
    if (access === undefined) return done();
    const [appName = access.appName] = [
      ...namesIn(request.params, PATH_APP_NAME),
      ...(QUERY_OWNERS.has(access.owner) ? namesIn(request.query, APP_NAMES) : []),
    ];
    count(quotas.countRequest({ ...callingSubject(request), appName }), reply, done);
  });
  app.addHook("preHandler", (request, reply, done) => {
    if (countedAccess(request)?.owner !== "body-user") return done();
    if (namesIn(request.params, PATH_APP_NAME).length > 0) return done();
    const [appName = defaultAppName] = namesIn(request.body, APP_NAMES);
    if (appName === "") return done();
    // The other quotas have counted the request already.
    count(quotas.countRequest({ ...callingSubject(request), appName }, ["app"]), reply, done);
  });
}

/** Undefined for public routes and for paths without a route. */
function countedAccess({ routeOptions }: FastifyRequest): ProtectedAccess | undefined {
  const access = accessOf(routeOptions.schema);
  return access === PUBLIC ? undefined : access;
}
