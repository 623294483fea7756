import { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor } from "@a2a-js/sdk/server";
import { type A2APeer, type PeerRequest, startA2aPeer } from "#test/helpers/a2a/a2a-peer.ts";

/** What the peer says before the test lets it go on, and after. */
const FIRST = ["one ", "two ", "three "];
const REST = ["four ", "five"];

type Execution = Parameters<AgentExecutor["execute"]>;

/** A server of the protocol's package, whose agent answers in chunks, with a pause that the test ends. */
export class RemotePeer implements AsyncDisposable {
  static readonly ANSWER = [...FIRST, ...REST].join("");
  #going = Promise.withResolvers<void>();
  #held: Promise<void> = Promise.resolve();
  #peer: A2APeer | undefined;

  static async start(): Promise<RemotePeer> {
    const remote = new RemotePeer();
    const executor = { execute: (...call: Execution) => remote.#answer(...call), cancelTask: async () => {} };
    remote.#peer = await startA2aPeer(executor, { held: () => remote.#held });
    return remote;
  }

  get url(): string {
    return this.#peer?.origin ?? "";
  }

  get requests(): readonly PeerRequest[] {
    return this.#peer?.requests ?? [];
  }

  /** Holds what streams answer until the returned function is called: tasks work meanwhile. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  /** Ends the pause of all answers. */
  goOn(): void {
    this.#going.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.goOn();
    await this.#peer?.[Symbol.asyncDispose]();
  }

  async #answer(...[{ taskId, contextId, userMessage }, queue]: Execution): Promise<void> {
    const place = { taskId, contextId };
    const working = { state: "TASK_STATE_WORKING" };
    queue.publish(
      AgentEvent.task(
        Task.fromJSON({ id: taskId, contextId, status: working, history: [Message.toJSON(userMessage)] }),
      ),
    );
    const say = (text: string, append: boolean) => {
      const update = { ...place, artifact: { artifactId: "answer", parts: [{ text }] }, append };
      queue.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
    };
    for (const [index, text] of FIRST.entries()) say(text, index > 0);
    await this.#going.promise;
    for (const text of REST) say(text, true);
    const completed = { ...place, status: { state: "TASK_STATE_COMPLETED" } };
    queue.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(completed)));
    queue.finished();
  }
}
