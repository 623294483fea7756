// Original file: lf/a2a/v1/a2a.proto

import type { AgentInterface as _lf_a2a_v1_AgentInterface, AgentInterface__Output as _lf_a2a_v1_AgentInterface__Output } from '../../../lf/a2a/v1/AgentInterface.ts';
import type { AgentProvider as _lf_a2a_v1_AgentProvider, AgentProvider__Output as _lf_a2a_v1_AgentProvider__Output } from '../../../lf/a2a/v1/AgentProvider.ts';
import type { AgentCapabilities as _lf_a2a_v1_AgentCapabilities, AgentCapabilities__Output as _lf_a2a_v1_AgentCapabilities__Output } from '../../../lf/a2a/v1/AgentCapabilities.ts';
import type { SecurityScheme as _lf_a2a_v1_SecurityScheme, SecurityScheme__Output as _lf_a2a_v1_SecurityScheme__Output } from '../../../lf/a2a/v1/SecurityScheme.ts';
import type { SecurityRequirement as _lf_a2a_v1_SecurityRequirement, SecurityRequirement__Output as _lf_a2a_v1_SecurityRequirement__Output } from '../../../lf/a2a/v1/SecurityRequirement.ts';
import type { AgentSkill as _lf_a2a_v1_AgentSkill, AgentSkill__Output as _lf_a2a_v1_AgentSkill__Output } from '../../../lf/a2a/v1/AgentSkill.ts';
import type { AgentCardSignature as _lf_a2a_v1_AgentCardSignature, AgentCardSignature__Output as _lf_a2a_v1_AgentCardSignature__Output } from '../../../lf/a2a/v1/AgentCardSignature.ts';

export interface AgentCard {
  'name'?: (string);
  'description'?: (string);
  'supportedInterfaces'?: (_lf_a2a_v1_AgentInterface)[];
  'provider'?: (_lf_a2a_v1_AgentProvider | null);
  'version'?: (string);
  'documentationUrl'?: (string);
  'capabilities'?: (_lf_a2a_v1_AgentCapabilities | null);
  'securitySchemes'?: ({[key: string]: _lf_a2a_v1_SecurityScheme});
  'securityRequirements'?: (_lf_a2a_v1_SecurityRequirement)[];
  'defaultInputModes'?: (string)[];
  'defaultOutputModes'?: (string)[];
  'skills'?: (_lf_a2a_v1_AgentSkill)[];
  'signatures'?: (_lf_a2a_v1_AgentCardSignature)[];
  'iconUrl'?: (string);
  '_documentationUrl'?: "documentationUrl";
  '_iconUrl'?: "iconUrl";
}

export interface AgentCard__Output {
  'name': (string);
  'description': (string);
  'supportedInterfaces': (_lf_a2a_v1_AgentInterface__Output)[];
  'provider': (_lf_a2a_v1_AgentProvider__Output | null);
  'version': (string);
  'documentationUrl'?: (string);
  'capabilities': (_lf_a2a_v1_AgentCapabilities__Output | null);
  'securitySchemes': ({[key: string]: _lf_a2a_v1_SecurityScheme__Output});
  'securityRequirements': (_lf_a2a_v1_SecurityRequirement__Output)[];
  'defaultInputModes': (string)[];
  'defaultOutputModes': (string)[];
  'skills': (_lf_a2a_v1_AgentSkill__Output)[];
  'signatures': (_lf_a2a_v1_AgentCardSignature__Output)[];
  'iconUrl'?: (string);
  '_documentationUrl'?: "documentationUrl";
  '_iconUrl'?: "iconUrl";
}
