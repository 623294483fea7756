export interface ProjectNames {
  readonly name: string;
  /** The version of this package. */
  readonly version: string;
}

/** Texts of files by their paths in the project. */
export type Files = Readonly<Record<string, string>>;

/** A kind of project: its app, and the text of its README. */
export interface Template {
  /** One sentence on the agent, for the README. */
  readonly about: string;
  /** The first message that the README suggests; the demo model answers it. */
  readonly firstMessage: string;
  /** The effect of that message; continues "type “…”: ". */
  readonly then: string;
  /** Sections of the README on what the project shows, as Markdown. */
  readonly sections?: string;
  /** Names of agents in the files, which the project cannot have too. */
  readonly agentNames?: readonly string[];
  /** Further packages that the project needs. */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** The files of the app's folder, by path from it. */
  readonly files: (name: string) => Files;
  /** The cases of the app's evaluation set, if it has one. */
  readonly cases?: readonly ExpectedTurn[];
}

/** A case of one turn. */
export interface ExpectedTurn {
  readonly id: string;
  readonly message: string;
  readonly calls: readonly { readonly name: string; readonly args: object }[];
  readonly answer: string;
}

/** The head of a test: imports, and `ask`, which sends a message of the user in a session of its own. */
export function testHead(name: string, imports: { readonly kit: string; readonly testing: string }): string {
  return `import { createApp } from "fairlead/adk";
import { type Content, type Event, ${imports.kit} } from "fairlead/kit";
import { defaultModelRegistry } from "fairlead/models";
import { ${imports.testing} } from "fairlead/kit/testing";
import { expect, it } from "vitest";
import { rootAgent } from "./agent.ts";

const app = createApp({ name: "${name}", rootAgent });

/** A conversation with the agent. The script answers in place of every model, so that the test needs no key. */
async function converse(model: ScriptedModel): Promise<(message: Content) => Promise<readonly Event[]>> {
  defaultModelRegistry.register(/./, () => model);
  const runner = new Runner({ app });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: app.name, userId: "ada" });
  return (newMessage) => Array.fromAsync(runner.runAsync({ userId: "ada", sessionId, newMessage }));
}
`;
}

/** An evaluation set in ADK's format. */
export function evalSetFile(name: string, cases: readonly ExpectedTurn[]): string {
  const evalCases = cases.map(({ id, message, calls, answer }) => ({
    evalId: id,
    conversation: [
      {
        invocationId: "1",
        userContent: { role: "user", parts: [{ text: message }] },
        finalResponse: { role: "model", parts: [{ text: answer }] },
        intermediateData: { toolUses: calls },
      },
    ],
  }));
  return json({ eval_set_id: name, name, eval_cases: evalCases, creation_timestamp: 0 });
}

/** The metrics of a project's evaluation set. */
export const EVAL_CONFIG = json({
  criteria: { tool_trajectory_avg_score: 1, response_match_score: 0.6 },
});

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
