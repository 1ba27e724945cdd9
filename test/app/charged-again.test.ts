import { expect, test } from '@jest/globals';
import { whyChargedAgain } from '../../portal/requests/charged-again.ts';

const HOUR_MS = 3_600_000;
const charged = (hoursAgo: number, units = 1) => ({
  occurredAt: new Date(Date.parse('2026-11-22T10:00:00.000Z') - hoursAgo * HOUR_MS).toISOString(),
  units,
});
const DIFFERED = 'Those charged had different Idempotency-Keys, or none';

test.each([
  ['two charges within a day', [charged(0), charged(23)], true],
  ['one charge and its free repeat', [charged(0, 0), charged(1)], false],
  // The first was no longer stored, so that its key may have been sent again.
  ['two charges a day apart', [charged(0), charged(24)], false],
])('of %s the page says what is sure about their Idempotency-Keys', (_, events, isSaid) => {
  expect(whyChargedAgain(events).includes(DIFFERED)).toBe(isSaid);
});
