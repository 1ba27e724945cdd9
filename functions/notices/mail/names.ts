/** The most characters of another's name in a mail. */
const MAX_CHARACTERS = 60;
/** A character of a reader can hold any number of marks. */
const MAX_CLUSTER_LENGTH = 16;

/**
 * What mail programs make a link of: an address's dots, colons, slashes and at signs, in all their widths, where they
 * stand between other characters.
 */
const JOINTS = /[.:/\\@\u2024\u3002\uFE52\uFF0E\uFF61\uFF20\uFE6B\uFF1A\uFE55\u2236\uFF0F\u2044\u2215\uFF3C]+(?=\S)/gu;
/** What changes the order of what stands around it, or is not seen. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
/** What may look like the end of the quotation. */
const QUOTES = /["\u00AB\u00BB\u201C-\u201F\u2033\u2036\u2039\u203A\u300C-\u300F\u301D-\u301F\uFF02\uFF62\uFF63]/gu;
/** So many digits in a row, whatever separates them, are a telephone number to a mail program. */
const TELEPHONE = /\d(?:[\s()+.·–-]*\d){6,}/gu;

/**
 * A name that somebody chose, for the text of a mail, in quotes: one line, cut, nothing in it is unseen, ends the
 * quotation, or is made a link by a mail program.
 */
export function quotedName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll(QUOTES, "'")
    .replaceAll(/(?<=\S)@(?=\S)/g, ' at ')
    .replaceAll(JOINTS, ' ')
    .replaceAll(TELEPHONE, '…')
    .trim();
  const clusters = Array.from(new Intl.Segmenter('en').segment(plain), ({ segment }) =>
    segment.slice(0, MAX_CLUSTER_LENGTH),
  );
  const shown = clusters.slice(0, MAX_CHARACTERS).join('') + (clusters.length > MAX_CHARACTERS ? '…' : '');
  return `“${shown === '' ? '…' : shown}”`;
}

/** The host of an endpoint, for the text of a mail, in quotes: its end, and written so that no mail program makes it a link. */
export function quotedHost(url: string): string {
  const { hostname } = new URL(url);
  const end = hostname.length > MAX_CHARACTERS ? `…${hostname.slice(-MAX_CHARACTERS)}` : hostname;
  return `“${end.replaceAll('.', '[.]')}”`;
}
