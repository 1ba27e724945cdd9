import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { generateApiKey, type KeyMode } from '../../functions/core/api-key.ts';
import { encodeBase62, randomBase62 } from '../../functions/core/ids.ts';

import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';

/** The secrets of key tags on a local database. */
export const localKeyTagSecrets = () => Promise.resolve(LOCAL_KEY_TAG_SECRETS);

/** A key with the right tag that no gateway has stored. */
export const unknownKey = (projectId: string, mode: KeyMode = 'test'): string =>
  generateApiKey(mode, projectId, LOCAL_KEY_TAG_SECRETS, randomBytes);

/** A key as anybody can make one who knows what is public: its shape, a project's id, the checksum. */
export const forgedKey = (projectId: string, mode = 'test'): string =>
  withChecksum(`svc_${mode}_${projectId}${randomBase62(24, randomBytes)}`);

/** What a key is without its checksum, and the right one after it. */
export const withChecksum = (text: string): string => text + encodeBase62(crc32(text), 6);
