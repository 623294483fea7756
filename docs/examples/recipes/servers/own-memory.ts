import { createApp } from "fairlead/adk";
import {
  LlmAgent,
  type MemoryEntry,
  type MemoryService,
  PreloadMemoryTool,
  Runner,
  textOf,
  userContent,
} from "fairlead/kit";
import { ScriptedModel } from "fairlead/kit/testing";

/** Stands for your vector database: an embedding is how often each letter occurs. */
class LetterMemory implements MemoryService {
  readonly #entries = new Map<string, MemoryEntry[]>();

  async addSessionToMemory(): Promise<void> {}
  async deleteSessionMemory(): Promise<void> {}

  async addMemoryEntries({ userId }: { readonly userId: string }, entries: readonly MemoryEntry[]): Promise<void> {
    this.#entries.set(userId, [...(this.#entries.get(userId) ?? []), ...entries]);
  }

  async searchMemory({ userId }: { readonly userId: string }, query: string) {
    const near = ({ content }: MemoryEntry) => similarity(embed(textOf(content)), embed(query));
    const memories = (this.#entries.get(userId) ?? []).toSorted((a, b) => near(b) - near(a)).slice(0, 1);
    return { memories };
  }
}

const embed = (text: string) =>
  [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => text.toLowerCase().split(letter).length - 1);
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
const similarity = (a: readonly number[], b: readonly number[]) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b) || 1);

const memoryService = new LetterMemory();
const note = (text: string): MemoryEntry => ({ content: userContent(text), author: "user" });
await memoryService.addMemoryEntries({ userId: "ada" }, [note("Ada has a bicycle"), note("Ada drinks tea")]);

const model = new ScriptedModel([
  ({ systemInstruction }) => (String(systemInstruction).includes("bicycle") ? "By bicycle." : "I do not know."),
]);
const rootAgent = new LlmAgent({ name: "friend", model, instruction: "Talk.", tools: [new PreloadMemoryTool()] });
const app = createApp({ name: "friend", rootAgent });
const runner = new Runner({ app, memoryService, runConfig: { autoCreateSession: true } });
const newMessage = userContent("Which bicycles has she?");
for await (const event of runner.runAsync({ userId: "ada", sessionId: "first", newMessage }))
  console.log(`${event.author}: ${textOf(event.content)}`);
