import { hash, randomUUID } from "node:crypto";

/** A request of a page that signs a user in. */
export interface Grant {
  readonly user: string;
  readonly nonce: string | undefined;
  readonly scope: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** The pages of an identity provider on which a user signs in, without a password, and the codes that they hand out. */
export class AuthorizationCodes {
  readonly #grants = new Map<string, Grant>();

  /** A form that keeps the request's query and asks for the user's name. */
  page(query: URLSearchParams): string {
    const hidden = [...query].map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
    );
    return `<!doctype html><html lang="en"><title>Development sign-in</title><h1>Development sign-in</h1>
<form action="/approve">${hidden.join("")}<label>User <input name="user" value="ada"></label> <button>Sign in</button></form></html>`;
  }

  /** The address to which the browser returns with a code. */
  approve(query: URLSearchParams, issuer: string): string {
    const redirect = new URL(query.get("redirect_uri") ?? "");
    const code = randomUUID();
    this.#grants.set(code, {
      user: query.get("user") ?? "ada",
      nonce: query.get("nonce") ?? undefined,
      scope: query.get("scope") ?? "",
      clientId: query.get("client_id") ?? "",
      redirectUri: redirect.href,
      challenge: query.get("code_challenge_method") === "S256" ? (query.get("code_challenge") ?? "") : "",
    });
    redirect.searchParams.set("code", code);
    redirect.searchParams.set("state", query.get("state") ?? "");
    redirect.searchParams.set("iss", issuer);
    return redirect.href;
  }

  /** What was granted; undefined unless the form has the code, for the first time, and the verifier of its request. */
  redeem(form: URLSearchParams): Grant | undefined {
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const isValid =
      grant?.challenge === hash("sha256", form.get("code_verifier") ?? "", "base64url") &&
      grant.redirectUri === form.get("redirect_uri") &&
      grant.clientId === form.get("client_id");
    return isValid ? grant : undefined;
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
