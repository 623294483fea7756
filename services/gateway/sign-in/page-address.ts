import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isLoopback } from "#shared/security/bind-guard.ts";
import { isLoopbackName } from "../origins/host-check.ts";

type PageRequest = Pick<IncomingMessage, "method"> & { readonly headers: IncomingHttpHeaders };

/** Methods that change nothing. */
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD"]);

/**
 * The address under which browsers reach this server. Headers of proxies do not count: a page of an origin that CORS
 * allows could set them.
 */
export class PageAddress {
  readonly #publicOrigin: string | undefined;
  /** The path below which the routes are, without a slash at its end. */
  readonly path: string;

  /** `problems` gets what is wrong with `publicUrl`, which is empty for the names of the requests. */
  constructor({ publicUrl, path }: { readonly publicUrl: string; readonly path: string }, problems: string[]) {
    this.path = path;
    const url = publicUrl === "" ? undefined : URL.parse(publicUrl);
    if (url === undefined) return;
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
    if (!isSafe || url.href !== `${url.origin}/`)
      problems.push(`PUBLIC_URL is ${publicUrl}: write scheme and name alone, such as https://agents.example.com.`);
    this.#publicOrigin = url?.origin;
  }

  originOf({ headers: { host = "" } }: PageRequest): string {
    if (this.#publicOrigin !== undefined) return this.#publicOrigin;
    return `${isLoopbackName(host.replace(/:\d*$/, "")) ? "http" : "https"}://${host.toLowerCase()}`;
  }

  /** Whether browsers reach the server by https, so that cookies can demand it. */
  isSecure(request: PageRequest): boolean {
    return this.originOf(request).startsWith("https:");
  }

  /**
   * Whether a page of this very server sends the request, or the user by typing its address. Browsers report that in
   * headers that no page can set. A request that changes something needs them.
   */
  isOwnPage(request: PageRequest): boolean {
    const { origin, "sec-fetch-site": site } = request.headers;
    if (site !== undefined && site !== "same-origin" && site !== "none") return false;
    if (origin !== undefined) return URL.parse(origin)?.origin === URL.parse(this.originOf(request))?.origin;
    return site === "same-origin" || SAFE_METHODS.has(request.method);
  }
}
