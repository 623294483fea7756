import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { LoadArtifactsTool } from "#kit/tools/load-artifacts-tool.ts";
import { LoadMemoryTool } from "#kit/tools/load-memory-tool.ts";
import {
  EnterpriseWebSearchTool,
  GoogleMapsGroundingTool,
  GoogleSearchTool,
  UrlContextTool,
} from "#kit/tools/model-tools/gemini-tools.ts";
import { PreloadMemoryTool } from "#kit/tools/preload-memory-tool.ts";

// Tools hold no state of a run, so one instance serves all agents.

/** An `EnterpriseWebSearchTool` without options. */
export const ENTERPRISE_WEB_SEARCH = new EnterpriseWebSearchTool();
/** An `ExitLoopTool`. */
export const EXIT_LOOP = new ExitLoopTool();
/** A `GoogleMapsGroundingTool` without options. */
export const GOOGLE_MAPS_GROUNDING = new GoogleMapsGroundingTool();
/** A `GoogleSearchTool` without options. */
export const GOOGLE_SEARCH = new GoogleSearchTool();
/** A `LoadArtifactsTool`. */
export const LOAD_ARTIFACTS = new LoadArtifactsTool();
/** A `LoadMemoryTool`. */
export const LOAD_MEMORY = new LoadMemoryTool();
/** A `PreloadMemoryTool`. */
export const PRELOAD_MEMORY = new PreloadMemoryTool();
/** A `UrlContextTool` without options. */
export const URL_CONTEXT = new UrlContextTool();
