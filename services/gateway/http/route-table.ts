import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { sendError } from "./errors.ts";

/** Has every path, so that a wrong method or a trailing slash gets a better answer than "not found". */
export class RouteTable {
  readonly #routes = new Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>();
  readonly #publishedPrefix: string;

  /** `publishedPrefix` is what clients have before the paths of the routes, because a proxy removes it. */
  constructor(publishedPrefix: string) {
    this.#publishedPrefix = publishedPrefix;
  }

  /** `prefix` is the path below which the routes are mounted. */
  add(route: Pick<RouteOptions, "url" | "method">, prefix = ""): void {
    // The preflight route matches every path and is left out, as it would make every path a known one.
    if (route.url === `${prefix}*`) return;
    const entry = this.#routes.get(route.url) ?? { segments: route.url.split("/"), methods: new Set<string>() };
    for (const method of [route.method].flat()) entry.methods.add(method);
    this.#routes.set(route.url, entry);
  }

  answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = "/", query] = splitQuery(request.url);
    const allowed = this.#methodsOf(path);
    if (allowed.length > 0) {
      reply.header("allow", allowed.join(", "));
      const message = `${request.method} is not allowed here; use ${allowed.join(" or ")}.`;
      return sendError(reply, new PlatformError("METHOD_NOT_ALLOWED", message));
    }
    const trimmed = trimEndOf(path, "/");
    // A path such as //host/ would become an address on another server.
    if (trimmed !== path && !trimmed.startsWith("//") && this.#methodsOf(trimmed).includes(request.method)) {
      return reply.redirect(`${this.#publishedPrefix}${trimmed}${query === undefined ? "" : `?${query}`}`, 307);
    }
    return sendError(reply, new PlatformError("ROUTE_NOT_FOUND", "Not Found"));
  }

  #methodsOf(path: string): readonly string[] {
    const found = new Set<string>();
    const parts = path.split("/");
    for (const { segments, methods } of this.#routes.values()) {
      if (matches(segments, parts)) for (const method of methods) found.add(method);
    }
    return [...found];
  }
}

/**
 * Whether a path is one of the route's: `:name` stands for one segment that is not empty, `*` at the end for all that
 * follow.
 */
function matches(segments: readonly string[], parts: readonly string[]): boolean {
  const isOpen = segments.at(-1) === "*";
  const fixed = isOpen ? segments.length - 1 : segments.length;
  if (isOpen ? parts.length <= fixed : parts.length !== fixed) return false;
  for (let index = 0; index < fixed; index += 1) {
    const segment = segments[index];
    if (segment?.startsWith(":") ? parts[index] === "" : parts[index] !== segment) return false;
  }
  return true;
}

function splitQuery(url: string): readonly [string, string | undefined] {
  const at = url.indexOf("?");
  return at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)];
}
