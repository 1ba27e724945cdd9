/** The active keys of a project, or tokens of an account, by their ids. They stay here when they expire. */
export type ActiveEntries<Entry> = Readonly<Record<string, Entry>>;

/** The entries that have not expired at a moment. */
export const unexpiredEntries = <Entry>(
  entries: ActiveEntries<Entry>,
  nowMs: number,
  expiresAtMs: (entry: Entry) => number,
): ActiveEntries<Entry> =>
  Object.fromEntries(Object.entries(entries).filter(([, entry]) => nowMs < expiresAtMs(entry)));
