import * as v from 'valibot';
import { ADDRESS_RULE, isDeliverable, MAX_ADDRESS_CHARACTERS } from '../../shared/address.ts';
import { MEMBER_ROLES } from '../../shared/choices.ts';
import { isoTime } from '../../shared/time.ts';
import { containsApiKey } from '../../shared/credentials/credential-text.ts';
import { isVisible, MAX_NAME_CHARACTERS, maxCharacters } from '../../shared/http/input.ts';
import { FORMS } from './ids.ts';

/** Schemas for members of a request. Each message says what is valid, and none repeats input. */

const NAME_RULE = `A name has 1 to ${MAX_NAME_CHARACTERS} characters, some that can be seen, and no control characters.`;

/**
 * A name for people: any text with a visible character and without control characters; trimmed and in Unicode's form
 * NFC.
 */
export const Name = v.pipe(
  v.string(NAME_RULE),
  v.transform((text) => text.trim().normalize('NFC')),
  maxCharacters(MAX_NAME_CHARACTERS, NAME_RULE),
  v.check((text) => isVisible(text) && !/\p{Cc}/u.test(text), NAME_RULE),
  v.check((text) => !containsApiKey(text), 'A name must not hold an API key.'),
);

/**
 * As in a browser's form (HTML, "Valid e-mail address"), including apostrophes, and deliverable in the internet. The
 * text stays unchanged: a trimmed or converted address could belong to another person.
 */
export const Email = v.pipe(
  v.string(ADDRESS_RULE),
  maxCharacters(MAX_ADDRESS_CHARACTERS, ADDRESS_RULE),
  v.rfcEmail(ADDRESS_RULE),
  v.check(isDeliverable, ADDRESS_RULE),
);

export const Role = v.picklist(MEMBER_ROLES, `A role is one of ${MEMBER_ROLES.join(', ')}.`);

const KEY_ID_RULE = 'Give the id of a key.';
export const KeyId = v.pipe(v.string(KEY_ID_RULE), v.regex(FORMS.keyId, KEY_ID_RULE));

/** A whole number, as a number in JSON. */
export const integer = (least: number, most: number) => {
  const rule = `Give a whole number from ${least} to ${most}.`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(least, rule), v.maxValue(most, rule));
};

/** RFC 3339, with a year that sorts as text. */
const TIME = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const TIME_RULE = 'Give a time such as 2026-11-21T08:30:00Z.';

/** A moment, in epoch milliseconds. */
export const Time = v.pipe(
  v.string(TIME_RULE),
  v.regex(TIME, TIME_RULE),
  v.transform((text) => ({ text, epochMs: Date.parse(text) })),
  // Date.parse reads February 30 as March 2, and offsets can lead to years that do not sort as text.
  v.check(({ text, epochMs }) => {
    const [date = ''] = text.split('T');
    return !Number.isNaN(epochMs) && isoTime(Date.parse(date)).startsWith(date);
  }, TIME_RULE),
  v.transform(({ epochMs }) => epochMs),
);

/** The body of a change that asks for nothing further. */
export const Nothing = v.object({});

/** The body that names something. */
export const Named = v.object({ name: Name });
