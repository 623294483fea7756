import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";
import { assertMayListen } from "#services/gateway/identity/may-listen.ts";
import { openEditor } from "#services/gateway/open-editor.ts";
import { shutDown } from "#shared/process/lifecycle.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import type { StandaloneConfig } from "./config.ts";
import type { ServerCore } from "./core.ts";
import { localCallersOnly } from "./local-callers.ts";
import { type MountHost, mountRoutes } from "./mount.ts";
import { OpenAnswers } from "./open-answers.ts";

/** A server of agents inside a program. It either listens itself or is mounted, once. */
export interface Server extends AsyncDisposable {
  /**
   * Opens a port, HOST and PORT of the settings unless given, and returns the URL by which a browser on this machine
   * reaches it; port 0 is a free one. Throws `CONFIGURATION` for an address that cannot be opened; then it may be called
   * again.
   */
  listen(address?: ListenAddress): Promise<string>;
  /**
   * A plugin for a Fastify 5 app: `app.register(server.plugin, { prefix: "/agents" })`. All paths below the prefix are the
   * server's, and nothing else of the app changes. It closes with the app: `app.close()` waits for active runs. With
   * AUTH none, requests of other machines are refused unless ALLOW_UNAUTHENTICATED declares that the app authenticates
   * callers.
   */
  readonly plugin: (app: MountHost) => Promise<void>;
  /**
   * Refuses new requests, lets active runs end for SHUTDOWN_DRAIN_MS, ends the rest, and closes the stores and the
   * loader. Resolves when all is closed; later calls return the same promise.
   */
  close(): Promise<void>;
}

/** Where a server listens: `host` is a name or an IP address, `port` a number from 0 to 65535. */
export interface ListenAddress {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

export interface EmbeddedServerOptions {
  readonly core: ServerCore;
  readonly config: StandaloneConfig;
  readonly logger: Logger;
  /** Everything that the server owns, its stores included. */
  readonly owned: AsyncDisposableStack;
}

/** The HTTP side of the server. */
interface HttpSide {
  /** Accepts no new requests; resolves when all answers have ended. */
  end(): Promise<void>;
  /** Closes the connections of the answers that are left. */
  cutOff(): void | Promise<void>;
}

export class EmbeddedServer implements Server {
  readonly #options: EmbeddedServerOptions;
  #http: HttpSide | undefined;
  #ended: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: EmbeddedServerOptions) {
    this.#options = options;
  }

  async listen({ host, port }: ListenAddress = {}): Promise<string> {
    const { core, config } = this.#options;
    const { HOST, PORT } = { HOST: host ?? config.HOST, PORT: port ?? config.PORT };
    const deps = this.#depsAt(HOST);
    const [{ createGateway }, { closeGateway, cutOffGateway }, { listen }] = await Promise.all([
      import("#services/gateway/app.ts"),
      import("#services/gateway/listen.ts"),
      import("#services/gateway/listen.ts"),
    ]);
    const gateway = await createGateway(deps);
    const url = await this.#serve({ end: () => closeGateway(gateway), cutOff: () => cutOffGateway(gateway) }, () =>
      listen(gateway, HOST, PORT),
    );
    core.ready();
    return url;
  }

  readonly plugin = async (app: MountHost): Promise<void> => {
    const { core, config } = this.#options;
    this.#assertMayMount();
    const answers = new OpenAnswers();
    await this.#serve(answers, () =>
      mountRoutes(app, {
        deps: { ...core.gatewayDeps, config },
        onRequest: [answers.hook, localCallersOnly(config)].filter((hook) => hook !== undefined),
        preClose: () => this.#end(),
        onClose: () => this.close(),
      }),
    );
    core.ready();
  };

  close(): Promise<void> {
    this.#closed ??= this.#end().then(() => this.#options.owned.disposeAsync());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ends the HTTP side and the runs; the stores stay open for answers in progress of the program's own server. */
  #end(): Promise<void> {
    const { core, logger } = this.#options;
    const steps = core.shutdownSteps(
      async () => this.#http?.end(),
      async () => this.#http?.cutOff(),
    );
    this.#ended ??= shutDown({ ...steps, graceMs: 0 }, { sleep, logger }).then(() => {});
    return this.#ended;
  }

  async #serve<Result>(http: HttpSide, open: () => Promise<Result>): Promise<Result> {
    this.#assertUnused();
    this.#http = http;
    try {
      return await open();
    } catch (error) {
      await http.cutOff();
      this.#http = undefined;
      throw error;
    }
  }

  #assertUnused(): void {
    if (this.#ended !== undefined)
      throw new PlatformError("CONFIGURATION", "The server is closed: create another one.");
    if (this.#http === undefined) return;
    throw new PlatformError(
      "CONFIGURATION",
      "The server listens or is mounted already: create another one for another port or prefix.",
    );
  }

  #depsAt(host: string): GatewayDeps {
    const { core, config } = this.#options;
    this.#assertUnused();
    if (config.ERROR_DETAIL === "full" && !isLoopback(host))
      throw new PlatformError(
        "CONFIGURATION",
        `ERROR_DETAIL is full, and other machines reach ${host}: they would read the texts of exceptions. Listen on 127.0.0.1, or set ERROR_DETAIL to generic.`,
      );
    const here = { ...config, HOST: host };
    const builder = openEditor(here);
    assertMayListen(config, host);
    return { ...core.gatewayDeps, config: here, builder };
  }

  /** The program's server decides who reaches it, so what only this machine may see is refused. */
  #assertMayMount(): void {
    const { ERROR_DETAIL, AGENT_EDITOR } = this.#options.config;
    this.#assertUnused();
    const refused = [ERROR_DETAIL === "full" && "ERROR_DETAIL=full", AGENT_EDITOR && "AGENT_EDITOR"].filter(Boolean);
    if (refused.length === 0) return;
    throw new PlatformError(
      "CONFIGURATION",
      `${refused.join(" and ")} cannot be used in a mounted server, which other machines may reach: use listen(), or leave it out.`,
    );
  }
}
