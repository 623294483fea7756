import type { AuthCredential } from "../auth-credential.ts";
import { answerKeyOf } from "../credential-key.ts";
import type { CredentialScope } from "../credential-scope.ts";

/**
 * The credential that the user's answer to a request leads to; `work` exchanges and stores it. The answer is used once
 * in a run: later calls use the stored credential, or throw the same failure. Undefined if there is no answer.
 */
export async function takeAnswer(
  scope: CredentialScope,
  credentialKey: string,
  work: (given: AuthCredential) => Promise<AuthCredential | undefined>,
): Promise<AuthCredential | undefined> {
  const { answer, known } = scope;
  if (answer?.credentialKey !== credentialKey) return undefined;
  const earlier = known.answers.get(answer.questionId);
  if (earlier !== undefined) {
    await earlier;
    return undefined;
  }
  const taken = take(scope, answerKeyOf(answer.questionId), work);
  known.answers.set(answer.questionId, taken);
  return taken;
}

async function take(
  { owner, service }: CredentialScope,
  key: string,
  work: (given: AuthCredential) => Promise<AuthCredential | undefined>,
): Promise<AuthCredential | undefined> {
  const given = await service.loadCredential(owner, key);
  if (given === undefined) return undefined;
  await service.deleteCredential(owner, key);
  return work(given.credential);
}
