import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escapedHtml } from '../../functions/notices/html.ts';
import { DEMO_EMAIL } from './people.ts';

const ofPortal = (file: string): string => readFileSync(new URL(`../../portal/${file}`, import.meta.url), 'utf8');

const STYLE = `
${ofPortal('styles/tokens.css')}
:root { font: 14px/20px system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; background: var(--bg); color: var(--text); }
main { box-sizing: border-box; width: min(400px, calc(100vw - 32px)); padding: 32px 24px; background: var(--raised);
  border: 1px solid var(--line); border-radius: 12px; }
svg { display: block; width: 24px; height: 24px; margin-bottom: 24px; }
h1 { font-size: 20px; line-height: 28px; margin: 0 0 16px; }
form { display: grid; gap: 6px; }
label { font-weight: 500; }
input, button { font: inherit; box-sizing: border-box; min-height: 40px; padding: 0 12px; border-radius: 6px; }
input { border: 1px solid var(--line-strong); background: var(--raised); color: inherit; font-size: 16px; }
button { margin-top: 18px; border: 0; background: var(--ink); color: var(--on-ink); font-weight: 500; cursor: pointer; }
button:hover { background: var(--ink-hover); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
p { margin: 16px 0 0; color: var(--muted); }
[role='alert'] { margin: 0; color: inherit; font-weight: 600; }
`;
const LOGO = ofPortal('icon.svg');
/** Sends the form that ends the session, because the portal has asked already. */
const SUBMIT = 'document.forms[0].requestSubmit()';

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Headers of every page. It loads nothing from other origins, and its forms lead only to the portal. */
export const pageHeaders = (portalOrigin: string) => ({
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${sha256(STYLE)}`,
    `script-src ${sha256(SUBMIT)}`,
    'img-src data:',
    // Browsers apply it to the redirects after a form, too.
    `form-action 'self' ${portalOrigin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      ${LOGO}
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>
`;

/** The form in which a person says who they are. */
export const signInPage = (action: string, refused?: string): string =>
  page(
    'Sign in',
    `<form method="post" action="${escapedHtml(action)}">
        ${refused === undefined ? '' : '<p role="alert">This is not an e-mail address.</p>'}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" required autocomplete="email" maxlength="254"
          value="${escapedHtml(refused ?? '')}" autofocus />
        <button type="submit">Sign in</button>
      </form>
      <p>This page exists on this machine only. Any address works, without a password. A new one begins without an
        account, as everybody does; <b>${escapedHtml(DEMO_EMAIL)}</b> has one with data.</p>`,
  );

/** Ends the provider's session: at once if the portal has asked, otherwise when the person agrees. */
export const signOutPage = (form: string, atOnce: boolean): string =>
  page(
    'Sign out',
    `${form.replace('</form>', '<input type="hidden" name="logout" value="yes" /><button type="submit">Sign out</button></form>')}
      ${atOnce ? `<script>${SUBMIT}</script>` : ''}`,
  );

/** Shows why the sign-in cannot continue, and the way back. */
export const errorPage = (message: string, portalOrigin: string): string =>
  page(
    'This did not work',
    `<p>${escapedHtml(message)}</p><p><a href="${escapedHtml(portalOrigin)}/">Back to the portal</a></p>`,
  );
