import type { ListedDifference } from "../difference.ts";

/** All scenarios that ask for a credential. Recordings of them are not in every folder. */
const SCENARIOS = /^e2\d-/;
const EVENT = String.raw`^\$\.(sse|json\.events)\[\+?\d+\]`;
const REFUSED = "An answer that cannot be used is refused before anything is stored, and the question stays open.";
const NO_TOKEN =
  "The tool gets no credential if the sign-in was refused or its code was not exchanged; the recorded server passes on the unexchanged one.";
const STORED =
  "A user's credential is stored for all later calls of the app; the recorded server has it for one run and asks again.";
const ONCE = "An answer counts once. The recorded server calls the tool again for each.";

export const CREDENTIALS: readonly ListedDifference[] = [
  {
    scenarios: SCENARIOS,
    path: new RegExp(`${EVENT}$`),
    expected: /^nothing$|functionCall\| .*functionCallId/,
    actual: /^nothing$|functionCall\| .*functionCallId/,
    reason: "The results of a round come before the question to the user, as for confirmations.",
    follows: "tools:credentials:asks",
    optional: true,
  },
  {
    scenarios: SCENARIOS,
    path: new RegExp(String.raw`${EVENT}\.actions\.skipSummarization$`),
    cls: "extra fields",
    reason: "The turn ends with each question to the user; the recorded server marks that for confirmations alone.",
    follows: "tools:credentials:asks",
    optional: true,
  },
  {
    scenarios: SCENARIOS,
    path: /\.exchangedAuthCredential\.oauth2\.(authUri|state)$/,
    cls: "different value",
    actual:
      /^https:\/\/auth\.example\.com\/authorize\?response_type=code&client_id=cid&scope=read&state=[\w-]{43}&|^[\w-]{43}$/,
    reason: "Each sign-in has a state of its own, and a code challenge (PKCE) that the recorded server does not send.",
    follows: "tools:credentials:state",
    optional: true,
  },
  {
    scenarios: SCENARIOS,
    path: /\.credentialKey$/,
    cls: "different value",
    expected: /^adk_oauth2_([0-9a-f]{16})_oauth2_[0-9a-f]{16}$/,
    actual: /^adk_oauth2_([0-9a-f]{16})_oauth2_[0-9a-f]{16}$/,
    reason:
      "The key is shown to clients, so no secret is part of it; users stay signed in when the client gets a new secret.",
    follows: "tools:credentials:secrets",
    optional: true,
  },
  {
    scenarios: SCENARIOS,
    path: /\.functionResponse\.response\.exchangedAuthCredential\.oauth2\.(accessToken|refreshToken|authResponseUri|authCode|codeVerifier|idToken)$/,
    cls: "missing fields",
    reason: "What the user gives is kept in the store of credentials, and not in the session.",
    follows: "tools:credentials:secrets",
    optional: true,
  },
  {
    scenarios: /^e2[14]-/,
    path: new RegExp(
      String.raw`${EVENT}\.content\.parts\[0\]\.(functionResponse\.response\.(status|has_oauth2|error)|text)$`,
    ),
    expected: /^nothing$|authorised|^true$/,
    actual: /^nothing$|No token was obtained from auth\.example\.com|ended without consent: access_denied/,
    reason: NO_TOKEN,
    follows: "tools:credentials:answers",
    optional: true,
  },
  {
    scenarios: /^e2[23]-/,
    steps: "answer",
    path: /^\$$/,
    cls: "different status",
    expected: /^200$/,
    actual: /^400$/,
    reason: REFUSED,
    follows: "tools:credentials:state",
    optional: true,
  },
  {
    scenarios: /^e2[23]-/,
    steps: /^read session/,
    path: /^\$\.json\.events\[[456]\]$/,
    cls: "missing fields",
    reason: REFUSED,
    follows: "tools:credentials:state",
    optional: true,
  },
  {
    scenarios: /^e25-/,
    steps: "run_sse auth again",
    path: /^\$\.sse\[[12]\]\./,
    reason: STORED,
    follows: "tools:credentials:refresh",
    optional: true,
  },
  {
    scenarios: /^e25-/,
    steps: /^read session/,
    path: /^\$\.json\.events\[([23]|9|10)\]\./,
    reason: STORED,
    follows: "tools:credentials:refresh",
    optional: true,
  },
  {
    scenarios: /^e26-/,
    steps: "answer again",
    path: /^\$\.sse\[[01]\]\./,
    actual: /^nothing$|was answered before, and an answer counts once|CREDENTIAL_ALREADY_USED/,
    reason: ONCE,
    follows: "tools:credentials:answers",
    optional: true,
  },
  {
    scenarios: /^e26-/,
    steps: /^read session/,
    path: /^\$\.json\.events\[(8|9|\+8)\]$/,
    reason: ONCE,
    follows: "tools:credentials:answers",
    optional: true,
  },
];
