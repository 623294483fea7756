import type { IncomingMessage } from "node:http";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import type { GatewayConfig } from "../config.ts";

interface UrlRewriting {
  readonly rewriteUrl?: (request: Pick<IncomingMessage, "url">) => string;
}

/**
 * Removes the published prefix if a proxy leaves it in the path, and inserts the default app into paths without one.
 */
export function createRewriteUrl(config: Pick<GatewayConfig, "PATH_PREFIX" | "DEFAULT_APP_NAME">): UrlRewriting {
  const prefix = trimEndOf(config.PATH_PREFIX, "/");
  const appRoot = config.DEFAULT_APP_NAME === "" ? "" : `/apps/${encodeURIComponent(config.DEFAULT_APP_NAME)}`;
  if (prefix === "" && appRoot === "") return {};
  return { rewriteUrl: ({ url = "/" }) => withApp(withoutPrefix(url, prefix), appRoot) };
}

function withoutPrefix(url: string, prefix: string): string {
  if (prefix === "" || !url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}

function withApp(url: string, appRoot: string): string {
  if (appRoot === "") return url;
  const isAppPath = url.startsWith("/users/") || url.startsWith("/trigger/") || /^\/app-info(?:\?|$)/.test(url);
  return isAppPath ? appRoot + url : url;
}
