import type { JsonObject, JsonValue } from "#kit/platform/json.ts";

// The shapes of `agents.json` in the folder of recorded exchanges; its AGENTS.md says what each word means.

export interface AgentsFile {
  readonly apps: Readonly<Record<string, AppDefinition>>;
}

export interface AppDefinition {
  readonly root: AgentDefinition;
  readonly app?: {
    readonly plugin?: boolean;
    readonly resumable?: boolean;
    readonly compaction?: CompactionDefinition;
  };
}

export interface CompactionDefinition {
  readonly interval: number;
  readonly overlap: number;
  readonly model: ModelDefinition;
}

export interface AgentDefinition {
  readonly type?: "llm" | "sequential" | "parallel" | "loop" | "events" | "workflow";
  readonly name: string;
  readonly description?: string;
  readonly subAgents?: readonly AgentDefinition[];
  readonly instruction?: string;
  readonly outputKey?: string;
  readonly includeContents?: string;
  readonly disallowTransferToParent?: boolean;
  readonly disallowTransferToPeers?: boolean;
  readonly outputSchema?: Readonly<Record<string, string>>;
  readonly inputSchema?: Readonly<Record<string, string>>;
  readonly tools?: readonly (string | { readonly agent: AgentDefinition })[];
  readonly callbacks?: Readonly<Record<string, string>>;
  readonly codeExecutor?: boolean;
  readonly maxIterations?: number;
  readonly model?: ModelDefinition;
  readonly events?: readonly EventDefinition[];
}

export interface ModelDefinition {
  readonly rules?: readonly { readonly match: string; readonly steps: readonly StepDefinition[] }[];
  readonly steps?: readonly StepDefinition[];
  readonly repeatLast?: boolean;
}

export interface StepDefinition {
  readonly text?: string;
  readonly chunks?: readonly string[];
  readonly pause?: number;
  readonly sleep?: number;
  readonly thought?: string;
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject; readonly id?: string }[];
  readonly code?: string;
  readonly blob?: readonly [string, string];
  readonly usage?: readonly [number, number];
  readonly finishReason?: string;
  readonly modelVersion?: string;
  readonly customMetadata?: JsonValue;
  readonly error?: string;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly events?: readonly string[];
  readonly empty?: boolean;
}

export interface EventDefinition {
  readonly text?: string;
  readonly partial?: boolean;
  readonly turnComplete?: boolean;
  readonly stateDelta?: JsonObject;
  readonly escalate?: boolean;
  readonly customMetadata?: JsonValue;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly error?: string;
  readonly sleep?: number;
}
