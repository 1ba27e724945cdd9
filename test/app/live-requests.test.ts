import { describe, expect, test } from '@jest/globals';
import { addOlder, newsOf, takeIn, type Listed } from '../../portal/requests/live.ts';
import { someEvent } from '../support/usage-events.ts';

/** A page of the requests with these names, newest first. */
const page = (names: string, cursor: string | null = 'older') => ({
  events: Array.from(names, (requestId) => someEvent({ requestId })),
  cursor,
});
const namesOf = ({ events }: Listed): string => events.map(({ requestId }) => requestId).join('');

describe('the list of requests', () => {
  test('is the newest page, and stays as long as that while no older one was asked for', () => {
    const first = takeIn(undefined, page('cba'));
    expect(namesOf(takeIn(first, page('edc')))).toBe('edc');
  });
  test('keeps older pages below newer requests, each request once', () => {
    const both = addOlder(takeIn(undefined, page('edc')), page('cba', null));
    expect(namesOf(both)).toBe('edcba');
    const grown = takeIn(both, page('gfe'));
    expect(namesOf(grown)).toBe('gfedcba');
    expect(grown.cursor).toBeNull();
  });
  test('has a late request in its place', () => {
    const both = addOlder(takeIn(undefined, page('ec')), page('ba', null));
    expect(namesOf(takeIn(both, page('edc')))).toBe('edcba');
  });
  test('begins again where the newest page does not overlap it: nothing between them was read', () => {
    const both = addOlder(takeIn(undefined, page('edc')), page('ba', null));
    const anew = takeIn(both, page('zyx', 'after-x'));
    expect([namesOf(anew), anew.cursor, anew.hasOlder]).toEqual(['zyx', 'after-x', false]);
  });
  test('stays when a page looked through many requests and found none', () => {
    const listed = takeIn(undefined, page('cba'));
    expect(takeIn(listed, page('', 'looked-so-far'))).toBe(listed);
  });
  test('a page that repeats what is listed adds nothing', () => {
    const both = addOlder(takeIn(undefined, page('dc')), page('cba', 'after-a'));
    expect([namesOf(both), both.cursor]).toEqual(['dcba', 'after-a']);
  });
});

test('news are counted by what is not listed; where the two do not meet there may be more', () => {
  const listed = takeIn(undefined, page('cba'));
  expect(newsOf(listed, page('cba'))).toEqual({ count: 0, hasMore: false });
  expect(newsOf(listed, page('dcb'))).toEqual({ count: 1, hasMore: false });
  expect(newsOf(listed, page('zyx'))).toEqual({ count: 3, hasMore: true });
  expect(newsOf(listed, page('z', null))).toEqual({ count: 1, hasMore: false });
});
