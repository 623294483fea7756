import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";

/** Settings of how pages sign in. */
export const signInConfigSchema = Type.Object({
  PUBLIC_URL: Type.String({
    default: "",
    description:
      "Scheme and name under which browsers reach this server, such as `https://agents.example.com`. Needed behind a proxy that replaces `Host`; otherwise the request's own name is used, with https unless it is a loopback name.",
  }),
  SESSION_COOKIE_KEY_FILE: Type.String({
    default: "",
    description:
      "File with keys of 32 bytes as base64, one a line, that encrypt the cookies of pages: the first one encrypts, all decrypt. Needed by several gateways; without it each process has a key of its own until it ends.",
  }),
  SESSION_COOKIE_HOURS: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 8,
    description: "How long a page stays signed in at most; never longer than the token or the key is valid.",
  }),
});

export type SignInConfig = ConfigOf<typeof signInConfigSchema>;
