import { createHash } from 'node:crypto';
import { DEMO_EMAIL } from './people.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; }
main { width: min(22rem, calc(100vw - 2rem)); }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
form { display: grid; gap: 0.5rem; }
input, button { font: inherit; padding: 0.5rem 0.75rem; border: 1px solid #767676; border-radius: 6px; }
button { margin-top: 0.5rem; background: #1f5fbf; border-color: #1f5fbf; color: #fff; cursor: pointer; }
:focus-visible { outline: 2px solid #1f5fbf; outline-offset: 2px; }
p { margin: 1rem 0 0; }
[role='alert'] { margin: 0; font-weight: 600; }
`;
/** Sends the form that ends the session, of which the portal has asked already. */
const SUBMIT = 'document.forms[0].requestSubmit()';

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Headers of every page: nothing from elsewhere, and its forms lead back to the portal only. */
export const pageHeaders = (portalOrigin: string) => ({
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${sha256(STYLE)}`,
    `script-src ${sha256(SUBMIT)}`,
    'img-src data:',
    // The browser holds the redirects after a form to it, too.
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
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>
`;

/** The form in which a person says who they are. */
export const signInPage = (action: string, refused?: string): string =>
  page(
    'Sign in to the local portal',
    `<form method="post" action="${escape(action)}">
        ${refused === undefined ? '' : '<p role="alert">This is not an e-mail address.</p>'}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" required autocomplete="email" maxlength="254"
          value="${escape(refused ?? DEMO_EMAIL)}" autofocus />
        <button type="submit">Sign in</button>
      </form>
      <p>This page exists on this machine only. It takes any address and asks for no password: each is a person of
        the portal that npm start runs.</p>`,
  );

/** Ends the provider's session: at once where the portal has asked for it, else when the person agrees. */
export const signOutPage = (form: string, atOnce: boolean): string =>
  page(
    'Sign out of the local portal',
    `${form.replace('</form>', '<input type="hidden" name="logout" value="yes" /><button type="submit">Sign out</button></form>')}
      ${atOnce ? `<script>${SUBMIT}</script>` : ''}`,
  );

/** Why there is no other page, and the way back. */
export const errorPage = (message: string, portalOrigin: string): string =>
  page(
    'This did not work',
    `<p>${escape(message)}</p><p><a href="${escape(portalOrigin)}/">Back to the portal</a></p>`,
  );

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
