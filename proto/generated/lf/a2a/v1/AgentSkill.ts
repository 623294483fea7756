// Original file: lf/a2a/v1/a2a.proto

import type { SecurityRequirement as _lf_a2a_v1_SecurityRequirement, SecurityRequirement__Output as _lf_a2a_v1_SecurityRequirement__Output } from '../../../lf/a2a/v1/SecurityRequirement.ts';

export interface AgentSkill {
  'id'?: (string);
  'name'?: (string);
  'description'?: (string);
  'tags'?: (string)[];
  'examples'?: (string)[];
  'inputModes'?: (string)[];
  'outputModes'?: (string)[];
  'securityRequirements'?: (_lf_a2a_v1_SecurityRequirement)[];
}

export interface AgentSkill__Output {
  'id': (string);
  'name': (string);
  'description': (string);
  'tags': (string)[];
  'examples': (string)[];
  'inputModes': (string)[];
  'outputModes': (string)[];
  'securityRequirements': (_lf_a2a_v1_SecurityRequirement__Output)[];
}
