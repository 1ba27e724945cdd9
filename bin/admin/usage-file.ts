import { rmSync } from 'node:fs';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { system } from '../../functions/system.ts';

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a text to a file, which it replaces, or to none: it grows under another name beside it and takes its place when
 * all of it is on disk. What fails or is interrupted leaves nothing. Throws an error of one line when the file cannot be
 * written, and what the text throws.
 */
export async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  const { target, mode } = await replaceable(file);
  const partial = join(dirname(target), `.usage-export-${system.newId()}.partial`);
  const discard = (): void => rmSync(partial, { force: true });
  const endBy = (signal: NodeJS.Signals): void => {
    discard();
    // Its handler is gone by now: the signal ends the process, as whoever sent it expects.
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING_SIGNALS) process.once(signal, endBy);
  try {
    // Opened before anything can fail: a stream that is still opening would make the file after it was discarded.
    const handle = await open(partial, 'wx', mode);
    // The mask of the process may have taken from the mode.
    await handle.chmod(mode);
    await pipeline(text, handle.createWriteStream({ flush: true }));
    await rename(partial, target);
  } catch (error) {
    discard();
    throw isFileError(error) ? unwritable(file, error.message) : error;
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, endBy);
  }
}

/** What a new file may be read by: its owner. Events hold what clients put into them. */
const PRIVATE = 0o600;

/** The path to replace, behind symbolic links, and its mode: a regular file's or a new one's, and no other's. */
async function replaceable(file: string): Promise<{ target: string; mode: number }> {
  try {
    const found = await stat(file);
    // A device or a pipe would be gone after the renaming.
    if (!found.isFile()) throw unwritable(file, 'it is no regular file');
    return { target: await realpath(file), mode: found.mode & 0o777 };
  } catch (error) {
    if (isFileError(error) && error.code === 'ENOENT') return { target: file, mode: PRIVATE };
    throw isFileError(error) ? unwritable(file, error.message) : error;
  }
}

const unwritable = (file: string, why: string): Error => new Error(`${file} cannot be written: ${why}`);

/** Whether the system refused something, and no part of the text. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error;
