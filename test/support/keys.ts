import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { generateApiKey, readKeyTagSecrets } from '../../functions/shared/credentials/api-key.ts';
import type { KeyMode } from '../../functions/shared/credentials/credential-text.ts';
import { encodeBase62, randomBase62 } from '../../functions/shared/ids.ts';

import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';

/** The secrets of key tags on a local database. */
export const localKeyTagSecrets = () => Promise.resolve(LOCAL_KEY_TAG_SECRETS);

/** Those of a stage that changes its secret. */
export const twoSecrets = () => Promise.resolve(readKeyTagSecrets('', `${'a'.repeat(32)},${'b'.repeat(32)}`));

/** A key with a valid tag that is not stored. */
export const unknownKey = (projectId: string, mode: KeyMode = 'test'): string =>
  generateApiKey(mode, projectId, LOCAL_KEY_TAG_SECRETS, randomBytes);

/** A key that anybody can make from public knowledge: its shape, a project id and the checksum. */
export const forgedKey = (projectId: string, mode = 'test'): string =>
  withChecksum(`svc_${mode}_${projectId}${randomBase62(24, randomBytes)}`);

/** Appends the correct checksum to a key without one. */
export const withChecksum = (text: string): string => text + encodeBase62(crc32(text), 6);
