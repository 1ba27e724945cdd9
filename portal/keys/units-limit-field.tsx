import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { projectQuery, type ProjectIds } from '../api/queries.ts';
import type { Key } from '../api/schemas.ts';
import { TextField } from '../components/fields.tsx';
import { Note } from '../components/note.tsx';
import { Select } from '../components/select.tsx';
import { useKept } from '../components/use-kept.ts';
import { useNow } from '../components/use-now.ts';
import { formatCount } from '../text/format.ts';
import { boundsOf } from '../text/quota.ts';
import { CAP_PERIODS, capSentence, type CapPeriod } from './cap.ts';

/** The cap of a key as it is typed; `present` is the one that the key has. */
export function useCap({ accountId, projectId }: ProjectIds, form: string, present?: Key, isShared = false) {
  const { unitsLimit = null, unitsPeriod = null } = present ?? {};
  const [text, setText] = useKept(form, 'cap', unitsLimit === null ? '' : String(unitsLimit));
  const [chosen, setPeriod] = useKept<CapPeriod | ''>(form, 'period', unitsPeriod ?? '');
  const [asked, setAsked] = useState<string>();
  const { data: project } = useQuery(projectQuery(accountId, projectId));
  const ofQuota: CapPeriod = project && boundsOf(project.period).isDay ? 'day' : 'month';
  const period = chosen === '' ? ofQuota : chosen;
  const limit = readUnitsLimit(text);
  const isAsking = asked === text;
  const isWrong = limit === undefined || (limit === null && isShared);
  return {
    text,
    setText,
    period,
    setPeriod,
    isShared,
    limit,
    ofProject: project?.quotaLimit
      ? ` The project has ${formatCount(project.quotaLimit)} ${CAP_PERIODS[ofQuota]}.`
      : '',
    /** Undefined: it is not that of the present cap. */
    used: period === unitsPeriod ? (present?.unitsUsed ?? 0) : undefined,
    isAsking,
    problem: isWrong
      ? `Give a whole number up to ${formatCount(MAX_UNITS)}${isShared ? '; 0 stops all of its keys' : ', or leave it empty for no cap'}.`
      : null,
    /** Whether this press only asks: a cap of 0 refuses every request of the key. */
    asks: (): boolean => {
      if (limit !== 0 || isAsking) return false;
      setAsked(text);
      return true;
    },
    /** As the API takes it. Nothing is said of the period before it is known. */
    asked: {
      unitsLimit: limit ?? null,
      ...(typeof limit === 'number' && (chosen || project) && { unitsPeriod: period }),
    },
  };
}

interface UnitsLimitFieldProps {
  readonly of: ReturnType<typeof useCap>;
  /** What a cap of 0 does. */
  readonly zero?: string;
  readonly autoFocus?: boolean;
}

/** The field for a key's cap with its period, and what follows from them, beside the quota of its project. */
export function UnitsLimitField({
  of: { text, setText, period, setPeriod, isShared, limit, ofProject, used, isAsking },
  zero = 'With a cap of 0 every request of the key is refused.',
  autoFocus = false,
}: UnitsLimitFieldProps) {
  const nowMs = useNow();
  const isUsedUp = used !== undefined && used >= (limit ?? Infinity);
  const soFar =
    used === undefined ? '' : `${formatCount(used)} used${isUsedUp ? ': the next requests are refused' : ''}. `;
  const follows = typeof limit === 'number' ? capSentence(period, nowMs) : isShared ? '' : 'Leave it empty for no cap.';
  return (
    <>
      <TextField
        label="Limit of units"
        name="unitsLimit"
        inputMode="numeric"
        hint={soFar + follows + ofProject}
        value={text}
        onChange={setText}
        autoFocus={autoFocus}
        beside={
          <Select
            label="Period of the limit"
            isBeside
            isDisabled={isShared}
            value={period}
            onChange={(value) => setPeriod(value as CapPeriod)}
            options={Object.entries(CAP_PERIODS)}
          />
        }
      />
      {isAsking && (
        <Note kind="warn" isAlert>
          {zero} Press again if you mean that.
        </Note>
      )}
    </>
  );
}

/** In the form of the API. */
const MAX_UNITS = 1_000_000_000;

/** The limit in a field. Null: it is empty. Undefined: it is not valid. Separators of thousands are allowed. */
function readUnitsLimit(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(/[\s,]/g, '');
  if (plain === '') return null;
  return /^\d{1,10}$/.test(plain) && Number(plain) <= MAX_UNITS ? Number(plain) : undefined;
}
