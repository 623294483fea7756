import { restoreContent } from "#kit/artifacts/inline-data.ts";
import { isMessage } from "#kit/events/content.ts";
import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import { sessionKey } from "#kit/sessions/session.ts";

/** Summarizes older history if the prompt would be too long and the app configures compaction. */
export function compaction({ agent, context }: RequestStep): void | Promise<void> {
  if (context.compactor === undefined || agent.includeContents === IncludeContents.NONE) return undefined;
  return context.compactor.beforeModelCall(agent, context);
}

/** Adds the part of the conversation that this agent may see. */
export function contents({ agent, context, request }: RequestStep): void {
  const viewer = { agentName: agent.name, branch: context.branch };
  request.contents =
    agent.includeContents === IncludeContents.NONE
      ? context.history.currentTurn(viewer)
      : context.history.contents(viewer);
  if (context.toolInput !== undefined) request.contents.unshift(context.toolInput);
}

/** Restores data that was moved out of its event because of its size: the model gets what the user sent. */
export function inlineData({ context, request }: RequestStep): void | Promise<void> {
  const { artifactService, history, session } = context;
  if (artifactService === undefined || !history.refersToInlineData) return undefined;
  const store = { artifacts: artifactService, session: sessionKey(session) };
  return Promise.all(request.contents.map((content) => restoreContent(content, store))).then((contents) => {
    request.contents = contents;
  });
}

/** Adds the context of the run's caller for this run only, directly before the user's newest message. Never stored. */
export function runContext({ context, request }: RequestStep): void {
  const { modelInputContext } = context.runConfig;
  if (modelInputContext === undefined || modelInputContext.length === 0) return;
  const { contents } = request;
  request.contents = contents.toSpliced(Math.max(contents.findLastIndex(isMessage), 0), 0, ...modelInputContext);
}
