import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext, RunnableAgent } from "#kit/core/context/invocation-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import { type SavedMessage, saveMessageFiles } from "../artifacts/save-message-files.ts";
import type { Content } from "../events/content.ts";
import { sessionKey } from "../sessions/session.ts";

/** Options of a `SaveFilesAsArtifactsPlugin`. */
export interface SaveFilesAsArtifactsPluginOptions {
  /** The plugin's name; `save_files_as_artifacts` by default. */
  readonly name?: string;
}

/**
 * Saves the files of each user message as artifacts and replaces them by notes. A file's display name becomes its name;
 * with the prefix `user:` the artifact belongs to the user. Files without a display name are named after the
 * invocation. The first event of the turn contains the saved versions.
 */
export class SaveFilesAsArtifactsPlugin implements Plugin {
  readonly name: string;
  readonly #saved = new Map<string, SavedMessage["artifactDelta"]>();

  constructor({ name = "save_files_as_artifacts" }: SaveFilesAsArtifactsPluginOptions = {}) {
    this.name = name;
  }

  async onUserMessageCallback(context: InvocationContext, message: Content): Promise<Content | undefined> {
    const { artifactService, invocationId, session } = context;
    const saved = await saveMessageFiles(message, {
      artifactService,
      session: sessionKey(session),
      nameFile: ({ displayName }, index) => displayName ?? `artifact_${invocationId}_${index}`,
    });
    if (saved === undefined) return undefined;
    this.#saved.set(this.#keyOf(context), saved.artifactDelta);
    return saved.content;
  }

  beforeAgentCallback(_agent: RunnableAgent, context: CallbackContext): undefined {
    const key = this.#keyOf(context.invocationContext);
    Object.assign(context.eventActions.artifactDelta, this.#saved.get(key));
    this.#saved.delete(key);
  }

  /** Drops the versions of a turn that ended before its first agent. */
  afterRunCallback(context: InvocationContext): void {
    this.#saved.delete(this.#keyOf(context));
  }

  #keyOf({ invocationId, session }: InvocationContext): string {
    // Identifiers contain no control characters.
    return tenantKey(`${session.userId}\n${session.id}\n${invocationId}`, session.tenantId);
  }
}
