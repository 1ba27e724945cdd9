import { useSession } from '../session.ts';

/** A link to ask for a greater quota, where the stage has an address for it. */
export function AskForMore() {
  const { supportUrl } = useSession();
  if (supportUrl === null) return 'Ask the platform team for more.';
  return (
    <>
      {/* A mail program opens separately, so `mailto:` needs no new tab. */}
      <a href={supportUrl} {...(supportUrl.startsWith('https:') && { target: '_blank', rel: 'noreferrer' })}>
        Ask the platform team for more
      </a>
      .
    </>
  );
}
