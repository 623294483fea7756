/** Settings of the server that hold for all recordings: so many model calls a run were allowed, and clients could write `app:` state. */
const COMMON = { MAX_LLM_CALLS: "8", ALLOW_CLIENT_APP_STATE: "true", LOG_LEVEL: "error" };

/** What each profile of the recordings sets besides. */
const PROFILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  cors: { CORS_ORIGINS: "https://ok.example", AUTO_CREATE_SESSION: "true" },
  a2a: {},
  defaultapp: { DEFAULT_APP_NAME: "echo" },
};

/** The settings with which a server answers the recordings of a profile; undefined when there is no such profile. */
export function settingsOfProfile(profile: string): Readonly<Record<string, string>> | undefined {
  const settings = PROFILES[profile];
  return settings === undefined ? undefined : { ...COMMON, ...settings };
}
