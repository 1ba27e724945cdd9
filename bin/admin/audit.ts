import { Command } from 'commander';
import { readAccount } from '../../functions/accounts/team/accounts.ts';
import { auditView, listAudit, type AuditValues } from '../../functions/accounts/authority/audit.ts';
import { filtered, first, listing, mapped } from './listing.ts';
import { examples, runs } from './session.ts';
import { onAccount, spanOf, withSpan, readId, readLimit, type AccountOptions, type SpanOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';

interface ListOptions extends AccountOptions, SpanOptions {
  readonly project?: string;
  readonly limit?: number;
}

/** `admin audit …` */
export function auditCommand(shell: Shell): Command {
  const list = withSpan(
    onAccount('list', 'list the changes to an account, its projects, keys and members, oldest first'),
  )
    .option('--project <id>', 'only changes to this project and its keys', readId)
    .option('--limit <n>', 'at most this many (default: all)', readLimit);
  examples(
    list,
    'audit list --account acc_… --since 2026-11-21 --stage prod',
    'audit list --account acc_… --project … --since 7d --local --json',
  );
  runs(list, shell, async (store, { account, project, limit, ...times }: ListOptions) => {
    const span = spanOf(times);
    const { accountId } = await readAccount(store, account);
    const all = listAudit(store, accountId, span);
    const events = project === undefined ? all : filtered(all, ({ projectId }) => projectId === project);
    return listing({
      name: 'events',
      entries: mapped(first(events, limit), auditView),
      columns: {
        AT: ({ at }) => at,
        ACTION: ({ action }) => action,
        SUBJECT: ({ keyId, memberId, projectId, accountId: ofAccount }) => keyId ?? memberId ?? projectId ?? ofAccount,
        CHANGE: ({ before, after }) => change(before, after),
        ACTOR: ({ actor }) => actor,
      },
      none: 'No changes.',
    });
  });
  return new Command('audit').description('who changed what, and when').addCommand(list);
}

/** `rpm 60 → 600, name CI`: for created and deleted objects only the values. */
function change(before: AuditValues | null, after: AuditValues | null): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const parts = names.map((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    if (old === undefined || now === undefined) return `${name} ${text(old ?? now)}`;
    return old === now ? `${name} ${text(now)}` : `${name} ${text(old)} → ${text(now)}`;
  });
  return parts.join(', ') || '-';
}

function text(value: AuditValues[string] | undefined): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? value.join(' ') : String(value);
}
