/**
 * In place of `@smithy/core/checksum`, of which the DynamoDB client takes SHA-256 only, and is given its own (store/client.ts):
 * without the SDK's hashes in JavaScript for old machines, 5 kB.
 */
export { Sha256 } from '../store/sha256.ts';
