import { isLoopback } from "#shared/security/bind-guard.ts";
import type { Caller } from "./caller.ts";
import type { IdentityConfig } from "./identity-settings.ts";

type SignOutConfig = Pick<IdentityConfig, "PROXY_SIGN_OUT_URL">;

/** A path of the page's own origin: browsers take `//` and `/\` for the beginning of another one. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** The address at which the caller's browser signs out, if a proxy has signed it in and the settings name one. */
export function signOutUrlOf({ source }: Pick<Caller, "source">, config: SignOutConfig): string | undefined {
  return source === "proxy" && config.PROXY_SIGN_OUT_URL !== "" ? config.PROXY_SIGN_OUT_URL : undefined;
}

/** `problems` gets what is wrong with the setting: pages link to it, so that it must be no `javascript:`. */
export function checkSignOutUrl({ PROXY_SIGN_OUT_URL: text }: SignOutConfig, problems: string[]): void {
  if (text === "" || OWN_PATH.test(text)) return;
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (!isSafe || url.username !== "" || url.password !== "")
    problems.push("PROXY_SIGN_OUT_URL is neither a path such as /oauth2/sign_out nor an https URL without a user.");
}
