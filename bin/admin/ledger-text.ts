import type { Period } from '../../functions/shared/time.ts';
import type { Difference } from '../../functions/usage/checks/difference.ts';
import type { EventProblem, IrregularEvent } from '../../functions/usage/events/irregular-events.ts';
import type { DifferingRollups } from '../../functions/usage/checks/rollup-check.ts';
import type {
  CapVerification,
  LedgerVerification,
  ProjectVerification,
} from '../../functions/usage/checks/verification.ts';
import { facts } from '../cli/text.ts';
import { table } from '../cli/table.ts';

/** What is wrong with an event, for people. */
const PROBLEMS: Readonly<Record<EventProblem, string>> = {
  key: 'stored under another project, time or request',
  period: 'of another period than its time',
  units: 'units that its outcome does not cost',
};
const PERIOD_HINT = 'Was QUOTA_PERIOD changed, or is it set to another length than the gateway has?';

/** The advice for a ledger that is not consistent. */
export const WHAT_TO_DO = 'What to do: docs/runbook.md, "A ledger that is not consistent".';

/** The verification of one project, for people. */
export function projectText(found: LedgerVerification, period: Period, colourful: boolean): string {
  const { consistent, quotaUsed, ledgerUnits, irregularEvents } = found;
  const text = facts({
    consistent: consistent ? 'yes' : 'NO',
    quotaUsed,
    ledgerUnits,
    ...(found.difference && { difference: balance(found) }),
    ...(found.keys && { keys: found.keys.length }),
    ...(irregularEvents && { irregularEvents: irregularEvents.count }),
    ...(found.differingRollups && { differingRollups: countOf(found.differingRollups) }),
    period: period.id,
  });
  return [
    text,
    ...(found.keys ? [capsTable(found.keys, colourful)] : []),
    ...(irregularEvents ? [irregularTable(irregularEvents.examples, irregularEvents.count, colourful)] : []),
    ...(consistent || isUndecided(found) ? [] : [WHAT_TO_DO]),
  ].join('\n\n');
}

/** Whether nothing is known to be wrong, and something may be. */
function isUndecided({ difference, undecidedUnits, keys = [], irregularEvents }: LedgerVerification): boolean {
  const differing = [...(difference ? [{ undecidedUnits }] : []), ...keys];
  return irregularEvents === undefined && differing.every((each) => each.undecidedUnits !== undefined);
}

function capsTable(keys: readonly CapVerification[], colourful: boolean): string {
  const rows = keys.map((key) => [key.keyId, key.period ?? '-', key.unitsUsed, key.ledgerUnits, capBalance(key)]);
  return table(['CAP OF KEY', 'OWN PERIOD', 'UNITS USED', 'LEDGER UNITS', 'DIFFERENCE'], rows, colourful);
}

function irregularTable(examples: readonly IrregularEvent[], count: number, colourful: boolean): string {
  const rows = examples.map(({ sortKey, problem, found }) => [sortKey, PROBLEMS[problem], found]);
  const rest = count > examples.length ? [`and ${count - examples.length} more`] : [];
  const hint = examples.some(({ problem }) => problem === 'period') ? [PERIOD_HINT] : [];
  return [table(['EVENT', 'PROBLEM', 'HOLDS'], rows, colourful), ...rest, ...hint].join('\n');
}

/** How many of all projects are consistent, for people. */
export function verdict({ id }: Period, projects: number, inconsistent: number): string {
  if (projects === 0) return `Nothing to verify in ${id}: there are no projects.`;
  return inconsistent === 0
    ? `Consistent in ${id}: all projects (${projects}).`
    : `NOT consistent in ${id}: ${inconsistent} of ${projects} projects.`;
}

/** The projects that are not consistent, for people. */
export const inconsistentTable = (found: readonly ProjectVerification[], colourful: boolean): string =>
  table(
    ['PROJECT', 'QUOTA USED', 'LEDGER UNITS', 'DIFFERENCE', 'KEYS', 'IRREGULAR EVENTS'],
    found.map((project) =>
      'error' in project
        ? [project.projectId, '-', '-', project.error, '-', '-']
        : [
            project.projectId,
            project.quotaUsed,
            project.ledgerUnits,
            balance(project),
            project.keys?.length ?? 0,
            project.irregularEvents?.count ?? 0,
          ],
    ),
    colourful,
  );

/** The differing sums of a project's usage. */
export interface ProjectRollups extends DifferingRollups {
  readonly projectId: string;
}

/** The projects whose stored sums differed from the events, for people. */
export const rollupsTable = (found: readonly ProjectRollups[], colourful: boolean): string =>
  table(
    ['PROJECT', 'DIFFERING ROLLUPS'],
    found.map((project) => [project.projectId, countOf(project)]),
    colourful,
  );

/** `2 (DAY#2026-11-21, HOUR#2026-11-21T09)` */
const countOf = ({ count, examples }: DifferingRollups): string =>
  `${count} (${[...examples, ...(count > examples.length ? ['…'] : [])].join(', ')})`;

function balance({ difference, undecidedUnits }: Pick<LedgerVerification, 'difference' | 'undecidedUnits'>): string {
  if (difference === undefined) return '0';
  return undecidedUnits === undefined ? range(difference) : `${range(difference)}: undecided, verify again`;
}

const capBalance = ({ monthDifference, ...key }: CapVerification): string =>
  monthDifference === undefined ? balance(key) : `${balance(key)} (of the month: ${range(monthDifference)})`;

/** `-1`, or `-3 to -1`. */
const range = ({ atLeast, atMost }: Difference): string =>
  atLeast === atMost ? String(atLeast) : `${atLeast} to ${atMost}`;
