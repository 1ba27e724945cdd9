import { LOCAL_KEY_TAG_SECRET } from '../../../local/settings.ts';
import type { Entry } from './journal.ts';
import { findLeaks, type Leak } from './leaks.ts';

/** What a build may find on the machine that it runs on, and must leave there. */
const PLANTED = {
  OIDC_CLIENT_SECRET: 'planted-client-secret-3Xv9',
  KEY_TAG_SECRETS: 'planted-secret-of-key-tags-8Qm2',
  AWS_ACCESS_KEY_ID: 'PLANTEDACCESSKEY7Tz4',
  AWS_SECRET_ACCESS_KEY: 'planted-secret-access-key-5Lw1',
  AWS_SESSION_TOKEN: 'planted-session-token-6Rk0',
} as const;

/** Lets what is built in this test file find secrets in its environment. */
export const plantSecrets = (): void => void Object.assign(process.env, PLANTED);

/** Planted secrets, that of local key tags and whole API keys, in what a build has made. */
export function leaksOfBuild(name: string, text: string): Leak[] {
  const secrets = [...Object.values(PLANTED), LOCAL_KEY_TAG_SECRET];
  const entries: Entry[] = secrets.map((secret) => ({ secret: 'secret of key tags', text: secret }));
  return findLeaks([...entries, { output: name, text, mayShow: [] }]);
}
