/** The most records in one part of a table, and the most that are read for it. */
export const MAX_PART_RECORDS = 10_000;
/**
 * Lambda answers at most 6 MB (AWS, "Lambda quotas"), counted as JSON with the part as one text. The rest is a reserve.
 */
const MAX_BYTES = 5_500_000;
/** Records that are converted to text at once: some 60 kB. */
const RECORDS_PER_PIECE = 250;

/** Some records, newest first, as a table with its header. */
export interface CsvPart<Position> {
  readonly csv: string;
  /** The position before which there may be more; undefined: there are none. */
  readonly next: Position | undefined;
}

interface TableOf<T, Position> {
  readonly header: string;
  readonly rows: (records: readonly T[]) => string;
  readonly positionOf: (record: T) => Position;
}

/** A table that accepts records while they fit into an answer. */
export function growingTable<T, Position>({ header, rows, positionOf }: TableOf<T, Position>) {
  let csv = header;
  let bytes = 0;
  let count = 0;
  let last: T | undefined;
  return {
    /** Adds records in order. Returns the position of the last one that was added. Undefined: all were added. */
    add: (records: readonly T[]): Position | undefined => {
      for (let i = 0; i < records.length; i += RECORDS_PER_PIECE) {
        const piece = records.slice(i, i + RECORDS_PER_PIECE);
        const text = rows(piece);
        bytes += Buffer.byteLength(JSON.stringify(text));
        if (bytes > MAX_BYTES && last) return positionOf(last);
        csv += text;
        count += piece.length;
        last = piece.at(-1);
      }
      return undefined;
    },
    count: () => count,
    text: () => csv,
  };
}
