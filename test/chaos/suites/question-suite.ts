import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { UNKNOWN } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import { type ChaosClient, endOf, errorOf } from "#test/chaos/chaos-client.ts";
import type { Observation } from "#test/chaos/checks/recorder.ts";
import type { Episode } from "#test/chaos/episode.ts";
import type { CallKind } from "#test/chaos/rig/asking-server.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import { RECOVERY_MS } from "#test/chaos/rig/rig-options.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";

/** When a runner is killed: before the server's answer reaches it, around that moment, or once the answer is stored. */
const MOMENTS = ["before", "around", "after"] as const;
type Moment = (typeof MOMENTS)[number];
const WORDS = { before: "before they have", around: "about when they get", after: "after they have stored" };

const SCHEDULES = MOMENTS.flatMap((question) => MOMENTS.map((answer) => ({ question, answer })));
/** A killed call has an unknown outcome, and the model makes another one, which asks again. */
const MAX_ROUNDS = 4;

/** F24: runners that are lost while a server's question to the user is asked and answered. */
export function questionSuite(test: FaultTest): void {
  for (const [index, { question, answer }] of SCHEDULES.entries()) {
    test(`F24-${index + 1} a question of an MCP server; runners are killed ${WORDS[question]} the question, and ${WORDS[answer]} the answer's result: each answer takes effect once`, async (episode) => {
      const before = episode.rig.asking.effects.length;
      const conversation = new Conversation(episode, { question, answer });
      const last = await conversation.hold();
      expect([endOf(last), errorOf(last)]).toEqual(["succeeded", undefined]);
      const { answers, session, killed } = conversation;
      expect(killed).toEqual(["question", "answer"]);
      const { events, runs } = await episode.stored(session);
      const { issued } = episode.rig.asking;
      const effects = episode.rig.asking.effects.slice(before);
      const lost = answers.filter(
        ({ requestState }) => !effects.some((effect) => effect.requestState === requestState),
      );
      expect(effects).toEqual(answers.filter((given) => !lost.includes(given)));
      // A runner without processor time loses its runs, perhaps before it sends a call; the model then reads that.
      const unknown = events.filter(({ json }) => json.includes(UNKNOWN.error));
      expect(lost.length).toBeLessThanOrEqual(unknown.length);
      expect(answers.filter(({ requestState }) => !issued.includes(requestState))).toEqual([]);
      expect(events.at(-1)?.json).toContain(`"booked: place ${before + effects.length}"`);
      // The newest run is first.
      expect(runs.map(({ status }) => status)).toEqual(["succeeded", ...answers.map(() => "awaiting_input")]);
      // The session takes the next message.
      const next = await conversation.client.runUntilAnswered(session, conversation.steps, { policy: "reject" });
      expect(next.status).toBe(200);
    });
  }
}

/** A user who answers every question, and the two kills. */
class Conversation {
  readonly client: ChaosClient;
  readonly answers: { readonly requestState: string; readonly note: string }[] = [];
  readonly killed: CallKind[] = [];
  readonly steps: readonly { readonly say: string; readonly until: string }[];
  session: Observation["session"] = { appName: "asking", userId: "", id: "" };
  readonly #episode: Episode;
  readonly #moments: Readonly<Record<CallKind, Moment>>;
  #killing: Promise<void> = Promise.resolve();
  #dead: number | undefined;
  #caller = 0;

  constructor(episode: Episode, moments: Readonly<Record<CallKind, Moment>>) {
    this.client = episode.client();
    this.#episode = episode;
    this.#moments = moments;
    this.steps = [{ say: "booked", until: `${episode.rig.logFile}-${this.client.user}` }];
  }

  get #rig(): ChaosRig {
    return this.#episode.rig;
  }

  /** The run that ended otherwise than with a question. */
  async hold(): Promise<Observation> {
    this.#rig.asking.beforeAnswer = (kind, pid) => this.#onCall(kind, pid);
    this.session = await this.client.createSession("asking");
    const first = await this.client.background(this.session, this.steps, { gateway: 0 });
    await this.client.follow(first, 0);
    await this.#killing;
    if (this.#moments.question === "after") await this.#kill("question");
    let newest = first;
    for (let round = 1; round <= MAX_ROUNDS && endOf(newest) === "awaiting_input"; round += 1)
      newest = await this.#answer(first);
    this.#rig.asking.beforeAnswer = undefined;
    return newest;
  }

  async #answer({ tag }: Observation): Promise<Observation> {
    const { id, requestState } = await this.#question();
    const calls = this.#episode.logOf(tag).length;
    const run = await this.client.background(this.session, this.steps, { gateway: 1, answerTo: id });
    this.answers.push({ requestState, note: this.client.noteOf(run, this.steps) });
    const reading = this.client.follow(run, 1);
    if (this.#moments.answer === "after" && !this.killed.includes("answer")) {
      await eventually("the model has the result", () => this.#episode.logOf(tag).length > calls, RECOVERY_MS);
      await this.#kill("answer");
    }
    writeFileSync(this.steps[0]?.until ?? "", "");
    await reading;
    await this.#killing;
    return run;
  }

  async #onCall(kind: CallKind, pid: number): Promise<void> {
    this.#caller = pid;
    if (this.#moments[kind] === "after" || this.killed.includes(kind)) return;
    if (this.#moments[kind] === "before") return this.#kill(kind);
    this.#killing = pauseFor(this.#episode.random.between(0, 100)).then(() => this.#kill(kind));
  }

  /** Kills the runner that made the newest call, and starts the one again that was killed before. */
  async #kill(kind: CallKind): Promise<void> {
    this.killed.push(kind);
    const runner = this.#rig.replicas("runner").findIndex(({ pid }) => pid === this.#caller);
    const before = this.#dead;
    this.#dead = runner;
    await this.#rig.kill("runner", runner);
    if (before !== undefined) await this.#rig.restart("runner", before);
  }

  /** The newest stored question. */
  async #question(): Promise<{ readonly id: string; readonly requestState: string }> {
    const { events } = await this.#episode.stored(this.session);
    const stored = events.map(({ json }): AskingEvent => JSON.parse(json));
    const input = stored.flatMap(({ actions }) => Object.values(actions?.requestedInputs ?? {})).at(-1);
    const calls = stored.flatMap(({ content }) => content?.parts ?? []).map(({ functionCall }) => functionCall);
    const question = calls.findLast((call) => call?.name === "adk_request_input");
    if (input === undefined || question === undefined) throw new Error("No question is stored.");
    return { id: question.id, requestState: input.state.mcp.requestState };
  }
}

/** The part of a stored event that a question has. */
interface AskingEvent {
  readonly content?: {
    readonly parts?: readonly { readonly functionCall?: { readonly id: string; readonly name: string } }[];
  };
  readonly actions?: {
    readonly requestedInputs?: Readonly<
      Record<string, { readonly state: { readonly mcp: { readonly requestState: string } } }>
    >;
  };
}
