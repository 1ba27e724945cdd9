import * as v from 'valibot';

/** A setting that cannot be used. The message is one line that names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The message about a refused value. Only a function may quote the value. */
export type Refusal = string | ((issue: v.BaseIssue<unknown>) => string);

/**
 * Reads a named value of a stage's settings, the environment or the command line. An empty text counts as absent.
 * Throws the first problem that the schema finds: {@link SettingsError}, or the error that `refuse` makes of it.
 */
export function readNamed<S extends v.GenericSchema>(
  name: string,
  value: unknown,
  schema: S,
  refuse = (message: string): Error => new SettingsError(`${name} ${message}`),
): v.InferOutput<S> {
  const read = v.safeParse(schema, value === '' ? undefined : value, { abortEarly: true });
  if (read.success) return read.output;
  throw refuse(read.issues[0].message);
}

/** A required text. */
export const nonEmptyText = v.string('is not set.');

/** The digits of a whole number within bounds, still as text. */
export const wholeNumber = (least: number, most: number, refusal: Refusal) =>
  v.pipe(
    v.string(refusal),
    v.check((text) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most, refusal),
  );
