/**
 * Settings of the server for all recordings: the number of model calls per run, and that clients may write `app:`
 * state.
 */
const COMMON = { MAX_LLM_CALLS: "8", ALLOW_CLIENT_APP_STATE: "true", LOG_LEVEL: "error" };

/** The additional settings of each profile of the recordings. */
const PROFILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  cors: { CORS_ORIGINS: "https://ok.example", AUTO_CREATE_SESSION: "true" },
  a2a: { A2A_APPS: "echo,tools,errors,hitl" },
  defaultapp: { DEFAULT_APP_NAME: "echo" },
};

/** The settings with which a server answers the recordings of a profile; undefined if there is no such profile. */
export function settingsOfProfile(profile: string): Readonly<Record<string, string>> | undefined {
  const settings = PROFILES[profile];
  return settings === undefined ? undefined : { ...COMMON, ...settings };
}
