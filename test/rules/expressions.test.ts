import { expect, test } from '@jest/globals';
import {
  above,
  absentOr,
  atMost,
  below,
  containing,
  expressionsOf,
  not,
  present,
  type Changes,
  type Conditions,
} from '../../functions/accounts/store/expressions.ts';

/** An expression with the values in the places of their placeholders. */
function read(when: readonly Conditions[], changes?: Changes): { condition: string; update: string } {
  const { condition, update, aliases } = expressionsOf(when, changes);
  const values = aliases.ExpressionAttributeValues ?? {};
  const filled = (text: string) => text.replaceAll(/:v\d+/g, (name) => JSON.stringify(values[name]));
  return { condition: filled(condition), update: filled(update) };
}

test.each<[string, string, readonly Conditions[]]>([
  ['nothing', '', []],
  ['a value', '#a = 1', [{ a: 1 }]],
  ['an absent attribute', 'attribute_not_exists(#a)', [{ a: undefined }]],
  ['one that is there', 'attribute_exists(#a)', [{ a: present }]],
  ['another value', '#a <> "x"', [{ a: not('x') }]],
  ['bounds', '#a < 1 AND #b <= 2 AND #c > 3', [{ a: below(1), b: atMost(2), c: above(3) }]],
  ['a member of a set', 'contains(#a, "x")', [{ a: containing('x') }]],
  ['absent or bounded', '#b = 2 AND (attribute_not_exists(#a) OR #a < 1)', [{ b: 2, a: absentOr(below(1)) }]],
  ['one of several', 'attribute_not_exists(#pk) OR (#a = 1 AND #b = 2)', [{ pk: undefined }, { a: 1, b: 2 }]],
])('a condition requires %s', (_what, condition, when) => {
  expect(read(when)).toEqual({ condition, update: '' });
});

test('a change sets and removes attributes, and adds to them', () => {
  const changes = { set: { a: 'x', b: undefined, c: false }, setIfAbsent: { e: 1 }, add: { d: -1 } };
  expect(read([], changes)).toEqual({
    condition: '',
    update: 'SET #a = "x", #c = false, #e = if_not_exists(#e, 1) REMOVE #b ADD #d -1',
  });
});
