import { LOCAL_KEY_TAG_SECRET } from '../../../local/settings.ts';
import type { Entry } from './journal.ts';
import { findLeaks, type Leak } from './leaks.ts';

/** Secrets that a build may find on its machine, and must not include. */
const PLANTED = {
  OIDC_CLIENT_SECRET: 'planted-client-secret-3Xv9',
  KEY_TAG_SECRETS: 'planted-secret-of-key-tags-8Qm2',
  AWS_ACCESS_KEY_ID: 'PLANTEDACCESSKEY7Tz4',
  AWS_SECRET_ACCESS_KEY: 'planted-secret-access-key-5Lw1',
  AWS_SESSION_TOKEN: 'planted-session-token-6Rk0',
} as const;

/** Puts the planted secrets into the environment of the builds in this test file. */
export const plantSecrets = (): void => void Object.assign(process.env, PLANTED);

/** Finds the planted secrets, the secret of local key tags and whole API keys in the output of a build. */
export function leaksOfBuild(name: string, text: string): Leak[] {
  const secrets = [...Object.values(PLANTED), LOCAL_KEY_TAG_SECRET];
  const entries: Entry[] = secrets.map((secret) => ({ secret: 'secret of key tags', text: secret }));
  return findLeaks([...entries, { output: name, text, mayShow: [] }]);
}
