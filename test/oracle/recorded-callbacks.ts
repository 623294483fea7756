import type { Plugin } from "#kit/core/plugin.ts";
import { modelContent } from "#kit/events/content.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { userIndex } from "./script-words.ts";

/** The callbacks of the recordings, by name: each is the options that put it in its slot. */
export const RECORDED_CALLBACKS: Readonly<Record<string, Partial<LlmAgentOptions>>> = {
  skip_if_stop: {
    beforeAgentCallback: (context) =>
      context.state.get("stop") === true ? modelContent("before_agent stopped") : undefined,
  },
  append_after: { afterAgentCallback: () => modelContent("after_agent added") },
  block_word: {
    beforeModelCallback: (context, request) => {
      context.state.set("calls", Number(context.state.get("calls") ?? 0) + 1);
      const user = request.contents[userIndex(request.contents)]?.parts?.[0]?.text ?? "";
      return user.includes("BLOCK") ? { content: modelContent("blocked by before_model") } : undefined;
    },
  },
  upper: {
    afterModelCallback: (_context, response) => {
      const text = response.content?.parts?.[0]?.text ?? "";
      return text.includes("UPPER") ? { content: modelContent(text.toUpperCase()) } : undefined;
    },
  },
  fake_atlantis: {
    beforeToolCallback: (_invocation, _tool, args) =>
      args["city"] === "Atlantis" ? { city: "Atlantis", temp: -1, by: "before_tool" } : undefined,
  },
  mark_gotham: {
    afterToolCallback: (_invocation, _tool, args, _context, result) =>
      args["city"] === "Gotham" ? { ...result, marked: true } : undefined,
  },
  recover_model: {
    onModelErrorCallback: (_context, _request, error) => ({
      content: modelContent(`recovered from: ${error.message}`),
    }),
  },
  recover_tool: { onToolErrorCallback: (_invocation, _tool, _args, _context, error) => ({ recovered: error.message }) },
};

export const RECORDED_PLUGIN: Plugin = {
  name: "recorded",
  onUserMessageCallback: (_context, message) =>
    message.parts?.[0]?.text === "swap" ? { role: "user", parts: [{ text: "swapped" }] } : undefined,
  beforeRunCallback: (context) =>
    context.userContent?.parts?.[0]?.text === "halt" ? modelContent("halted by plugin") : undefined,
  onEventCallback: (_context, event) => ({ ...event, customMetadata: { plugin: "seen" } }),
};
