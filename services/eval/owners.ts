import type { EvalServiceDefinition } from "#proto/agentplane/eval/v1/EvalService.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";

/** Which app's evaluations the calls name: they belong to no user. Pieces after the first name nothing. */
export const EVAL_OWNERS: OwnerRules<EvalServiceDefinition> = {
  CreateEvalSet: appOf,
  ListEvalSets: appOf,
  GetEvalSet: ({ key }) => key ?? undefined,
  DeleteEvalSet: ({ key }) => key ?? undefined,
  ListEvalCases: ({ key }) => key ?? undefined,
  GetEvalCase: ({ key }) => key ?? undefined,
  AddEvalCase: ({ key }) => key ?? undefined,
  UpdateEvalCase: ({ key }) => key ?? undefined,
  DeleteEvalCase: ({ key }) => key ?? undefined,
  SaveEvalSetResult: appOf,
  ListEvalSetResults: appOf,
  GetEvalSetResult: appOf,
};

function appOf({ appName }: { readonly appName: string }): { readonly appName: string } | undefined {
  return appName === "" ? undefined : { appName };
}
