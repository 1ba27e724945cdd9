import { describe, expect, jest, test } from '@jest/globals';
import { PortalError } from '../../portal/api/problem.ts';
import { partOf } from '../../portal/requests/export.ts';
import { exportAll, MAX_ROWS, NOTHING_YET, type Progress } from '../../portal/requests/export.ts';

const HEADER = 'occurredAt,clientRequestId\r\n';
const part = (...rows: string[]): string => HEADER + rows.map((row) => `${row}\r\n`).join('');
const textOf = ({ parts }: Progress): Promise<string> => new Blob([...parts]).text();
const busy = new PortalError('SERVICE_UNAVAILABLE', 'away', {});

/** Exports the content of these answers, in order; an error is thrown. */
function exporting(answers: readonly (string | Error)[], begun = NOTHING_YET) {
  const waits: number[] = [];
  const asked: (string | undefined)[] = [];
  const seen: Progress[] = [];
  const left = [...answers];
  const done = exportAll(begun, {
    read: (cursor) => {
      asked.push(cursor);
      const next = left.shift();
      if (next instanceof Error) return Promise.reject(next);
      return Promise.resolve({ text: next ?? '', cursor: left.length === 0 ? null : `before-${left.length}` });
    },
    wait: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
    onProgress: (progress) => seen.push(progress),
  });
  return { done, waits, asked, seen };
}

describe('an export', () => {
  test('puts its parts together under one header row, and tells how far it is', async () => {
    const { done, asked, seen } = exporting([part('3,c', '2,b'), part(), part('1,a')]);
    expect(await textOf(await done)).toBe(`${HEADER}3,c\r\n2,b\r\n1,a\r\n`);
    expect(asked).toEqual([undefined, 'before-2', 'before-1']);
    expect(seen.map(({ rows }) => rows)).toEqual([2, 2, 3]);
  });
  test.each(['TOO_MANY_REQUESTS', 'STILL_COUNTING'] as const)(
    'waits as long as the portal asks to by %s, however often, and reads the same part again',
    async (code) => {
      const tooMany = new PortalError(code, 'wait', { retryAfterSeconds: 20 });
      const { done, waits, asked, seen } = exporting([part('2,b'), tooMany, tooMany, tooMany, part('1,a')]);
      expect(await textOf(await done)).toBe(`${HEADER}2,b\r\n1,a\r\n`);
      expect(waits).toEqual([20_000, 20_000, 20_000]);
      expect(asked).toEqual([undefined, 'before-4', 'before-4', 'before-4', 'before-4']);
      expect(seen.map(({ isWaiting }) => isWaiting)).toEqual([false, true, true, true, false]);
    },
  );
  test('of one part keeps its bytes, as those of a statement with its sum', async () => {
    const statement = 'row,units,\r\n2026-11-01,3,\r\nsha256,0123,\r\n';
    expect(await textOf(await exporting([statement]).done)).toBe(statement);
  });
  test('retries a temporary failure twice, then stops, and continues from there on request', async () => {
    const { done, seen } = exporting([part('2,b'), busy, busy, busy, part()]);
    await expect(done).rejects.toBe(busy);
    const stopped = seen[0] ?? NOTHING_YET;
    expect(stopped.rows).toBe(1);
    const further = exporting([part('1,a')], stopped);
    expect(await textOf(await further.done)).toBe(`${HEADER}2,b\r\n1,a\r\n`);
    expect(further.asked).toEqual(['before-4']);
  });
  test('stops at once at what does not pass', async () => {
    const gone = new PortalError('NOT_FOUND', 'gone', {});
    const { done, waits } = exporting([part('2,b'), gone, part()]);
    await expect(done).rejects.toBe(gone);
    expect(waits).toEqual([]);
  });
  test('ends with what a file takes, and says so', async () => {
    const read = jest.fn(() => Promise.resolve({ text: part('9,z'), cursor: 'more' }));
    const full = { ...NOTHING_YET, rows: MAX_ROWS - 1, cursor: 'more' };
    const progress = await exportAll(full, { read, wait: () => Promise.resolve(), onProgress: () => undefined });
    expect(progress).toMatchObject({ rows: MAX_ROWS, isCapped: true, isDone: true });
    expect(read).toHaveBeenCalledTimes(1);
  });
});

test('rows are counted, not lines: a cell may hold line ends and quotes', () => {
  expect(partOf(part('1,"a\r\nb"', '2,"say ""x""\r\n"', '3,c')).count).toBe(3);
  expect(partOf(part()).count).toBe(0);
  expect(partOf(`${HEADER}1,without an end`).count).toBe(1);
  expect(partOf(HEADER.trim())).toEqual({ header: HEADER.trim(), rows: '', count: 0 });
});
