import { restoreContent } from "#kit/artifacts/inline-data.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import type { StepContext } from "../step-context.ts";

/** Puts data back that was too large to stay in its event: a model gets what the user sent. */
export async function inlineData({ context, request }: StepContext): Promise<void> {
  const { artifactService, history, session } = context;
  if (artifactService === undefined || !history.refersToInlineData) return;
  const store = { artifacts: artifactService, session: sessionKey(session) };
  request.contents = await Promise.all(request.contents.map((content) => restoreContent(content, store)));
}
