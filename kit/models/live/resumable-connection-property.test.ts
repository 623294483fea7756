import { expect, it } from "vitest";
import { textOf, userContent } from "#kit/events/content.ts";
import type { RealtimeInput } from "#kit/models/base-llm-connection.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import type { LiveInput, LiveListener, LiveProvider, LiveSession } from "./live-session.ts";
import { ResumableConnection } from "./resumable-connection.ts";

const STEP_MS = 100;
/** Less than the lag of a second. */
const MAX_DELAY_STEPS = 6;

/** What a session knows: texts in their order, and the contents among them that wait for an answer. */
interface Known {
  readonly texts: readonly string[];
  readonly open: readonly string[];
}

/** A provider whose sessions receive input late, answer, give handles and break, at random times. */
class RandomProvider implements LiveProvider {
  readonly model = "m";
  readonly random: SeededRandom;
  readonly clock: FixedClock;
  readonly handles = new Map<string, Known>();
  /** The contents in the order in which they were answered. */
  readonly answered: string[] = [];
  /** The frames in the order of their arrival at any session. */
  readonly frames: number[] = [];
  session: RandomSession | undefined;

  readonly maxDelaySteps: number;

  constructor(random: SeededRandom, clock: FixedClock, maxDelaySteps: number) {
    this.maxDelaySteps = maxDelaySteps;
    this.random = random;
    this.clock = clock;
  }

  isFinal(): boolean {
    return false;
  }

  check(): void {}

  async open({ handle, listener }: Parameters<LiveProvider["open"]>[0]): Promise<LiveSession> {
    const known = handle === undefined ? { texts: [], open: [] } : this.handles.get(handle);
    if (known === undefined) throw new ModelError("CLIENT_ERROR", "unknown handle");
    this.session = new RandomSession(this, listener, known);
    return this.session;
  }
}

class RandomSession implements LiveSession {
  readonly texts: string[];
  #open: string[];
  readonly #provider: RandomProvider;
  readonly #listener: LiveListener;
  readonly #underWay: { readonly at: number; readonly arrive: () => void }[] = [];
  #isOver = false;

  constructor(provider: RandomProvider, listener: LiveListener, { texts, open }: Known) {
    this.#provider = provider;
    this.#listener = listener;
    this.texts = [...texts];
    this.#open = [...open];
  }

  begin(): void {}

  send(input: LiveInput): void {
    if (input.kind === "content") {
      const text = textOf(input.content);
      this.#later(() => {
        this.texts.push(text);
        this.#open.push(text);
      });
    } else if (input.kind === "realtime") {
      const number = Number(dataOf(input.input));
      this.#later(() => this.#provider.frames.push(number));
    }
  }

  /** Contents that are given as history are answered already. */
  replay(history: Parameters<LiveSession["replay"]>[0]): void {
    const texts = history.map((content) => textOf(content));
    this.#later(() => {
      this.texts.push(...texts);
      this.#open = this.#open.filter((open) => !texts.some((text) => isAnswerTo(text, open)));
    });
  }

  flush(): readonly [] {
    return [];
  }

  close(): void {
    this.#isOver = true;
  }

  /** What was sent long enough ago arrives. */
  deliver(): void {
    if (this.#isOver) return;
    const now = this.#provider.clock.monotonic();
    while ((this.#underWay[0]?.at ?? Number.POSITIVE_INFINITY) <= now) this.#underWay.shift()?.arrive();
  }

  answer(): void {
    if (this.#isOver || this.#open.length === 0) return;
    const text = `answer to ${this.#open.join(" ")}`;
    this.#provider.answered.push(...this.#open.splice(0));
    this.texts.push(text);
    this.#listener.received({ outputTranscription: { text, finished: true } });
    this.#listener.received({ turnComplete: true });
  }

  giveHandle(): void {
    if (this.#isOver) return;
    const handle = `h${this.#provider.handles.size}`;
    this.#provider.handles.set(handle, { texts: [...this.texts], open: [...this.#open] });
    this.#listener.resumable(handle);
  }

  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.ended(new ModelError("CONNECTION_LOST", "broken"));
  }

  #later(arrive: () => void): void {
    const delayMs = this.#provider.random.between(0, this.#provider.maxDelaySteps) * STEP_MS;
    const at = Math.max(this.#underWay.at(-1)?.at ?? 0, this.#provider.clock.monotonic() + delayMs);
    this.#underWay.push({ at, arrive });
  }
}

function isAnswerTo(text: string, content: string): boolean {
  return text.startsWith("answer to") && text.split(" ").includes(content);
}

function dataOf(input: RealtimeInput): string {
  return "blob" in input ? (input.blob.data ?? "") : "";
}

/** Lets the connection open its next session. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

it.each([
  ["sound and no turn that arrives before the next answer", 0],
  ["sound, however late it arrives", MAX_DELAY_STEPS],
])("loses no %s", async (_what, maxDelaySteps) => {
  for (let run = 0; run < 150; run += 1) {
    const random = new SeededRandom(TEST_SEED + run);
    const clock = new FixedClock();
    const provider = new RandomProvider(random, clock, maxDelaySteps);
    const signal = new AbortController().signal;
    const connection = await ResumableConnection.open(
      { provider, history: [], signal },
      { clock, sleep: async () => {}, maxFailures: 1000 },
    );
    let frames = 0;
    let contents = 0;
    const steps = [
      ...Array.from({ length: 10 }, () => "frame"),
      ...["content", "answer", "answer", "handle", "handle", "drop"],
    ];
    for (let step = 0; step < 200; step += 1) {
      const what = random.pick(steps);
      if (what === "frame") {
        await connection.sendRealtime({ blob: { mimeType: "audio/pcm", data: String(frames) } });
        frames += 1;
      } else if (what === "content") {
        await connection.sendContent(userContent(`c${contents}`));
        contents += 1;
      } else if (what === "answer") provider.session?.answer();
      else if (what === "handle") provider.session?.giveHandle();
      else provider.session?.drop();
      // Some input comes before the next session is open.
      if (random.next() < 0.7) await settle();
      clock.advance(STEP_MS);
      provider.session?.deliver();
    }
    await settle();
    clock.advance(MAX_DELAY_STEPS * STEP_MS);
    provider.session?.deliver();
    provider.session?.answer();
    const named = `seed ${TEST_SEED + run}`;
    expect([...new Set(provider.frames)], named).toEqual(Array.from({ length: frames }, (_, index) => index));
    if (maxDelaySteps > 0) continue;
    const asked = Array.from({ length: contents }, (_, index) => `c${index}`);
    expect([...new Set(provider.answered)].toSorted(), named).toEqual(asked.toSorted());
    // The last session knows each turn, whatever happened to the sessions before.
    expect(
      asked.filter((content) => !provider.session?.texts.includes(content)),
      named,
    ).toEqual([]);
    await connection.close();
  }
});
