import type { BlockCodeExecutor, CodeExecutionInput, CodeExecutionResult, File } from "#kit/core/code-executor.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { CodeExecutionResult as ResultPart } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { errorText } from "#kit/llm-agent/tool-calls/tool-response.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { inputFilesOf } from "./code-execution-files.ts";

export const EXECUTION_CONTEXT_KEY = "_code_execution_context";
/**
 * Other ADK servers count failures under this key of the state, and do not remove the counts of invocations that end
 * with a failure.
 */
const ERROR_COUNTS_KEY = "_code_executor_error_counts";

/** Whether code may be run: not after too many consecutive failures in this invocation. */
export function mayExecute(context: InvocationContext, executor: BlockCodeExecutor): boolean {
  return errorCount(context) <= executor.errorRetryAttempts;
}

/** Runs the code once the event that contains it is stored, and yields the event with the result. */
export async function* executeBlock(
  context: InvocationContext,
  executor: BlockCodeExecutor,
  code: string,
): AsyncGenerator<Event, void, undefined> {
  await context.persisted();
  const callbacks = new CallbackContext(context);
  const inputFiles = executor.optimizeDataFile ? await inputFilesOf(callbacks) : [];
  const executionId = executor.stateful ? executionIdOf(context) : undefined;
  const input = { code, inputFiles, executionId };
  const result = await execute(context, executor, input);
  const outcome = result.outcome ?? (result.stderr === "" ? "ok" : "failed");
  callbacks.state.set(
    EXECUTION_CONTEXT_KEY,
    present({
      ...executionContext(context.session.state),
      execution_session_id: executionId,
    }),
  );
  const errors = outcome === "ok" ? 0 : errorCount(context) + 1;
  if (callbacks.state.has(ERROR_COUNTS_KEY)) callbacks.state.delete(ERROR_COUNTS_KEY);
  const output =
    outcome === "ok"
      ? successText(result, await saveFiles(callbacks, result.outputFiles))
      : failureText(result, errors > executor.errorRetryAttempts);
  const part: ResultPart = { outcome: OUTCOMES[outcome], output };
  yield context.createEvent({
    content: { role: "model", parts: [{ codeExecutionResult: part }] },
    actions: callbacks.eventActions,
  });
}

const OUTCOMES = { ok: "OUTCOME_OK", failed: "OUTCOME_FAILED", "timed-out": "OUTCOME_DEADLINE_EXCEEDED" } as const;

/** A `PlatformError` of the executor ends the run; any other error is the code's failure. */
async function execute(
  context: InvocationContext,
  executor: BlockCodeExecutor,
  input: CodeExecutionInput,
): Promise<CodeExecutionResult> {
  const { ids, logger } = context.services;
  const { signal } = context;
  const span = context.span.child("execute_code", { "gen_ai.operation.name": "execute_code" });
  try {
    return await executor.executeCode(input, { jobId: ids.next(), signal, logger });
  } catch (error) {
    span.fail(error);
    if (signal.aborted) throw signal.reason;
    if (error instanceof PlatformError) throw error;
    logger.warn({ agentName: context.agent.name, sessionId: context.session.id, error }, "code executor failed");
    const stderr = errorText(error);
    return { stdout: "", stderr, outputFiles: [], outcome: "failed" };
  } finally {
    span.end();
  }
}

/** The agent's failures in this invocation since its code last succeeded, read from its stored results. */
function errorCount({ agent, branch, invocationId, session }: InvocationContext): number {
  let count = 0;
  for (let index = session.events.length - 1; index >= 0; index -= 1) {
    const event = session.events[index];
    // State changes of clients during the run have invocation ids of their own.
    if (event === undefined || (event.invocationId !== invocationId && event.author !== USER_AUTHOR)) break;
    if (event.author !== agent.name || event.branch !== branch) continue;
    const result = event.content?.parts?.at(-1)?.codeExecutionResult;
    if (result?.outcome === OUTCOMES.ok) break;
    if (result !== undefined) count += 1;
  }
  return count;
}

/**
 * An id made of tenant, app, user and session, so that equal session ids of two users never share variables. It is never read
 * from the state, because clients can write that.
 */
function executionIdOf({ session }: InvocationContext): string {
  const names = [session.appName, session.userId, session.id].map(encodeURIComponent).join("/");
  // Escaped names contain no slash, so an id with a tenant has one segment more than an id without.
  const { tenantId } = inTenant(session.tenantId);
  return tenantId === undefined ? names : `${tenantId}/${names}`;
}

async function saveFiles(callbacks: CallbackContext, files: readonly File[]): Promise<string> {
  if (files.length === 0) return "";
  const names = files.map(({ name }) => `\`${name}\``).join(", ");
  if (callbacks.invocationContext.artifactService === undefined)
    return `These files were written and not kept, for there is no place for them: ${names}`;
  for (const { name, content, mimeType = "application/octet-stream" } of files)
    await callbacks.saveArtifact(name, { inlineData: { mimeType, data: content } });
  return `Saved artifacts:\n${names}`;
}

function successText({ stdout, stderr, outputFiles }: CodeExecutionResult, saved: string): string {
  const sections: readonly string[] = [
    stdout !== "" || outputFiles.length === 0 ? `Code execution result:\n${stdout}\n` : "",
    stderr === "" ? "" : `Warnings:\n${stderr}\n`,
    saved,
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function failureText({ stdout, stderr }: CodeExecutionResult, last: boolean): string {
  const sections: readonly string[] = [
    stderr === "" ? "The code failed." : stderr,
    stdout === "" ? "" : `Printed before:\n${stdout}`,
    last
      ? "No more code is run for this question. Answer with what you know, and say what you could not find out."
      : "",
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** The stored execution context, to which others add entries. */
export function executionContext(state: JsonObject): JsonObject {
  const kept = state[EXECUTION_CONTEXT_KEY];
  return isJsonObject(kept) ? kept : {};
}
