import type { JSONWebKeySet } from "jose";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { fetchJson } from "./fetch-json.ts";
import type { Issuer } from "./issuer.ts";
import { isSafeUrl } from "./read-issuers.ts";

/** The issuer's public keys, found by discovery unless the settings name their address. */
export async function fetchKeys({ issuer, jwksUri }: Pick<Issuer, "issuer" | "jwksUri">): Promise<JSONWebKeySet> {
  const url = jwksUri === "" ? await discover(issuer) : jwksUri;
  const { keys } = await fetchJson(url);
  if (!Array.isArray(keys)) throw new Error(`${url} has no list of keys.`);
  // The library checks each key when it uses it.
  return { keys } as unknown as JSONWebKeySet;
}

/** OpenID Connect Discovery 1.0: the document must name the issuer that was asked. */
async function discover(issuer: string): Promise<string> {
  const url = `${trimEndOf(issuer, "/")}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: jwksUri } = await fetchJson(url);
  if (named !== issuer) throw new Error(`${url} names another issuer.`);
  if (typeof jwksUri !== "string" || !isSafeUrl(jwksUri)) throw new Error(`${url} has no https URL as jwks_uri.`);
  return jwksUri;
}
