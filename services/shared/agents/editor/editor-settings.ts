import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";

/** Settings of the developer UI's editor, for the processes that serve its routes and those that run what it makes. */
export const editorConfigSchema = Type.Object({
  AGENT_EDITOR: Type.Boolean({
    default: false,
    description:
      "Let the developer UI read and save YAML agents below AGENTS_DIR, and serve new ones before they are saved. Every client that reaches the port can change agents, so it is only allowed where HOST is loopback. On by default with `fairlead serve` on loopback.",
  }),
  EDITOR_MODEL: Type.String({
    default: "",
    description:
      "The model of the editor's assistant, and of new agents. Without one the assistant answers what to set, and new agents get a model of a provider whose key is set, or else demo/chat, a script that needs none.",
  }),
});

export type EditorSettings = ConfigOf<typeof editorConfigSchema>;

/** The app that the developer UI calls as its editor's assistant. It is in no list of apps. */
export const BUILDER_ASSISTANT = "__adk_agent_builder_assistant";
