// Original file: fairlead/session/v1/run_journal_service.proto

export const RunScope = {
  RUN_SCOPE_UNSPECIFIED: 'RUN_SCOPE_UNSPECIFIED',
  RUN_SCOPE_RECORDED: 'RUN_SCOPE_RECORDED',
  RUN_SCOPE_AVAILABLE: 'RUN_SCOPE_AVAILABLE',
} as const;

export type RunScope =
  | 'RUN_SCOPE_UNSPECIFIED'
  | 0
  | 'RUN_SCOPE_RECORDED'
  | 1
  | 'RUN_SCOPE_AVAILABLE'
  | 2

export type RunScope__Output = typeof RunScope[keyof typeof RunScope]
