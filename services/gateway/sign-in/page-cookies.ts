import type { IncomingMessage } from "node:http";
import type { SealPurpose } from "./cookie-seal.ts";
import type { PageAddress } from "./page-address.ts";

const NAME = "fairlead";

export interface CookieOptions {
  readonly purpose: SealPurpose;
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
}

/** Cookies of this server: their names, and the headers that set and send them. */
export class PageCookies {
  readonly #address: PageAddress;

  constructor(address: PageAddress) {
    this.#address = address;
  }

  /** The first cookie for the purpose: browsers send the one with the longest path first. */
  read(request: IncomingMessage, purpose: SealPurpose): string | undefined {
    const { cookie } = request.headers;
    if (cookie === undefined) return undefined;
    const start = `${this.#nameOf(request, purpose)}=`;
    const pair = cookie.split(";").find((text) => text.trimStart().startsWith(start));
    return pair?.trim().slice(start.length);
  }

  /** The value of `Set-Cookie`. */
  write(request: IncomingMessage, value: string, { purpose, maxAgeSeconds }: CookieOptions): string {
    const attributes = [
      `${this.#nameOf(request, purpose)}=${value}`,
      `Path=${this.#pathOf(purpose)}`,
      `Max-Age=${maxAgeSeconds}`,
      "HttpOnly",
      // The identity provider's page leads back to the callback, and the flow's cookie must come with that request.
      `SameSite=${purpose === "flow" ? "Lax" : "Strict"}`,
      ...(this.#address.isSecure(request) ? ["Secure"] : []),
    ];
    return attributes.join("; ");
  }

  /**
   * The prefixes make browsers refuse such cookies of other hosts below the same domain, and of pages without
   * encryption. On plain loopback there are none.
   */
  #nameOf(request: IncomingMessage, purpose: SealPurpose): string {
    const name = purpose === "session" ? NAME : `${NAME}-${purpose}`;
    if (!this.#address.isSecure(request)) return name;
    return (this.#pathOf(purpose) === "/" ? "__Host-" : "__Secure-") + name;
  }

  #pathOf(purpose: SealPurpose): string {
    return purpose === "session" ? this.#address.path || "/" : `${this.#address.path}/auth`;
  }
}
