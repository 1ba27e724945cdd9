import type { SoakPart } from '../part.ts';
import { accounts } from './accounts.ts';
import { crash } from './crash.ts';
import { enumeration } from './enumeration.ts';
import { hostile } from './hostile.ts';
import { load } from './load.ts';
import { model } from './model.ts';
import { readUnits } from './read-units.ts';
import { portalKill } from './portal-kill.ts';
import { team } from './team.ts';
import { webhooks } from './webhooks.ts';

/** Every part, in the order in which they run. */
export const PARTS: Readonly<Record<string, SoakPart>> = {
  model,
  accounts,
  hostile,
  enumeration,
  'read-units': readUnits,
  crash,
  'portal-kill': portalKill,
  load,
  webhooks,
  team,
};
