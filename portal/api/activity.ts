/** Requests within this time after a person did something are taken for the person's. */
const ACTIVE_FOR_MS = 60_000;

let lastInputAtMs = Date.now();

for (const event of ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const) {
  addEventListener(event, () => (lastInputAtMs = Date.now()), { capture: true, passive: true });
}

/**
 * Whether a person uses this page. Lists are read again by a timer, and such a request must not keep the session of a
 * page alive that nobody looks at.
 */
export const isPersonActive = (): boolean => Date.now() - lastInputAtMs < ACTIVE_FOR_MS;
