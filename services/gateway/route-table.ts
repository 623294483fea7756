import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { sendError } from "./errors.ts";

/** Knows every path, so that a wrong method or a trailing slash gets a better answer than "not found". */
export class RouteTable {
  readonly #methods = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  add(route: Pick<RouteOptions, "url" | "method">): void {
    // The route that answers preflights matches every path, and makes none of them known.
    if (route.url === "*") return;
    const entry = this.#methods.get(route.url) ?? { pattern: toPattern(route.url), methods: new Set<string>() };
    for (const method of [route.method].flat()) entry.methods.add(method);
    this.#methods.set(route.url, entry);
  }

  answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = "/", query] = splitQuery(request.url);
    const allowed = this.#methodsOf(path);
    if (allowed.length > 0) {
      reply.header("allow", allowed.join(", "));
      const message = `${request.method} is not allowed here; use ${allowed.join(" or ")}.`;
      return sendError(reply, new PlatformError("METHOD_NOT_ALLOWED", message));
    }
    const trimmed = path.replace(/\/+$/, "");
    // A path such as //host/ would become an address on another server.
    if (trimmed !== path && !trimmed.startsWith("//") && this.#methodsOf(trimmed).includes(request.method)) {
      return reply.redirect(query === undefined ? trimmed : `${trimmed}?${query}`, 307);
    }
    return sendError(reply, new PlatformError("ROUTE_NOT_FOUND", "Not Found"));
  }

  #methodsOf(path: string): readonly string[] {
    const found = new Set<string>();
    for (const { pattern, methods } of this.#methods.values()) {
      if (pattern.test(path)) for (const method of methods) found.add(method);
    }
    return [...found];
  }
}

function splitQuery(url: string): readonly [string, string | undefined] {
  const at = url.indexOf("?");
  return at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)];
}

function toPattern(url: string): RegExp {
  const source = url
    .split("/")
    .map((segment) => {
      if (segment.startsWith(":")) return "[^/]+";
      return segment === "*" ? ".*" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("/");
  return new RegExp(`^${source}$`);
}
