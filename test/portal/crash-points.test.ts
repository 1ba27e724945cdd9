import { afterAll, describe, expect, test } from '@jest/globals';
import { changeSpotsOf, isWrite, keyIn, type ChangeSpot } from '../support/changes/expectation.ts';
import { CHANGE_PATHS, type ChangePath } from '../support/changes/paths.ts';
import { instance, prepared, takenTwice, type Cell } from '../support/changes/run.ts';
import { isStored } from '../support/changes/state.ts';
import { crash, type CrashPoint } from '../support/crashes.ts';
import { IS_FULL } from '../support/extent.ts';
import { misbehavingServer } from '../support/faults.ts';

const server = await misbehavingServer();
afterAll(server.close);

/** A landing tries the changes of more than one write. For the others, `faults` loses the answer to the write. */
const PATHS = CHANGE_PATHS.filter(
  ({ calls, behind = [] }) => IS_FULL || [...calls, ...behind].filter(isWrite).length > 1,
);
/** A landing tries what leaves the most behind: the store is then as before the next call. */
const MOMENTS: readonly CrashPoint['when'][] = [
  'before its answer is seen',
  ...(IS_FULL ? (['before it is sent'] as const) : []),
];
describe('a process that stops', () => {
  test.each(PATHS)('when $name, at any call, leaves one change or none, and its page continues', async (path) => {
    const { reference } = await takenTwice(path);
    const spots = changeSpotsOf(path);
    const firstReads = spots.filter(({ isFirstRead }) => isFirstRead);
    const points = spots
      // It is chance whether calls beside a change run before or after it.
      .filter(({ isFirstRead, operation }) => !isFirstRead && !path.beside?.includes(operation))
      .flatMap((spot) => MOMENTS.map((when) => ({ spot, when })));

    await Promise.all(
      points.map(async ({ spot, when }) => {
        const steady = instance(path);
        const cell = await prepared(path, steady.portal);
        const written = await stop(path, cell, spot, when);
        const isMade = isMadeBy(path, spot, when);
        const left = await cell.look(written);
        expect({ spot, when, items: left.items }).toEqual({
          spot,
          when,
          items: reference[isMade ? 'after' : 'before'],
        });

        const again = await cell.send(steady.portal);
        const { items, ...state } = await cell.look(written, steady.written);
        expect({ spot, when, status: again.status, items }).toEqual({
          spot,
          when,
          status: path.statuses[isMade ? 1 : 0],
          items: reference[isMade ? 'afterRepeat' : 'after'],
        });
        const key = keyIn(again);
        if (key !== undefined) expect(isStored({ items, ...state }, key)).toBe(true);
      }),
    );

    // While a change has only read, several instances may stop at the same one.
    const steady = instance(path);
    const cell = await prepared(path, steady.portal);
    for (const spot of firstReads) await stop(path, cell, spot, 'before its answer is seen');
    expect((await cell.look()).items).toEqual(reference.before);
    expect((await cell.send(steady.portal)).status).toBe(path.statuses[0]);
    expect((await cell.look(steady.written)).items).toEqual(reference.after);
  });
});

/** Whether the change is made although the process stops: at its last call or after it. */
const isMadeBy = ({ calls }: ChangePath, { index }: ChangeSpot, when: CrashPoint['when']): boolean =>
  index > calls.length - 1 || (index === calls.length - 1 && when === 'before its answer is seen');

/** Stops an instance at a call, and returns the partitions that it tried to write to. */
async function stop(path: ChangePath, cell: Cell, { index }: ChangeSpot, when: CrashPoint['when']) {
  const process = crash({ call: index + 1, when }, server);
  const { portal, written } = instance(path, { sleep: process.sleep });
  process.strike(portal.client);
  const answered = cell.send(portal).then(() => {
    throw new Error('it was answered before it stopped');
  });
  await Promise.race([process.stopped, answered]);
  return written;
}
