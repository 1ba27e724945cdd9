/** The longest name of another person or thing in a mail, in characters. */
const MAX_CHARACTERS = 60;
/** The longest visible character, in UTF-16 units. A visible character can hold any number of marks. */
const MAX_CLUSTER_LENGTH = 16;

/**
 * What mail programs turn into links: the dots, colons, slashes and at signs of an address, in all their widths,
 * between other characters.
 */
const JOINTS = /[.:/\\@\u2024\u3002\uFE52\uFF0E\uFF61\uFF20\uFE6B\uFF1A\uFE55\u2236\uFF0F\u2044\u2215\uFF3C]+(?=\S)/gu;
/** Characters that change the order of the text around them, or are invisible. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
/** Characters that may look like the end of the quotation. */
const QUOTES = /["\u00AB\u00BB\u201C-\u201F\u2033\u2036\u2039\u203A\u300C-\u300F\u301D-\u301F\uFF02\uFF62\uFF63]/gu;
/** A mail program reads this number of digits in a row as a telephone number, with any separators. */
const TELEPHONE = /\d(?:[\s()+.·–-]*\d){6,}/gu;

/**
 * A name that somebody chose, in quotes, for the text of a mail. It is one line and cut. Nothing in it is invisible,
 * ends the quotation, or becomes a link in a mail program.
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

/**
 * The end of an endpoint's host, in quotes, for the text of a mail. It is written in a form that no mail program turns
 * into a link.
 */
export function quotedHost(url: string): string {
  const { hostname } = new URL(url);
  const end = hostname.length > MAX_CHARACTERS ? `…${hostname.slice(-MAX_CHARACTERS)}` : hostname;
  return `“${end.replaceAll('.', '[.]')}”`;
}
