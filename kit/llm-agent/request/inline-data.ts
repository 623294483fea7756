import { restoreContent } from "#kit/artifacts/inline-data.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import { sessionKey } from "#kit/sessions/session.ts";

/** Restores data that was moved out of its event because of its size: the model gets what the user sent. */
export function inlineData({ context, request }: RequestStep): void | Promise<void> {
  const { artifactService, history, session } = context;
  if (artifactService === undefined || !history.refersToInlineData) return undefined;
  const store = { artifacts: artifactService, session: sessionKey(session) };
  return Promise.all(request.contents.map((content) => restoreContent(content, store))).then((contents) => {
    request.contents = contents;
  });
}
