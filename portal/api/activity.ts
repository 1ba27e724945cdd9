/** Requests within this time after an action of the person count as activity. */
const ACTIVE_FOR_MS = 60_000;

let lastInputAtMs = Date.now();

for (const event of ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const) {
  addEventListener(event, () => (lastInputAtMs = Date.now()), { capture: true, passive: true });
}

/**
 * Whether a person uses this page. A timer reads lists again, and such requests must not keep the session of an unused
 * page alive.
 */
export const isPersonActive = (): boolean => Date.now() - lastInputAtMs < ACTIVE_FOR_MS;
