import { randomUUID } from "node:crypto";
import type { Grant } from "./authorization-codes.ts";

/** The refresh tokens of an identity provider: each is used once, and replaced by a new one. */
export class RefreshTokens {
  readonly #grants = new Map<string, Grant>();

  issue(grant: Grant): string {
    const token = randomUUID();
    // An id token of a renewal has no nonce (OpenID Connect Core 12.2).
    this.#grants.set(token, { ...grant, nonce: undefined });
    return token;
  }

  /** What was granted; undefined unless the form has a token of its client, for the first time. */
  redeem(form: URLSearchParams): Grant | undefined {
    const token = form.get("refresh_token") ?? "";
    const grant = this.#grants.get(token);
    this.#grants.delete(token);
    return grant?.clientId === form.get("client_id") ? grant : undefined;
  }

  revoke(form: URLSearchParams): void {
    this.#grants.delete(form.get("token") ?? "");
  }
}
