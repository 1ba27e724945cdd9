import { useSession } from '../session.ts';

/** Whom to ask for a greater quota: by a link, where the stage names one. */
export function AskForMore() {
  const { supportUrl } = useSession();
  if (supportUrl === null) return 'Ask the platform team for more.';
  return (
    <>
      {/* A mail program opens beside the page by itself. */}
      <a href={supportUrl} {...(supportUrl.startsWith('https:') && { target: '_blank', rel: 'noreferrer' })}>
        Ask the platform team for more
      </a>
      .
    </>
  );
}
