import * as v from 'valibot';
import { MEMBER_ROLES } from '../../shared/choices.ts';
import { formed } from './ids.ts';
import { integer } from './fields.ts';

/** Schemas for members of answers. No request is checked with them. */

/** A time in UTC with milliseconds. */
export const Moment = formed(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
/** A number of things. */
export const Count = integer(0, Number.MAX_SAFE_INTEGER);
/** A number of things of which there is one. */
export const CountFromOne = integer(1, Number.MAX_SAFE_INTEGER);
/** A name that people gave. It may be any text without control characters: a page shows it as text. */
export const GivenName = v.pipe(v.string(), v.nonEmpty());
/** A text that is not always known. */
export const MaybeText = v.nullable(v.string());
/** A role in an account. */
export const GivenRole = v.picklist(MEMBER_ROLES);
/** The last four characters of a key. */
export const LastFour = formed(/^[0-9A-Za-z]{4}$/);
/** A period of the quota: a month or a day, in UTC. */
export const PeriodId = formed(/^\d{4}-\d{2}(-\d{2})?$/);
/** The cursor of the next page; null: there is none. */
export const NextCursor = v.nullable(v.string());

/** A text of at most so many characters. */
export const textUpTo = (most: number) =>
  v.pipe(
    v.string(),
    v.check(({ length }) => length <= most),
  );

/** A list of at most so many. */
export const upTo = <S extends v.GenericSchema>(most: number, schema: S) =>
  // oxlint-disable-next-line no-restricted-properties -- of a list it counts entries
  v.pipe(v.array(schema), v.maxLength(most));
