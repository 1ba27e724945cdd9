import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What we and the engines keep there; `*-wal`, `*-shm` and `*-journal` are SQLite's. */
const OURS = /^(demo\.json|dynoxide\.sqlite(-\w+)?|shared-local-instance\.db(-\w+)?)$/;

/**
 * Makes a data directory that only its owner can enter, if there is none; in one that is there, our files become their
 * owner's alone. Throws what the system says when it cannot. New files: see `local/supervisor.ts`.
 */
export function openDataDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() && OURS.test(entry.name)) chmodSync(join(directory, entry.name), 0o600);
  }
}
