import { use, type ReactNode } from 'react';
import { SessionContext } from '../session.ts';

/** What leads to those who run the stage, in the texts of pages, of the contract and of errors. */
const CALL = /\b([Aa]sk|[Tt]ell) the platform team\b( for more\b)?/;

/** Words that lead to the platform team, where the stage has an address for it. */
function Support({ children }: { readonly children: ReactNode }) {
  const { supportUrl = null } = use(SessionContext) ?? {};
  if (supportUrl === null) return children;
  return (
    // A mail program opens separately, so `mailto:` needs no new tab.
    <a href={supportUrl} {...(supportUrl.startsWith('https:') && { target: '_blank', rel: 'noreferrer' })}>
      {children}
    </a>
  );
}

/** A text in which "ask the platform team" is a link to it. */
export function WithSupport({ text }: { readonly text: string }) {
  const call = CALL.exec(text);
  if (!call) return text;
  const end = call.index + call[0].length;
  return (
    <>
      {text.slice(0, call.index)}
      <Support>{call[0]}</Support>
      <WithSupport text={text.slice(end)} />
    </>
  );
}
