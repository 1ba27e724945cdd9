import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { NOTICES_ENVIRONMENT } from '../functions/shared/names.ts';
import { close, listen, readBody } from './listening.ts';
import type { Environment } from './settings.ts';
import { escapedHtml } from '../functions/notices/html.ts';

/** Mails that are kept, in memory: the newest. */
const MAX_KEPT = 200;
/** The largest request. SES takes larger ones. */
const MAX_BODY_BYTES = 1024 * 1024;
/** SES's operation `SendEmail`, and its address that the SDK takes from the environment. */
const SEND_PATH = '/v2/email/outbound-emails';
const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_SESV2';
const SENDER = 'Developer portal <portal@localhost>';

/** One address as SES takes it: a name and the address, or the address alone. No list. */
const ADDRESS = /^(?:[^<>",;:@\r\n]+ <([^<>\s]+)>|([^<>\s]+))$/;
const PLAIN = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/;
const Address = v.pipe(
  v.string(),
  v.check((text) => {
    const [, inBrackets, alone] = ADDRESS.exec(text) ?? [];
    return PLAIN.test(inBrackets ?? alone ?? '');
  }, 'Local part or domain is not valid.'),
);
const OneLine = v.pipe(v.string(), v.regex(/^[^\r\n]*$/, 'A header is one line.'));
const Data = v.object({ Data: v.string() });
const Pairs = v.optional(v.array(v.object({ Name: OneLine, Value: OneLine })), []);
const SendEmail = v.object({
  FromEmailAddress: Address,
  Destination: v.object({ ToAddresses: v.pipe(v.array(Address), v.length(1)) }),
  Content: v.object({
    Simple: v.object({
      Subject: v.object({ Data: OneLine }),
      Body: v.object({ Text: Data, Html: Data }),
      Headers: Pairs,
    }),
  }),
  EmailTags: Pairs,
});

/** A mailbox that gets every mail of `npm start`, listening. */
export interface LocalMailbox {
  /** Its page. */
  readonly origin: string;
  /** The variables of the functions: mail is on, and SES is here. */
  readonly functionEnvironment: Environment;
  stop(): Promise<void>;
}

/**
 * Starts the mailbox instead of SES: it takes `SendEmail` as SES does, sends nothing on, and shows what it got. It
 * answers this machine's programs and its own page only. Rejects as the system does when the port is taken.
 *
 * @param port on 127.0.0.1; 0: any free one
 */
export async function startMailbox(port: number): Promise<LocalMailbox> {
  const mails: KeptMail[] = [];
  const server = createServer((request, response) => {
    answerTo(request, mails).then(
      (answer) => response.writeHead(answer.status, answer.headers).end(answer.body),
      () => response.destroy(),
    );
  });
  const found = await listen(server, port);
  const origin = `http://127.0.0.1:${found}`;
  return {
    origin,
    functionEnvironment: { [ENDPOINT_VARIABLE]: origin, [NOTICES_ENVIRONMENT.mailFrom]: SENDER },
    stop: () => close(server),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function answerTo(request: IncomingMessage, mails: KeptMail[]): Promise<Answer> {
  const { method = '', url = '/', headers, socket } = request;
  const path = url.split('?', 1)[0] ?? '/';
  // A page under a name that another person's DNS points to this machine could read the mails (DNS rebinding).
  if (!['127.0.0.1', 'localhost'].map((name) => `${name}:${socket.localPort}`).includes(headers.host ?? '')) {
    return answer(403, 'text/plain', 'This machine only.\n');
  }
  if (path === SEND_PATH) return take(request, mails);
  if (method !== 'GET' && method !== 'HEAD') return answer(405, 'text/plain', 'This can only be read.\n');
  if (path === '/') return page(mailboxPage(mails));
  // For programs.
  if (path === '/mails.json') return answer(200, 'application/json', JSON.stringify(mails));
  const [, id, isFramed] = /^\/mails\/([0-9a-f-]{36})(\.html)?$/.exec(path) ?? [];
  const mail = mails.find((candidate) => candidate.id === id);
  if (!mail) return answer(404, 'text/plain', 'There is no such mail.\n');
  // It is shown as in a mail program: without scripts, without an origin, and without loading anything. Links open in a
  // new tab.
  if (isFramed) return page(mailFrame(mail), `sandbox allow-popups allow-popups-to-escape-sandbox; ${FRAMED}`);
  return page(mailPage(mail));
}

/** Takes a mail as SES does, or refuses it with SES's error. */
async function take(request: IncomingMessage, mails: KeptMail[]): Promise<Answer> {
  // Browsers set it on every POST: no page sends mail.
  if (request.method !== 'POST' || request.headers.origin !== undefined) return refuse('Programs only.');
  const body = await readBody(request, MAX_BODY_BYTES);
  const read = v.safeParse(SendEmail, body && parsed(body.toString()));
  if (!read.success) return refuse(read.issues[0].message);
  const { FromEmailAddress: from, Destination, Content } = read.output;
  const { Subject, Body, Headers } = Content.Simple;
  const mail: KeptMail = {
    id: randomUUID(),
    at: new Date().toISOString(),
    from,
    to: Destination.ToAddresses[0] ?? '',
    subject: Subject.Data,
    text: Body.Text.Data,
    html: Body.Html.Data,
    headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
  };
  mails.unshift(mail);
  mails.splice(MAX_KEPT);
  return answer(200, 'application/json', JSON.stringify({ MessageId: mail.id }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refuse = (message: string): Answer =>
  answer(400, 'application/json', JSON.stringify({ message }), { 'x-amzn-ErrorType': 'BadRequestException' });

const FRAMED = "default-src 'none'; style-src 'unsafe-inline'";
const page = (html: string, policy = `${FRAMED}; frame-src 'self'; frame-ancestors 'none'`): Answer =>
  answer(200, 'text/html', html, { 'Content-Security-Policy': policy });

const answer = (
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  },
  body,
});

/** A mail as the mailbox keeps it. */
interface KeptMail {
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
function mailboxPage(mails: readonly KeptMail[]): string {
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
const mailFrame = ({ html }: KeptMail): string =>
  html.replace(/^(.*?<head>)?/s, (head) => `${head}<base target="_blank">`);

/** One mail in both of its forms. The HTML is in a frame without an origin, in which no script runs. */
function mailPage({ id, subject, from, to, at, text, headers }: KeptMail): string {
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
