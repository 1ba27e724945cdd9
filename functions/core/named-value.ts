import * as v from 'valibot';

/** A value that someone has set and that cannot be used. The message is one line that names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** What is said of a value that is refused; a function may show it. */
export type Refusal = string | ((issue: v.BaseIssue<unknown>) => string);

/**
 * Reads the value of that name in the settings of a stage, the environment or on the command line. An empty text is as
 * good as none. Throws the first thing that the schema says against it: {@link SettingsError}, or what `refuse` makes of it.
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

/** A text that must be there. */
export const setText = v.string('is not set.');

/** The digits of a whole number within bounds, still as text. */
export const wholeNumber = (least: number, most: number, refusal: Refusal) =>
  v.pipe(
    v.string(refusal),
    v.check((text) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most, refusal),
  );
