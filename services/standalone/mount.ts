import type { onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { addRoutes, type Gateway } from "#services/gateway/add-routes.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";

/**
 * What the routes need of a Fastify 5 instance, whatever its types of server, logger and schemas, and whichever copy of
 * the package it is of.
 */
export interface MountHost {
  readonly version: string;
  readonly prefix: string;
  readonly initialConfig: { readonly http2?: boolean };
}

export interface MountOptions {
  readonly deps: GatewayDeps;
  /** Run first for each request of the routes, in this order. */
  readonly onRequest: readonly onRequestHookHandler[];
  /** Runs when the program closes its server, before that waits for its answers. */
  readonly preClose: () => Promise<void>;
  /** Runs when the program's server has closed. */
  readonly onClose: () => Promise<void>;
}

/** Adds the routes to the part of the program's server that `register` created for them. Throws `CONFIGURATION`. */
export async function mountRoutes(
  host: MountHost,
  { deps, onRequest, preClose, onClose }: MountOptions,
): Promise<void> {
  assertMountable(host);
  // The framework passes its instances to plugins, and this one is of a version that has all that is used.
  const app = host as Gateway;
  app.addHook("onClose", onClose);
  await addRoutes(app, deps, onRequest);
  // Children close in the order of their registration: the streams of sessions are ended by then.
  await app.register((last, _options, done) => {
    last.addHook("preClose", preClose);
    done();
  });
}

function assertMountable({ version, prefix, initialConfig }: MountHost): void {
  const problems = [
    ...(/^5\./.test(version) ? [] : [`The server is a plugin for Fastify 5, and this app is of version ${version}.`]),
    ...(prefix === "" || prefix === "/"
      ? ['Register the server below a prefix: app.register(server.plugin, { prefix: "/agents" }).']
      : []),
    ...(/[:*(]/.test(prefix) ? [`The prefix ${prefix} has parameters, and must be a fixed path.`] : []),
    ...(initialConfig.http2 === true ? ["The server is a plugin for HTTP/1.1, and this app has http2 on."] : []),
  ];
  if (problems.length > 0) throw new PlatformError("CONFIGURATION", problems.join("\n"));
}
