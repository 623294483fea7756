import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createClient, type LiveCall } from "fairlead/client";
import { expect } from "vitest";
import type { Event } from "#kit/events/event.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { RECOVERY_MS } from "#test/chaos/rig/rig-options.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import { LiveClient } from "#test/helpers/live/live-client.ts";

const FRAME_MS = 20;
const FRAMES_PER_TURN = 25;

/** Calls whose runners are killed: the client's socket stays open, and nothing is lost or stored twice. */
export function liveSuite(test: FaultTest, kills: number): void {
  test(`V1 a call goes on within two leases when its runner is killed, ${kills} times`, async (episode) => {
    await using call = await NumberedCall.open(episode, "killed");
    for (let kill = 0; kill < kills; kill += 1) {
      await call.speak(episode.random.between(1, 2));
      const runner = call.runner;
      await episode.rig.kill("runner", runner);
      const before = call.log.length;
      const speaking = call.speak(2);
      await eventually("the next runner talks", () => call.log.length > before, RECOVERY_MS);
      await speaking;
      await episode.rig.restart("runner", runner);
    }
    await call.finish();
  });

  test("V2 a call goes on when its runner is shut down in good order", async (episode) => {
    await using call = await NumberedCall.open(episode, "terminated");
    await call.speak(2);
    const { runner } = call;
    const terminated = episode.rig.terminate("runner", runner);
    await call.speak(3);
    await terminated;
    await episode.rig.restart("runner", runner);
    await call.finish();
  });

  test("V3 a call goes on when the links to the runners break", async (episode) => {
    await using call = await NumberedCall.open(episode, "cut");
    for (let cut = 0; cut < 3; cut += 1) {
      await call.speak(1);
      episode.rig.reset("gateway-runner");
      await call.speak(1);
    }
    await call.finish();
  });

  test("V4 a call of the client library goes on at another gateway when its gateway is killed", async (episode) => {
    await using service = await OneAddress.of([0, 1].map((index) => episode.rig.gatewayUrl(index)));
    await using call = await NumberedCall.open(episode, "moved", (session) => new OwnClient(service.url, session));
    for (let kill = 0; kill < 3; kill += 1) {
      await call.speak(1);
      const gateway = service.newest;
      await episode.rig.kill("gateway", gateway);
      await call.speak(2);
      await episode.rig.restart("gateway", gateway);
    }
    await call.finish();
  });
}

/** The client of a call. */
interface Talker extends AsyncDisposable {
  readonly events: readonly Event[];
  readonly closed: Promise<{ readonly code: number }>;
  send(message: object): void;
  say(text: string): void;
}

/** `live()` of the client library, which connects again when its connection is lost. */
class OwnClient implements Talker {
  readonly events: Event[] = [];
  readonly closed: Promise<{ readonly code: number }>;
  readonly #call: LiveCall;

  constructor(baseUrl: string, id: string) {
    const client = createClient({ baseUrl, retry: { maxAttempts: 20 } });
    this.#call = client.live({ appName: "live", userId: "ada", id }, { modalities: ["TEXT"] });
    this.closed = this.#read();
    this.closed.catch(() => {});
  }

  async #read(): Promise<{ readonly code: number }> {
    for await (const event of this.#call) this.events.push(event);
    return { code: 1000 };
  }

  send(message: object): void {
    this.#call.send(message);
  }

  say(text: string): void {
    this.#call.say(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#call.close();
  }
}

/** One address of both gateways, as a Service of Kubernetes is: each connection goes to the next one that accepts it. */
class OneAddress implements AsyncDisposable {
  readonly #ports: readonly number[];
  readonly #server = createServer((near) => void this.#forward(near));
  /** The gateway that got the newest connection. */
  newest = 0;

  private constructor(urls: readonly string[]) {
    this.#ports = urls.map((url) => Number(new URL(url).port));
  }

  static async of(urls: readonly string[]): Promise<OneAddress> {
    const address = new OneAddress(urls);
    address.#server.listen(0, "127.0.0.1");
    await once(address.#server, "listening");
    return address;
  }

  get url(): string {
    const bound = this.#server.address();
    if (bound === null || typeof bound === "string") throw new Error("The server has no port.");
    return `http://127.0.0.1:${bound.port}`;
  }

  async #forward(near: Socket): Promise<void> {
    near.on("error", () => {});
    const next = (this.newest + 1) % this.#ports.length;
    const far = connect(this.#ports[next] ?? 0, "127.0.0.1");
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    near.pipe(far).pipe(near);
    this.newest = next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
  }
}

/** A call with numbered frames of sound and numbered turns of text. */
class NumberedCall implements AsyncDisposable {
  readonly #episode: Episode;
  readonly #client: Talker;
  readonly #path: string;
  #frames = 0;
  #turns = 0;

  private constructor(episode: Episode, client: Talker, path: string) {
    this.#episode = episode;
    this.#client = client;
    this.#path = path;
  }

  static async open(episode: Episode, id: string, clientOf?: (session: string) => Talker): Promise<NumberedCall> {
    const { rig } = episode;
    const path = `/apps/live/users/ada/sessions/${id}-${Date.now()}`;
    const gateway = rig.gatewayUrl(episode.random.between(0, 1));
    const body = JSON.stringify({ log: rig.logFile });
    const created = await fetch(`${gateway}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(created.status).toBe(200);
    const session = path.split("/").at(-1) ?? "";
    const query = new URLSearchParams({ app_name: "live", user_id: "ada", session_id: session });
    const client = clientOf?.(session) ?? (await LiveClient.connect(`${gateway}/run_live?${query}&modalities=TEXT`));
    const call = new NumberedCall(episode, client, path);
    await eventually("the model is connected", () => call.log.length > 0);
    return call;
  }

  /** The lines of the model since the call began: process, what, number. */
  get log(): readonly string[] {
    const lines = this.#episode.logOf("live");
    return lines.slice(lines.findLastIndex((line) => line.includes(" resumed 0 ")));
  }

  get runner(): number {
    return this.#episode.runnerOf("live");
  }

  /** Sends so many turns of sound, with a text in each, in real time. */
  async speak(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      for (let frame = 0; frame < FRAMES_PER_TURN; frame += 1) {
        this.#frames += 1;
        const data = Buffer.from(String(this.#frames)).toString("base64");
        this.#client.send({ blob: { mimeType: "audio/pcm", data } });
        await pauseFor(FRAME_MS);
      }
      this.#turns += 1;
      this.#client.say(`turn ${this.#turns}`);
    }
  }

  /** Waits for the last answer, hangs up and checks the whole call. */
  async finish(): Promise<void> {
    const last = `heard turn ${this.#turns}`;
    const isOver = () => this.#client.events.some(({ content }) => content?.parts?.[0]?.text === last);
    await eventually("the last answer arrives", isOver, RECOVERY_MS);
    this.#client.send({ close: true });
    expect(await this.#client.closed).toMatchObject({ code: 1000 });
    this.#checkFrames();
    await this.#checkEvents();
  }

  /** Each process got the frames in order, beginning no later than its handle says, and together they got all. */
  #checkFrames(): void {
    let next = 1;
    const wrong: string[] = [];
    for (const line of this.log) {
      const [, what, number] = line.split(" ");
      const at = Number(number);
      if (what === "resumed") next = Math.min(next, at + 1);
      else if (at > next) wrong.push(`frame ${at} follows ${next - 1}`);
      if (what === "frame") next = at + 1;
    }
    expect([wrong, next - 1]).toEqual([[], this.#frames]);
  }

  async #checkEvents(): Promise<void> {
    const response = await fetch(`${this.#episode.rig.gatewayUrl(0)}${this.#path}`);
    const { events } = (await response.json()) as { events: { content?: { parts?: { text?: string }[] } }[] };
    const texts = events.flatMap(({ content }) => content?.parts?.[0]?.text ?? []);
    const numbers = Array.from({ length: this.#turns }, (_, index) => index + 1);
    expect(texts).toEqual(numbers.flatMap((turn) => [`turn ${turn}`, `heard turn ${turn}`]));
    const heard = this.#client.events.flatMap(({ content }) => content?.parts?.[0]?.text ?? []);
    expect(heard).toEqual(numbers.map((turn) => `heard turn ${turn}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}
