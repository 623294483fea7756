import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { accessOf, PUBLIC } from "../access/route-access.ts";

const APP = "/apps/:appName";

/** The routes of an app that are also found without its name. */
const OFFERED = /^\/(?:users\/|trigger\/|app-info$)/;

/**
 * Adds each later route `/apps/:appName/users/…`, `/trigger/…` and `/app-info` a second time without its first two
 * segments, for requests that name no app. The description of the API has the first form only.
 */
export function addDefaultAppRoutes(
  app: Pick<FastifyInstance, "addHook">,
  { appName, mountPath }: { readonly appName: string; readonly mountPath: string },
): void {
  app.addHook("onRoute", function (route) {
    const path = route.url.slice(mountPath.length);
    const rest = path.startsWith(APP) ? path.slice(APP.length) : "";
    // The program in whose server the routes are mounted may add its own HEAD routes to those of GET.
    if (OFFERED.test(rest) && route.method !== "HEAD") this.route(withoutApp(route, rest, appName));
  });
}

function withoutApp(route: RouteOptions, url: string, appName: string): RouteOptions {
  const preValidation = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    // The parameters of a path are an object of texts.
    (request.params as Record<string, string>)["appName"] = appName;
    done();
  };
  const access = accessOf(route.schema);
  // Checked before the body is read, like the name in the path.
  const ofApp = access === undefined || access === PUBLIC ? access : { ...access, appName };
  const schema: object = { ...route.schema, summary: undefined, access: ofApp };
  return { ...route, url, preValidation, schema };
}
