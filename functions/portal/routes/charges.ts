import * as v from 'valibot';
import { isoTime } from '../../shared/time.ts';
import { findCharged, OPERATION_NAMES } from '../../usage/events/charged-request.ts';
import { chargeLookup, eventContract } from '../contract/events.ts';
import { serve } from '../serve/serve.ts';

const Lookup = chargeLookup(v.picklist(OPERATION_NAMES, `Give one of ${OPERATION_NAMES.join(', ')}.`));

/**
 * Whether a request under an Idempotency-Key was charged. It is a POST, so the value, which may hold anything, is in no
 * address and no log.
 */
export const chargeRoutes = [
  serve(
    eventContract.lookUpCharge,
    async ({ store, id, input }) => {
      const charged = await findCharged(store, id('projectId'), input);
      if (!charged) return { state: 'none', asOf: isoTime(store.clock.now()) };
      const { event = null, storedUntilMs } = charged;
      return { state: 'charged', original: event, storedUntil: isoTime(storedUntilMs) };
    },
    () => Lookup,
  ),
];
