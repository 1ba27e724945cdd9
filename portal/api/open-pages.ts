/** A lock that every visible page of the portal shares. The browser releases it when the page closes. */
const VISIBLE_PAGE = 'visible-page';

let pages = 1;
let leave: (() => void) | undefined;

function holdWhileVisible(): void {
  leave?.();
  leave = undefined;
  if (document.visibilityState !== 'visible') return;
  const left = new Promise<void>((resolve) => (leave = resolve));
  void navigator.locks.request(VISIBLE_PAGE, { mode: 'shared' }, () => left).catch(() => undefined);
}

addEventListener('visibilitychange', holdWhileVisible);
holdWhileVisible();

/**
 * The visible pages of the portal in this browser, at least this one, as of the last call. Each reads so much less
 * often, so that all together stay below a person's limit of reads.
 */
export function openPages(): number {
  void navigator.locks
    .query()
    .then(({ held = [] }) => (pages = Math.max(1, held.filter(({ name }) => name === VISIBLE_PAGE).length)))
    .catch(() => undefined);
  return pages;
}
