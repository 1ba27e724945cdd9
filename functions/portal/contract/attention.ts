import * as v from 'valibot';
import { Event } from './events.ts';
import { ProjectId } from './ids.ts';
import { Key } from './keys.ts';
import type { PortalOperation } from './operation.ts';
import { Count, CountFromOne, LastFour, MaybeText, upTo } from './values.ts';

const LatestRefusal = v.strictObject({
  /** The newest. */
  event: Event,
  /** How many there were, of those looked at. */
  count: CountFromOne,
  /** Whether its project has no more of the seven days than was looked at. */
  isWhole: v.boolean(),
  /** Whose request it was; null where that key was deleted. */
  key: v.nullable(v.strictObject({ name: MaybeText, lastFour: LastFour })),
});

const Attention = v.strictObject({
  /** That expire soon, or are in their grace after a rotation; the earliest end first. */
  keys: upTo(20, v.strictObject({ projectId: ProjectId, key: Key })),
  /** Those of one key with one code together, without simulated ones; the newest first. */
  refusals: upTo(8, LatestRefusal),
  /** How many projects were looked at, and how many of the newest requests of each at most. */
  lookedAt: v.strictObject({ projects: Count, requests: Count }),
  /** Whether there are more projects. */
  hasMore: v.boolean(),
  /** The projects of those looked at that could not be read. */
  unread: v.array(ProjectId),
});
export type Attention = v.InferOutput<typeof Attention>;

/** What the projects of an account ask for: of at most fifty, the first in the order of their ids. */
export const attentionContract = {
  getAttention: { route: 'GET /api/accounts/{accountId}/attention', by: 'viewer', answers: { 200: Attention } },
} as const satisfies Record<string, PortalOperation>;
