import type { SignIn, SignInOptions } from "./sign-in.ts";

/** How pages sign in; undefined if neither API keys nor identity providers are accepted. Throws `CONFIGURATION`. */
export async function openSignIn(options: SignInOptions): Promise<SignIn | undefined> {
  if (options.apiKeys === undefined && options.providers.length === 0) return undefined;
  // Loaded only by servers whose pages sign in.
  const { SignIn: PageSignIn } = await import("./sign-in.ts");
  return new PageSignIn(options);
}
