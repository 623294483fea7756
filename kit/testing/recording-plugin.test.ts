import { describe, expect, it } from "vitest";
import { createAgentWorld } from "#test/helpers/agent-world.ts";
import { LlmAgent } from "../agents/llm-agent.ts";
import { modelContent } from "../events/content.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { RecordingPlugin } from "./recording-plugin.ts";
import { functionCallResponse, ScriptedModel } from "./scripted-model.ts";
