import { restoreContent } from "#kit/artifacts/inline-data.ts";
import type { BlockCodeExecutor } from "#kit/core/code-executor.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { EXECUTION_CONTEXT_KEY, executeBlock, executionContext } from "./code-execution-block.ts";
import { keepDataFile, newDataFiles } from "./code-execution-files.ts";

/** Whether the agent moves data files from messages to its code executor. */
export function takesDataFiles({ codeExecutor }: BaseLlmAgent): boolean {
  return codeExecutor?.kind === "blocks" && codeExecutor.optimizeDataFile;
}

/**
 * Saves each new data file of the user's message and runs code that describes it, so that the model gets its columns
 * and first rows.
 */
export async function* exploreDataFiles(agent: BaseLlmAgent, context: InvocationContext): AsyncGenerator<Event> {
  if (agent.codeExecutor?.kind !== "blocks") return;
  const { artifactService, session, userContent } = context;
  if (userContent === undefined) return;
  const content =
    artifactService === undefined
      ? userContent
      : await restoreContent(userContent, { artifacts: artifactService, session: sessionKey(session) });
  for (const blob of newDataFiles(content, session.state)) {
    // The message may contain the same file twice.
    if (newDataFiles({ parts: [{ inlineData: blob }] }, session.state).length === 0) continue;
    const callbacks = new CallbackContext(context);
    yield* explore(context, agent.codeExecutor, callbacks, await keepDataFile(callbacks, blob));
  }
}

async function* explore(
  context: InvocationContext,
  executor: BlockCodeExecutor,
  callbacks: CallbackContext,
  name: string,
): AsyncGenerator<Event> {
  const known = executionContext(context.session.state);
  const before = known["processed_input_files"];
  const processed = [...(Array.isArray(before) ? before : []), name];
  callbacks.state.set(EXECUTION_CONTEXT_KEY, { ...known, processed_input_files: processed });
  const code = explorationOf(name);
  yield context.createEvent({
    content: {
      role: "model",
      parts: [{ text: `Looking into the file \`${name}\`.\n` }, { executableCode: { code, language: "PYTHON" } }],
    },
    actions: callbacks.eventActions,
  });
  yield* executeBlock(context, executor, code);
}

function explorationOf(name: string): string {
  return `import csv
with open("${name}", newline="", encoding="utf-8-sig", errors="replace") as source:
    rows = csv.reader(source)
    header = next(rows, [])
    first, count = [], 0
    for row in rows:
        count += 1
        if count <= 5:
            first.append(row)
print("${name}:", count, "rows,", len(header), "columns")
print("columns:", header)
for row in first:
    print(row)`;
}
