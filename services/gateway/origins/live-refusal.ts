import { createHash } from "node:crypto";
import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { OriginCheck } from "./origin-guard.ts";

/**
 * Refuses WebSockets to `/run_live`, as live runs are not offered. The developer UI shows why a socket was closed, but
 * nothing about a failed handshake. So the handshake is completed and the socket is closed immediately, with a code and
 * the reason.
 */

/** RFC 6455, 1.3. */
const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CLOSE_OPCODE = 0x88;
/** "The server cannot fulfil the request": what ADK's servers close with when a live run cannot be made. */
export const LIVE_CLOSE_CODE = 1011;
/** At most 123 bytes, so that it fits into a control frame. */
export const LIVE_CLOSE_REASON =
  "Live runs (voice and video) are not offered by this server yet. Type a message instead.";
/** Time that the client has to close its side. */
const CLOSE_TIMEOUT_MS = 1000;

type RewriteUrl = (request: Pick<IncomingMessage, "url">) => string;
type IsLiveHandshake = (request: IncomingMessage) => boolean;

/** Recognises handshakes for the live route, after the path is rewritten. */
export function liveHandshakes(rewriteUrl: RewriteUrl = ({ url = "/" }) => url): IsLiveHandshake {
  return (request) =>
    /^\/run_live(?:\?|$)/.test(rewriteUrl(request)) &&
    request.headers.upgrade?.toLowerCase() === "websocket" &&
    typeof request.headers["sec-websocket-key"] === "string";
}

/** Upgrades only handshakes for the live route. All other requests are answered as if they had asked for no upgrade. */
export function liveUpgrades(isLiveHandshake: IsLiveHandshake): Pick<ServerOptions, "shouldUpgradeCallback"> {
  return { shouldUpgradeCallback: isLiveHandshake };
}

/**
 * Answers the handshakes. Older releases of Node have no `shouldUpgradeCallback` and pass every request for an upgrade
 * here; their HTTP parser is detached by then, so that other requests than handshakes get 501.
 */
export function refuseLive(server: Server, isLiveHandshake: IsLiveHandshake, checkOrigin: OriginCheck): void {
  server.on("upgrade", (request, socket) => {
    // A client that disconnects during the handshake is not an error.
    socket.on("error", () => socket.destroy());
    if (!isLiveHandshake(request)) socket.end(plainAnswer("501 Not Implemented"));
    else if (checkOrigin(request) !== undefined) socket.end(plainAnswer("403 Forbidden"));
    else closeWithReason(request, socket);
    const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
    timer.unref();
    socket.once("close", () => clearTimeout(timer));
    // Input is read and dropped, because otherwise the client's close would not be noticed.
    socket.resume();
  });
}

function plainAnswer(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

function closeWithReason({ headers }: IncomingMessage, socket: Duplex): void {
  const key = `${headers["sec-websocket-key"]}${ACCEPT_SUFFIX}`;
  const accept = createHash("sha1").update(key).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.end(closeFrame(LIVE_CLOSE_CODE, LIVE_CLOSE_REASON));
}

function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const frame = Buffer.alloc(4 + text.length);
  frame.writeUInt8(CLOSE_OPCODE, 0);
  frame.writeUInt8(2 + text.length, 1);
  frame.writeUInt16BE(code, 2);
  text.copy(frame, 4);
  return frame;
}
