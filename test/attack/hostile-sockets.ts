import type { IncomingMessage, Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";

const MIB = 1024 * 1024;
/** How long one session may take: the server under attack may have to end it by its own limits first. */
const SESSION_MS = 6000;
/** What one session sends at most. */
const SESSION_BYTES = 400 * MIB;
/** What is sent before the timers and the other sessions of this process have their turn. */
/** What a frame costs besides its text: a flood of small ones would hold the attacker itself. */
const FRAME_BYTES = 200;
const PIECE_BYTES = 256 * 1024;

interface Session {
  readonly socket: WebSocket;
  readonly random: SeededRandom;
  readonly form: ProviderForm;
}

/** How a provider of live models says what all of them say. */
interface ProviderForm {
  readonly first: object | undefined;
  readonly accepted: object;
  answer(text: string): object;
  chunk(text: string): object;
  turnEnd(): object;
  transcript(text: string): object;
  sound(data: string): object;
  calls(count: number): object;
  /** Messages that say nothing to a user. */
  readonly notes: (text: string) => readonly object[];
}

const OPENAI: ProviderForm = {
  first: { type: "session.created", session: {} },
  accepted: { type: "session.updated", session: {} },
  answer: (text) => ({ type: "response.output_text.done", text }),
  chunk: (delta) => ({ type: "response.output_text.delta", delta }),
  turnEnd: () => ({ type: "response.done", response: { status: "completed", output: [], usage: { input_tokens: 1 } } }),
  transcript: (delta) => ({ type: "response.output_audio_transcript.delta", delta }),
  sound: (delta) => ({ type: "response.output_audio.delta", item_id: "i", delta }),
  calls: (count) => {
    const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
    return { type: "response.done", response: { status: "completed", output: Array(count).fill(call) } };
  },
  notes: (text) => [
    { type: "input_audio_buffer.committed", item_id: text },
    { type: "response.created" },
    { type: "input_audio_buffer.speech_started" },
    { type: "error", error: { message: text } },
  ],
};

const GEMINI: ProviderForm = {
  first: undefined,
  accepted: { setupComplete: {} },
  answer: (text) => ({ serverContent: { modelTurn: { parts: [{ text }] }, generationComplete: true } }),
  chunk: (text) => ({ serverContent: { modelTurn: { parts: [{ text }] } } }),
  turnEnd: () => ({ serverContent: { turnComplete: true }, usageMetadata: { totalTokenCount: 1 } }),
  transcript: (text) => ({ serverContent: { outputTranscription: { text } } }),
  sound: (data) => ({ serverContent: { modelTurn: { parts: [{ inlineData: { mimeType: "audio/pcm", data } }] } } }),
  calls: (count) => ({ toolCall: { functionCalls: Array(count).fill({ id: "c", name: "f", args: {} }) } }),
  notes: (text) => [
    { sessionResumptionUpdate: { newHandle: text, resumable: true } },
    { serverContent: { interrupted: true } },
    { toolCallCancellation: { ids: [text] } },
    { serverContent: { inputTranscription: { text } } },
  ],
};

const SESSIONS = {
  "no setup": () => undefined,
  "frames that are not JSON": (session) =>
    flood(session, () => session.random.pick(["x", "{", "\u0000", "[]", "null"])),
  "one huge frame": (session) => {
    const count = session.random.pick([1_000_000, 20_000_000]);
    session.socket.send(`{"serverContent":{"x":[${"1,".repeat(count)}1]},"type":"x"}`);
  },
  "a frame without end": async (session) => {
    for (let bytes = 0; bytes < SESSION_BYTES && isOpen(session); bytes += MIB)
      await sent(session.socket, "x".repeat(MIB), { fin: false });
  },
  "answers without end": (session) => flood(session, ({ answer }) => answer("on and on ".repeat(5000))),
  "chunks without end": (session) => flood(session, ({ chunk }) => chunk("more ".repeat(5000))),
  "small chunks without end": (session) => flood(session, ({ chunk }) => chunk("x")),
  "turns without end": (session) => flood(session, ({ turnEnd }) => turnEnd()),
  "transcripts without end": (session) => flood(session, ({ transcript }) => transcript("said ".repeat(5000))),
  "sound without end": (session) => flood(session, ({ sound }) => sound("A".repeat(64 * 1024))),
  "100,000 calls": (session) => flood(session, ({ calls }) => calls(100_000)),
  "notes without end": (session) => flood(session, ({ notes }) => session.random.pick(notes("n".repeat(20_000)))),
  "an early end": ({ socket, random }) => {
    socket.close(random.pick([1000, 1001, 1008, 1011, 1013, 4000]), "quota ".repeat(20));
  },
  "a broken socket": ({ socket }) => socket.terminate(),
  silence: ({ socket }) => void socket.pause(),
} as const satisfies Readonly<Record<string, (session: Session) => void | Promise<void>>>;

export type HostileSession = keyof typeof SESSIONS;
// The names of the object above.
export const HOSTILE_SESSIONS = Object.keys(SESSIONS) as readonly HostileSession[];

/** Makes the server one of live models, of OpenAI's Realtime API and of Gemini's Live API, with hostile sessions. */
export class HostileSockets implements Disposable {
  /** The kinds of sessions that were opened, the newest last. */
  readonly given: HostileSession[] = [];
  /** The one kind that is given; all of them in a random order if absent. */
  only: HostileSession | undefined;
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(server: Server, random: SeededRandom) {
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => undefined);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        const own = random.fork(`session ${this.given.length}`);
        const kind = this.only ?? own.pick(HOSTILE_SESSIONS);
        this.given.push(kind);
        open(opened, request, { kind, random: own });
      });
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }
}

function open(
  socket: WebSocket,
  { url = "" }: IncomingMessage,
  { kind, random }: { readonly kind: HostileSession; readonly random: SeededRandom },
): void {
  const form = url.includes("realtime") ? OPENAI : GEMINI;
  const limit = setTimeout(() => socket.terminate(), SESSION_MS);
  socket.on("error", () => undefined).once("close", () => clearTimeout(limit));
  if (kind === "no setup") return;
  if (form.first !== undefined) socket.send(JSON.stringify(form.first));
  socket.once("message", () => {
    // Some sessions end before they are set up, or are hostile at once.
    if (random.between(0, 9) > 0) socket.send(JSON.stringify(form.accepted));
    Promise.resolve(SESSIONS[kind]({ socket, random, form })).catch(() => socket.terminate());
  });
}

/** Sends messages as fast as the other side takes them. */
async function flood(session: Session, message: (form: ProviderForm) => object | string): Promise<void> {
  let unsent = 0;
  for (let bytes = 0; bytes < SESSION_BYTES && isOpen(session); ) {
    const given = message(session.form);
    const text = typeof given === "string" ? given : JSON.stringify(given);
    bytes += text.length + FRAME_BYTES;
    unsent += text.length + FRAME_BYTES;
    if (unsent < PIECE_BYTES) session.socket.send(text);
    else {
      await sent(session.socket, text);
      unsent = 0;
    }
  }
}

function sent(socket: WebSocket, text: string, options: { readonly fin?: boolean } = {}): Promise<void> {
  return new Promise((resolve) => socket.send(text, options, () => setImmediate(resolve)));
}

function isOpen({ socket }: Session): boolean {
  return socket.readyState === WebSocket.OPEN;
}
