import { createHash } from "node:crypto";
import type { Task } from "@a2a-js/sdk";
import { StreamResponse } from "@a2a-js/sdk";
import { LegacyRestTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { Version } from "#kit/version.ts";
import type { PushTarget, PushVersion } from "#ports/push/push-store.ts";
import type { ServerSigner } from "../identity/server-signer.ts";
import { callReceiver } from "./call-receiver.ts";
import { type Receiver, type ReceiverAnswer, ReceiverGate } from "./receiver-gate.ts";

/** The receiver did not take the notification. */
export class PushRefused extends Error {
  /** When the receiver wants the next call; undefined if it names no time. */
  readonly delayMs: number | undefined;
  /** Whether it wants no further call. */
  readonly isGone: boolean;

  constructor(problem: string, { delayMs, isGone = false }: { readonly delayMs?: number; readonly isGone?: boolean }) {
    super(problem);
    this.delayMs = delayMs;
    this.isGone = isGone;
  }
}

/** How long receivers may take a signed notification for a new one. */
const SIGNATURE_SECONDS = 300;

export interface PushSenderOptions {
  /** Signs notifications whose client gave no authentication; absent if the server has no key. */
  readonly signer?: Pick<ServerSigner, "sign"> | undefined;
  readonly outbound: Pick<OutboundAccess, "fetch">;
  readonly clock: Clock;
}

/** One notification. */
export interface Notification {
  readonly update: StreamResponse;
  /** The task as it stands, which clients of 0.3 get in place of the update. */
  readonly task: () => Promise<Task>;
  readonly version: PushVersion;
}

/** Sends notifications to the addresses that clients have named. */
export class PushSender {
  readonly #options: PushSenderOptions;
  readonly #gate: ReceiverGate;

  constructor(options: PushSenderOptions) {
    this.#options = options;
    this.#gate = new ReceiverGate(options.clock);
  }

  /** Throws `PushRefused`, `ReceiverPaused` and the signal's reason. */
  async send(notification: Notification, target: PushTarget, payer: string, signal: AbortSignal): Promise<void> {
    const receiver: Receiver = { payer, host: URL.parse(target.url)?.host ?? "" };
    const refused = await this.#gate.call(receiver, async () => {
      signal.throwIfAborted();
      // Read late: a notification that waits for its place takes no memory.
      const body = await bodyOf(notification);
      return this.#post(target, body, signal);
    });
    if (refused !== undefined) throw refused;
  }

  /** A token with a digest of the body, as the protocol's samples sign notifications, for this address alone. */
  #signature(url: string, body: string): string | undefined {
    const { signer, clock } = this.#options;
    if (signer === undefined) return undefined;
    const iat = Math.floor(clock.now() / 1000);
    const digest = createHash("sha256").update(body).digest("hex");
    const claims = { iat, exp: iat + SIGNATURE_SECONDS, aud: url, request_body_sha256: digest };
    const { protected: header, payload, signature } = signer.sign(JSON.stringify(claims), { typ: "JWT" });
    return `Bearer ${header}.${payload}.${signature}`;
  }

  async #post(
    { url, token, authentication }: PushTarget,
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly answer: ReceiverAnswer; readonly result: PushRefused | undefined }> {
    const headers = new Headers({
      "content-type": "application/a2a+json",
      "user-agent": `fairlead/${Version.FAIRLEAD_VERSION}`,
    });
    if (token !== undefined) headers.set("x-a2a-notification-token", token);
    const { scheme, credentials } = authentication ?? {};
    const given = scheme === undefined || credentials === undefined ? undefined : `${scheme} ${credentials}`;
    const authorization = given ?? this.#signature(url, body);
    if (authorization !== undefined) headers.set("authorization", authorization);
    const outcome = await callReceiver(this.#options.outbound, { url, headers, body, signal });
    const { answer, problem, delayMs, status } = outcome;
    return {
      answer,
      result: problem === undefined ? undefined : new PushRefused(problem, { delayMs, isGone: status === 410 }),
    };
  }
}

async function bodyOf({ update, task, version }: Notification): Promise<string> {
  if (version === "1.0") return JSON.stringify(StreamResponse.toJSON(update));
  // The SDK exports its translation as a part of this handler alone. No other operation of it is called here.
  const handler = { getTask: task } as unknown as A2ARequestHandler;
  return JSON.stringify(await new LegacyRestTransportHandler(handler).getTask("", new ServerCallContext()));
}
