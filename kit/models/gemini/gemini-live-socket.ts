import type { GoogleGenAI } from "@google/genai";
import type { RawSocket } from "#kit/models/live/keep-alive.ts";
import { rawSocketOf } from "#kit/models/live/keep-alive.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** The largest message: minutes of sound. The SDK itself reads 100 MiB and parses them. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

type LiveClient = GoogleGenAI["live"];

/** A socket of the SDK, whose types do not show it. */
interface Socket {
  connect(): void;
  send(message: string): void;
  close(): void;
}

interface SocketCallbacks {
  readonly onopen: () => void;
  readonly onmessage: (event: { readonly data: unknown }) => void;
  readonly onerror: (event: unknown) => void;
  readonly onclose: (event: unknown) => void;
}

interface SocketFactory {
  create(url: string, headers: Readonly<Record<string, string>>, callbacks: SocketCallbacks): Socket;
}

export interface SocketWatch {
  /** Each message but the answer to the setup. */
  readonly message: (message: JsonObject) => void;
  /** A frame that is not a JSON object. */
  readonly unreadable: () => void;
  /** Added to the setup, which the SDK writes: members that it does not know. */
  readonly setup: JsonObject;
}

/** One use of the SDK's live client, with access to its socket. */
export interface WatchedClient {
  readonly live: LiveClient;
  /** The socket once it was opened. */
  readonly socket: () => RawSocket | undefined;
  /** Ends the socket at once, also one that is being opened. */
  readonly abandon: () => void;
}

/**
 * The SDK's live client for one session, with the messages read here: the SDK parses each in a promise that nobody
 * awaits, so that a frame that is not JSON would end the process.
 */
export function watchedClient(live: LiveClient, watch: SocketWatch): WatchedClient {
  // Private in the SDK's types.
  const factory = Reflect.get(live, "webSocketFactory") as SocketFactory;
  let socket: Socket | undefined;
  const create: SocketFactory["create"] = (url, headers, callbacks) => {
    const onopen = (): void => {
      limitReading(raw());
      callbacks.onopen();
    };
    const made = factory.create(url, headers, { ...callbacks, onopen, onmessage: readerOf(callbacks, watch) });
    socket = made;
    let isSetUp = false;
    return {
      connect: () => made.connect(),
      close: () => made.close(),
      send: (message) => {
        made.send(isSetUp ? message : withSetup(message, watch.setup));
        isSetUp = true;
      },
    };
  };
  const raw = (): RawSocket | undefined => socket && rawSocketOf(Reflect.get(socket, "ws"));
  return {
    // The SDK's methods, with another factory.
    live: Object.create(live, { webSocketFactory: { value: { create } } }) as LiveClient,
    socket: raw,
    abandon: () => raw()?.terminate(),
  };
}

/** The SDK has no options for it: `ws` keeps those of an open socket with what reads it. */
function limitReading(socket: RawSocket | undefined): void {
  const receiver: unknown = socket && Reflect.get(socket, "_receiver");
  if (typeof receiver !== "object" || receiver === null) return;
  const extensions: unknown = Reflect.get(receiver, "_extensions") ?? {};
  const readers = [receiver, ...Object.values(extensions as object)];
  for (const reader of readers) Reflect.set(reader, "_maxPayload", MAX_MESSAGE_BYTES);
  // One message in each turn of the event loop, so that a flood of them leaves turns to others.
  Reflect.set(receiver, "_allowSynchronousEvents", false);
}

function readerOf(callbacks: SocketCallbacks, watch: SocketWatch): SocketCallbacks["onmessage"] {
  let isSetUp = false;
  return ({ data }) => {
    const message = parsed(data);
    if (message === undefined) return watch.unreadable();
    if (!isSetUp && message["setupComplete"] !== undefined) {
      isSetUp = true;
      callbacks.onmessage({ data: JSON.stringify({ setupComplete: message["setupComplete"] }) });
    }
    watch.message(message);
  };
}

/** Frames are text or binary. */
function parsed(data: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(data));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withSetup(message: string, members: JsonObject): string {
  if (Object.keys(members).length === 0) return message;
  const { setup, ...rest } = JSON.parse(message);
  return JSON.stringify({ ...rest, setup: { ...setup, ...members } });
}
