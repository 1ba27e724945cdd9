import { escapedHtml } from '../html.ts';

/** A part of a mail's text, as plain text and as HTML. */
export interface MailText {
  readonly text: string;
  readonly html: string;
}

/** A template of both forms. Each value is escaped for HTML, unless it is a part itself. */
export function mailText(strings: TemplateStringsArray, ...values: readonly (string | number | MailText)[]): MailText {
  const pieces = strings.flatMap((literal, i) => {
    const value = values[i];
    return value === undefined ? [plain(literal)] : [plain(literal), typeof value === 'object' ? value : plain(value)];
  });
  return { text: pieces.map(({ text }) => text).join(''), html: pieces.map(({ html }) => html).join('') };
}

const plain = (value: string | number): MailText => ({ text: String(value), html: escapedHtml(String(value)) });

/** Text that somebody wrote: it is set apart, with its own direction. It is already in quotes, see `quotedName`. */
export const words = (quoted: string): MailText => ({ text: quoted, html: `<bdi>${escapedHtml(quoted)}</bdi>` });

/** The content of a mail. */
export interface MailContent {
  readonly subject: string;
  readonly title: string;
  readonly paragraphs: readonly MailText[];
  /** Groups of named facts, one per line. Only these contain text that other people chose. */
  readonly facts: readonly (readonly (readonly [name: string, value: MailText])[])[];
  readonly action: { readonly words: string; readonly url: string };
  /** Why the reader gets it, and how to stop such mails. */
  readonly why: readonly MailText[];
  /** The address where the person stops such mails. */
  readonly stop: { readonly words: string; readonly url: string };
}

/** Both forms of a mail, from one content. */
export const renderMail = (content: MailContent): { readonly text: string; readonly html: string } => ({
  text: renderText(content),
  html: renderHtml(content),
});

const renderText = ({ title, paragraphs, facts, action, why, stop }: MailContent): string =>
  [
    title,
    ...paragraphs.map(({ text }) => text),
    ...facts.map((group) => group.map(([name, value]) => `  ${name}: ${value.text}`).join('\n')),
    `${action.words}:\n${action.url}`,
    `-- \n${why.map(({ text }) => text).join('\n')}\n${stop.words}:\n${stop.url}`,
  ].join('\n\n') + '\n';

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/**
 * A table with inline styles, since mail programs remove everything else. Dark colours are for mail programs that
 * support a colour scheme. There is no picture, and every link leads to the portal.
 */
function renderHtml({ title, paragraphs, facts, action, why, stop }: MailContent): string {
  const groups = facts.map((group) => {
    const rows = group.map(
      ([name, value]) =>
        `<tr><td class="quiet" style="${FONT};font-size:14px;line-height:20px;color:#5b6270;padding:4px 16px 4px 0;vertical-align:top;min-width:72px">${escapedHtml(name)}</td>` +
        `<td class="ink" style="${FONT};font-size:14px;line-height:20px;color:#14171c;padding:4px 0;vertical-align:top;word-break:break-word">${value.html}</td></tr>`,
    );
    return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" class="line" style="margin:0 0 16px;border-left:3px solid #d5d9e0"><tr><td style="padding:0 0 0 12px"><table role="presentation" cellpadding="0" cellspacing="0" border="0">${rows.join('')}</table></td></tr></table>`;
  });
  const lines = paragraphs.map(
    ({ html }) =>
      `<p class="ink" style="${FONT};font-size:16px;line-height:24px;color:#14171c;margin:0 0 16px">${html}</p>`,
  );
  const foot = why.map(
    ({ html }) =>
      `<p class="quiet" style="${FONT};font-size:13px;line-height:20px;color:#5b6270;margin:0 0 8px">${html}</p>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapedHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0e1014 !important; }
.card { background: #16191f !important; border-color: #2c313b !important; }
.ink, .ink bdi { color: #eceef2 !important; }
.quiet, .quiet a { color: #a3abb9 !important; }
.line { border-color: #3b424f !important; }
.press { background: #eceef2 !important; }
.press a { color: #14171c !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="page" style="background:#f4f5f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card" style="max-width:560px;background:#ffffff;border:1px solid #d5d9e0;border-radius:8px">
<tr><td align="left" style="padding:28px 24px 12px">
<h1 class="ink" style="${FONT};font-size:20px;line-height:28px;font-weight:600;color:#14171c;margin:0 0 16px">${escapedHtml(title)}</h1>
${[...lines, ...groups].join('\n')}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 20px"><tr><td class="press" style="background:#14171c;border-radius:6px"><a href="${escapedHtml(action.url)}" style="display:inline-block;padding:10px 18px;${FONT};font-size:15px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">${escapedHtml(action.words)}</a></td></tr></table>
</td></tr>
<tr><td align="left" class="line" style="padding:16px 24px;border-top:1px solid #d5d9e0">
${foot.join('\n')}
<p class="quiet" style="${FONT};font-size:13px;line-height:20px;color:#5b6270;margin:0 0 8px"><a href="${escapedHtml(stop.url)}" style="color:#5b6270">${escapedHtml(stop.words)}</a></p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
