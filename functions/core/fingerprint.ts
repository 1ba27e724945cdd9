import { createHash } from 'node:crypto';
import type { Operation } from './operation.ts';

/** What of an operation tells its replay records from others. */
type ReplayScope = Pick<Operation, 'path' | 'requires'> & { readonly method: string };

/** Where an idempotent request's replay record is, and what the record must have been made for. */
export interface ReplayKey {
  /**
   * SHA-256 over mode, method, path and Idempotency-Key, hex; unique within a project. The client's key is not stored.
   * It says nothing of the API key: after a rotation the new key finds the same record.
   */
  readonly id: string;
  /** SHA-256 over method, path and the canonical body (RFC 8785), hex. */
  readonly fingerprint: string;
}

/** The replay key of a request to an operation, from its Idempotency-Key and canonical body. */
export const replayKey = (operation: ReplayScope, idempotencyKey: string, canonicalBody: string): ReplayKey => ({
  id: digest(operation.requires.mode, operation.method, operation.path, idempotencyKey),
  fingerprint: digest(operation.method, operation.path, canonicalBody),
});

// None of the parts before the last can hold a line feed, so no two inputs join to the same text.
const digest = (...parts: string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex');
