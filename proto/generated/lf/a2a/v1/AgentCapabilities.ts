// Original file: lf/a2a/v1/a2a.proto

import type { AgentExtension as _lf_a2a_v1_AgentExtension, AgentExtension__Output as _lf_a2a_v1_AgentExtension__Output } from '../../../lf/a2a/v1/AgentExtension.ts';

export interface AgentCapabilities {
  'streaming'?: (boolean);
  'pushNotifications'?: (boolean);
  'extensions'?: (_lf_a2a_v1_AgentExtension)[];
  'extendedAgentCard'?: (boolean);
  '_streaming'?: "streaming";
  '_pushNotifications'?: "pushNotifications";
  '_extendedAgentCard'?: "extendedAgentCard";
}

export interface AgentCapabilities__Output {
  'streaming'?: (boolean);
  'pushNotifications'?: (boolean);
  'extensions': (_lf_a2a_v1_AgentExtension__Output)[];
  'extendedAgentCard'?: (boolean);
  '_streaming'?: "streaming";
  '_pushNotifications'?: "pushNotifications";
  '_extendedAgentCard'?: "extendedAgentCard";
}
