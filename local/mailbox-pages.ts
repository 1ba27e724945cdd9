import { escapedHtml } from '../functions/shared/rules/html.ts';

/** A mail as the mailbox keeps it. */
export interface KeptMail {
  readonly id: string;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How often the list looks for new mails. */
const REFRESH_SECONDS = 2;

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 720px; margin: 0 auto; padding: 24px 16px; background: light-dark(#fff, #0e1014); color: light-dark(#14171c, #eceef2); }
h1, h2 { font-size: 20px; }
p, dd, time { color: light-dark(#5b6270, #a3abb9); }
a { color: light-dark(#2853d4, #8fb0ff); }
ul { list-style: none; padding: 0; }
li { border-top: 1px solid light-dark(#d5d9e0, #2c313b); padding: 12px 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 16px; }
dd { margin: 0; overflow-wrap: anywhere; }
iframe { width: 100%; height: 560px; border: 1px solid light-dark(#d5d9e0, #2c313b); border-radius: 8px; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const framed = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${escapedHtml(title)}</title><style>${STYLE}</style></head><body><main>${body}</main></body></html>`;

/** The list of the mails, the newest first. It reloads automatically. */
export function mailboxPage(mails: readonly KeptMail[]): string {
  const items = mails.map(
    ({ id, subject, to, at }) =>
      `<li><a href="/mails/${id}">${escapedHtml(subject)}</a><br>to <bdi>${escapedHtml(to)}</bdi> · <time>${escapedHtml(at.slice(0, 19).replace('T', ' '))} UTC</time></li>`,
  );
  const list = items.length === 0 ? '<p>No mail yet. Invite somebody in the portal.</p>' : `<ul>${items.join('')}</ul>`;
  return framed(
    'Local mailbox',
    `<h1>Local mailbox</h1><p>Every mail of the portal comes here. None leaves this machine. They are gone when npm start ends.</p>${list}`,
    `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
  );
}

/** The HTML of a mail, for the frame: its links open in a new tab, since the portal refuses to be in a frame. */
export const mailFrame = ({ html }: KeptMail): string =>
  html.replace(/^(.*?<head>)?/s, (head) => `${head}<base target="_blank">`);

/** One mail in both of its forms. The HTML is in a frame without an origin, in which no script runs. */
export function mailPage({ id, subject, from, to, at, text, headers }: KeptMail): string {
  return framed(
    subject,
    `<p><a href="/">All mails</a></p><h1>${escapedHtml(subject)}</h1>${listed({ From: from, To: to, Date: at })}` +
      `<iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/mails/${id}.html"></iframe>` +
      `<h2>As text</h2><pre>${escapedHtml(text)}</pre><h2>Other headers</h2>${listed(headers)}`,
  );
}

const listed = (facts: Readonly<Record<string, string>>): string =>
  `<dl>${Object.entries(facts)
    .map(([name, value]) => `<dt>${escapedHtml(name)}</dt><dd>${escapedHtml(value)}</dd>`)
    .join('')}</dl>`;
