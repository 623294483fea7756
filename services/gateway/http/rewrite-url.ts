import type { IncomingMessage } from "node:http";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import type { GatewayConfig } from "../config.ts";

interface UrlRewriting {
  readonly rewriteUrl?: (request: Pick<IncomingMessage, "url">) => string;
}

/** Removes the published prefix if a proxy leaves it in the path. */
export function createRewriteUrl(config: Pick<GatewayConfig, "PATH_PREFIX">): UrlRewriting {
  const prefix = trimEndOf(config.PATH_PREFIX, "/");
  if (prefix === "") return {};
  return { rewriteUrl: ({ url = "/" }) => withoutPrefix(url, prefix) };
}

function withoutPrefix(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}
