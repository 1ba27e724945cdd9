import { createHash } from 'node:crypto';
import type { Position } from '../usage/recent.ts';

const POSITION = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#[0-9a-z-]{1,36}$/;
const CHECK_CHARACTERS = 16;

/**
 * A position among the events of a project, for the page to hand back as it is. The check tells another project's and a
 * damaged one from ours; whoever makes one up gains nothing, since it is only where to read on in their own project.
 */
export const cursorOf = (projectId: string, position: Position): string =>
  Buffer.from(check(projectId, position) + position).toString('base64url');

/** The position in a cursor of this project; undefined: it is none. */
export function readCursor(projectId: string, cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = text.slice(CHECK_CHARACTERS);
  // Written back, too: the decoder leaves out what is not of its alphabet.
  return POSITION.test(position) && cursorOf(projectId, position) === cursor ? position : undefined;
}

const check = (projectId: string, position: Position): string =>
  createHash('sha256').update(`${projectId}\n${position}`).digest('hex').slice(0, CHECK_CHARACTERS);
